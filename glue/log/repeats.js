import { forgetOldest } from './oldest.js';

/** So many messages are remembered. */
const REMEMBERED = 1000;
/** Entries may be no part of this: each of them counts, in every replica alike. */
const ONCE = ['hello', 'begin', 'resume'];

/** Knows the messages that are delivered again although they are said once (D17). */
export const createRepeats = () => {
  /** The last ones, also those of other versions. @type {Set<unknown>} */
  const said = new Set();

  return {
    /** @param {string} kind @param {unknown} message as it was delivered @returns {boolean} whether it was delivered before */
    has(kind, message) {
      if (!ONCE.includes(kind)) return false;
      if (said.has(message)) return true;
      said.add(message);
      forgetOldest(said, REMEMBERED);
      return false;
    },
  };
};
