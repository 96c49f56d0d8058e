import { forgetOldest } from './oldest.js';

/** How many messages are remembered. */
const REMEMBERED = 1000;
/** Not entries: each of them counts, in every replica alike. */
const ONCE = ['hello', 'begin', 'resume'];

/** Recognizes repeated messages of the kinds that are posted only once (D17). */
export const createRepeats = () => {
  /** The latest messages, also of other versions. @type {Set<unknown>} */
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
