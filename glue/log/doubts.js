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
/** A name that turns out free within this many milliseconds of being watched may have been free before. */
const AT_ONCE = 100;

/**
 * The doubts of one connection.
 *
 * @param {() => number} now
 * @param {(callback: () => void, milliseconds: number) => void} afterNews see ./connection.js
 * @param {number} [cautiousUntil] that of the connection before
 */
export const createDoubts = (now, afterNews, cautiousUntil = 0) => {
  /** When everything had been opened; 0 before. */
  let connected = 0;
  /** The alive names that the first read has shown: those connections are older than this one. @type {Set<string> | undefined} */
  let older;
  /** Those of them that were free as soon as they were watched. @type {Set<string>} */
  const doubted = new Set();

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

    /** @param {string} name whether its death is in doubt now */
    isDoubted: (name) => now() < doubtedUntil(name),

    /**
     * The name is watched from now on.
     * @param {string} name
     * @param {() => boolean} mayComeBack see ./connection.js
     * @returns {(wasHeld?: boolean) => number} to be called when it is free; the milliseconds until that is certain, or less than 0
     */
    watched(name, mayComeBack) {
      let atOnce = !!older && older.has(name);
      if (atOnce) {
        afterNews(() => {
          atOnce = false;
        }, AT_ONCE);
      }
      return (wasHeld) => {
        if (atOnce && !wasHeld) doubted.add(name);
        return (mayComeBack() ? Math.max(cautiousUntil, doubtedUntil(name)) : cautiousUntil) - now();
      };
    },
  };
};
