/** How long after the last hello of another context this one checks again whether it is alone, in milliseconds. */
const ALONE_AGAIN = 2000;

/**
 * Whether this context is alone (D7): the state lists nobody else, the register shows nobody else, nobody has posted a `hello` since that
 * read began, and no own message is on its way.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} look reads the register
 */
export const createAlone = (context, look) => {
  const { replica, own } = context;
  let hellos = 0;
  /** The value of [hellos] when the last change began a new epoch and showed nobody else in the register; -1 if none has. */
  let verified = -1;
  /** Cancels the planned check, while there is one. @type {(() => void) | undefined} */
  let cancelLook;

  const isAloneInLog = () => context.mayAct() && replica.members.size === 1 && replica.eldest() === own.id();

  /** @param {RegisterRecord} latest */
  const showsNobodyElse = ({ log, incomplete, members }) =>
    log === replica.log && !incomplete && own.id() in members && Object.keys(members).length === 1;

  const lookNoLonger = () => {
    if (cancelLook) cancelLook();
    cancelLook = undefined;
  };

  return {
    /** A new connection, or another life. */
    reset() {
      verified = -1;
      lookNoLonger();
    },

    /** How many hellos of others have been delivered so far. */
    hellos: () => hellos,

    /** Another context has posted something. @param {boolean} hello */
    companyHeard(hello) {
      if (context.alone) context.trace('alone', false);
      context.alone = false;
      if (!hello) return;
      hellos++;
      lookNoLonger();
      cancelLook = context.connection.later(() => {
        cancelLook = undefined;
        if (isAloneInLog()) look();
      }, ALONE_AGAIN);
    },

    /**
     * Whether to begin a new epoch in the register. Early states from before it no longer count then (D2).
     * @param {RegisterRecord} latest
     * @param {number} before hellos() when that read began
     */
    mayBeginEpoch: (latest, before) => isAloneInLog() && showsNobodyElse(latest) && before === hellos && verified !== hellos && !cancelLook,

    /**
     * A change that begins a new epoch has been written.
     * @param {RegisterRecord} latest
     * @param {number} before hellos() when the change was appended
     */
    epochBegun(latest, before) {
      if (showsNobodyElse(latest)) verified = before;
    },

    /** Something has changed, so this context may be alone now. */
    check() {
      if (verified !== hellos || context.alone || !isAloneInLog() || context.underway()) return;
      context.alone = true;
      replica.shared = false;
      context.trace('alone', true);
    },
  };
};
