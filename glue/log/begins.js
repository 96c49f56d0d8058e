/** Stands for a log whose id is unknown: that of a context in doubt, whose `hello` does not name it, or that of another version. */
const UNNAMED = '?';

/**
 * Whether a message shows that its sender has a state, in any version. Every kind does, except a `hello` that says that its sender has
 * none.
 * @param {{kind: string, values: unknown[]}} message
 */
const showsState = ({ kind, values: [, , reached] }) => kind !== 'hello' || (typeof reached === 'number' && reached > 0);

/**
 * Which fresh logs are void (D11). After a wipe a newcomer may find the register empty because the contexts with state have not come back
 * yet. It has listened, but their messages may stand between its last hello and its `begin`. The order shows that to everybody alike, so
 * all agree that such a `begin` is void.
 */
export const createBegins = () => {
  /** How many messages that show a state have been delivered. */
  let count = 0;
  /** For each log, or UNNAMED: the number of the last such message that has shown it. @type {Map<string, number>} */
  const spoken = new Map();
  /** For each client that has shown no state since its last hello of attempt 0: [count] at that hello. @type {Map<string, number>} */
  const newcomers = new Map();
  /** @type {Set<string>} */
  const voidLogs = new Set();
  /** @type {Set<string>} */
  const validLogs = new Set();

  return {
    /**
     * Called with each message when it is delivered.
     * @param {import('./messages.js').Message} message
     * @param {boolean} [isForeign] the message is of another version of the protocol, which judges itself whether its logs are void
     * @returns {string} the log that the message shows to live, or UNNAMED; empty if it shows none
     */
    hear(message, isForeign = false) {
      const { kind, from, values } = message;
      if (!showsState(message)) {
        if (values[1] === 0) newcomers.set(from, count);
        return '';
      }
      const log = kind === 'hello' || isForeign ? UNNAMED : kind === 'state' ? values[2] : values[0];
      if (kind === 'begin') {
        const since = newcomers.get(from);
        // To contexts of a foreign version, messages of this version's logs are foreign. So these make its `begin` void even if it replaces
        // that log.
        const isBeside = since !== undefined
          && [...spoken].some(([other, last]) => last > since && (isForeign || other !== values[2]));
        if (!isBeside) validLogs.add(values[0]);
        else if (!isForeign) voidLogs.add(log);
      }
      newcomers.delete(from);
      // A context that posts its own `gone` leaves, so it shows no living log.
      if (kind === 'gone' && values[1] === from) return '';
      spoken.set(log, ++count);
      return log;
    },

    /** Messages were lost: this context no longer knows what the others have heard. */
    forget: () => newcomers.clear(),

    /** @param {string} log whose `begin` was delivered, and counts */
    isValid: (log) => validLogs.has(log),
    voidLogs: () => [...voidLogs],
  };
};
