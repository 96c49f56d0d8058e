/**
 * Which deaths may be false. If all connections were closed from outside and the data is kept, everybody seems dead for a moment.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 */

/**
 * If this context's connections were closed from outside, those of the others probably were, too. They seem dead until they have come back,
 * and have this long for that, in milliseconds.
 */
const CAUTION = 1000;

/**
 * The doubts of one connection.
 *
 * @param {() => number} now
 * @param {number} [cautiousUntil] that of the connection before
 */
export const createDoubts = (now, cautiousUntil = 0) => {
  /** When everything had been opened; 0 before. */
  let connected = 0;
  /** The alive names that the first read has shown: those connections are older than this one. @type {Set<string> | undefined} */
  let older;
  /** The names that were seen to be held. A later watch of the same name may not see that again. @type {Set<string>} */
  const seen = new Set();
  /** Those that were free, and never seen to be held: they may have been free before. @type {Set<string>} */
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
     * Whether that name may be of a context that has lost its connections before this one was opened, and is coming back.
     * @param {string} name
     */
    mayBeLost: (name) => isOlder(name) && now() < connected + CAUTION,

    /** @param {string} name whether its death is in doubt now */
    isDoubted: (name) => now() < doubtedUntil(name),

    /**
     * A name that was watched is free. How soon that is told says nothing: storage may be slow.
     * @param {string} name
     * @param {boolean | undefined} wasHeld whether it was seen to be held
     * @param {boolean} mayComeBack see ./connection.js
     * @returns {number} the milliseconds until its holder's death is certain, or less than 0
     */
    free(name, wasHeld, mayComeBack) {
      // Later nothing depends on it.
      if (!connected || now() < connected + CAUTION) {
        if (wasHeld) seen.add(name);
        if (isOlder(name) && !seen.has(name)) doubted.add(name);
      }
      return (mayComeBack ? Math.max(cautiousUntil, doubtedUntil(name)) : cautiousUntil) - now();
    },
  };
};
