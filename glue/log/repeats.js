import { toJson } from './json.js';
import { forgetOldest } from './oldest.js';

/** How many messages are remembered. */
const REMEMBERED = 1000;
/** Not entries: each of them counts, in every replica alike. */
const ONCE = ['hello', 'begin', 'resume'];

/**
 * What no other message has: the nonce of a hello, the log that begins, or by whom a log is resumed with which generation. The rest does
 * not count: a message that another script repeats may have been changed.
 * @param {import('./messages.js').Message} message
 */
const nameOf = ({ kind, from, values: [first, second] }) => toJson(kind === 'resume' ? [kind, first, from, second] : [kind, first]);

/** Recognizes repeated messages of the kinds that are posted only once (D17). */
export const createRepeats = () => {
  /** The names of the latest messages, also of other versions. @type {Set<string>} */
  const said = new Set();

  return {
    /** @param {import('./messages.js').Message} message of any version @returns {boolean} whether it was delivered before */
    has(message) {
      if (!ONCE.includes(message.kind)) return false;
      const name = nameOf(message);
      if (said.has(name)) return true;
      said.add(name);
      forgetOldest(said, REMEMBERED);
      return false;
    },
  };
};
