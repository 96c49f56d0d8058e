/** How long after the last hello a context looks whether it is alone after all, in milliseconds. */
const ALONE_AGAIN = 2000;

/**
 * Whether this context is alone (D7): the state lists nobody else, the register shows nobody else, nobody has said hello since that was
 * asked, and no own message is on its way.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} look reads the register
 */
export const createAlone = (context, look) => {
  const { replica, own } = context;
  let hellos = 0;
  /** How many hellos there had been when the register was asked that last showed this context alone; -1 if it has not shown that. */
  let verified = -1;
  /** Set while a look whether this context is alone is planned. @type {(() => void) | undefined} */
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

    /** How many hellos of others were delivered so far. */
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
     * Whether to begin a new epoch in the register. Then an early state from before no longer counts (D2).
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

    /** Something has changed: from here on this context may be alone. */
    check() {
      if (verified !== hellos || context.alone || !isAloneInLog() || context.underway()) return;
      context.alone = true;
      replica.shared = false;
      context.trace('alone', true);
    },
  };
};
