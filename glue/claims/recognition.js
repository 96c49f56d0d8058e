/**
 * Recognizes the service's own answers. A newer service marks them. An older one may replace it, and then a newer one again.
 *
 * @typedef {import('./answers.js').Answer} Answer
 */
import { isUnknown, isWhole, looksOwn, shows } from './answers.js';

/** No claim has this id, and only a claims service answers so. (A list might be empty, which shows nothing.) */
const NONE = '0';
export const QUESTION = `claims/${NONE}/`;

export const createRecognition = () => {
  /** Whether the service has ever answered, and whether it marks its answers. */
  let isKnown = false;
  let marks = false;
  return {
    isKnown: () => isKnown,
    hasMarks: () => marks,

    /** Whether the answer is the service's own. @param {Answer} answer @param {boolean} isMarked @param {boolean} isList was requested */
    isOwn(answer, isMarked, isList) {
      // An unmarked claim shows that an older service has replaced it.
      if (isMarked || shows(answer)) marks = isMarked;
      const own = isWhole(answer) && (isMarked || (!marks && looksOwn(answer, isList)));
      isKnown = isKnown || own;
      return own;
    },

    /** Learns from the answer to QUESTION whether the service marks its answers. @param {Answer} answer @param {boolean} isMarked */
    learn(answer, isMarked) {
      if (isMarked || isUnknown(answer, 'claim', NONE)) marks = isMarked;
    },
  };
};
