/**
 * Which deaths may be false. If the browser closes all connections and keeps the data, every context seems dead for a moment.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 */

/**
 * How long the others have to come back after this context's connections were closed from outside, in milliseconds. Theirs probably were
 * closed, too, so they seem dead until then.
 */
const CAUTION = 1000;

/**
 * The doubts of one connection.
 *
 * @param {() => number} now
 * @param {number} [cautiousUntil] that of the connection before
 */
export const createDoubts = (now, cautiousUntil = 0) => {
  /** When all connections had opened; 0 before that. */
  let connected = 0;
  /** The alive names in the first read: these connections are older than this one. @type {Set<string> | undefined} */
  let older;
  /** The names that were seen held. A later watch of the same name may not see that again. @type {Set<string>} */
  const seen = new Set();
  /** The names that were free and never seen held: they may have been free before this connection was opened. @type {Set<string>} */
  const doubted = new Set();

  /** @param {string} name */
  const isOlder = (name) => !!older && older.has(name);

  /** Until when a context whose name seems free may come back. @param {string} name */
  const doubtedUntil = (name) => doubted.has(name) ? connected + CAUTION : 0;

  return {
    cautiousUntil: () => cautiousUntil,

    opened() {
      connected = now();
    },

    /** The connection was closed from outside. */
    lost() {
      cautiousUntil = now() + CAUTION;
    },

    /** @param {RegisterRecord} record as it was read */
    read({ members }) {
      older = older || new Set(Object.values(members).map(({ alive }) => alive));
    },

    /**
     * Whether the name may belong to a context that lost its connections before this one was opened, and is coming back.
     * @param {string} name
     */
    mayBeLost: (name) => isOlder(name) && now() < connected + CAUTION,

    /** @param {string} name whether its death is in doubt now */
    isDoubted: (name) => now() < doubtedUntil(name),

    /**
     * A name that was watched is free. How long the watch took says nothing: storage may be slow.
     * @param {string} name
     * @param {boolean | undefined} wasHeld whether it was seen held
     * @param {boolean} mayComeBack see ./connection.js
     * @returns {number} the milliseconds until its holder's death is certain, or less than 0
     */
    free(name, wasHeld, mayComeBack) {
      // After CAUTION, nothing depends on these sets.
      if (!connected || now() < connected + CAUTION) {
        if (wasHeld) seen.add(name);
        if (isOlder(name) && !seen.has(name)) doubted.add(name);
      }
      return (mayComeBack ? Math.max(cautiousUntil, doubtedUntil(name)) : cautiousUntil) - now();
    },
  };
};
