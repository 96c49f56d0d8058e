/** In place of the log of a context in doubt, whose `hello` does not name it, or of another version. */
const UNNAMED = '?';

/**
 * Whether a message shows that its sender has a state. All but a `hello` do, and that of a context in doubt; of another version, too.
 * @param {{kind: string, values: unknown[]}} message
 */
const showsState = ({ kind, values: [, , reached] }) => kind !== 'hello' || (typeof reached === 'number' && reached > 0);

/**
 * Which fresh logs are void (D11). After a wipe a newcomer may find the register empty, because the contexts with state have not come back
 * yet. It has listened, but their messages may stand between its last hello and its `begin`. Everybody sees that in the order, so everybody
 * agrees that such a `begin` does not count.
 */
export const createBegins = () => {
  /** How many messages that show a state were delivered. */
  let count = 0;
  /** The number of the last one, by the log that it has shown, or UNNAMED. @type {Map<string, number>} */
  const spoken = new Map();
  /** By client that has said hello, attempt 0, and shown no state since: what [count] was at its last one. @type {Map<string, number>} */
  const newcomers = new Map();
  /** @type {Set<string>} */
  const voidLogs = new Set();
  /** @type {Set<string>} */
  const validLogs = new Set();

  return {
    /**
     * Each message, as it is delivered.
     * @param {import('./messages.js').Message} message
     * @param {boolean} [isForeign] it is one of another version. That version judges itself whether its logs are void
     * @returns {string} the log that lives, as it shows, or UNNAMED; empty if it shows none
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
        // To the others of a foreign version, the words of a log of this one are those of a stranger, also where that is replaced.
        const isBeside = since !== undefined
          && [...spoken].some(([other, last]) => last > since && (isForeign || other !== values[2]));
        if (!isBeside) validLogs.add(values[0]);
        else if (!isForeign) voidLogs.add(log);
      }
      newcomers.delete(from);
      // A context that posts its own `gone` leaves.
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
