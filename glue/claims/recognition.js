/**
 * Which answers are the service's own, as far as this client knows it. A newer service marks them. An older one may take its place, and
 * then a newer one again.
 *
 * @typedef {import('./answers.js').Answer} Answer
 */
import { isUnknown, isWhole, looksOwn, shows } from './answers.js';

/** No claim has this id. In its answer each claims service says so, and nothing else does: what a list shows may be nothing. */
const NONE = '0';
export const QUESTION = `claims/${NONE}/`;

export const createRecognition = () => {
  /** Whether the service has ever answered, and whether it marks its answers. */
  let isKnown = false;
  let marks = false;
  return {
    isKnown: () => isKnown,
    hasMarks: () => marks,

    /** Whether the service itself has answered. @param {Answer} answer @param {boolean} isMarked @param {boolean} isList as asked for */
    isOwn(answer, isMarked, isList) {
      // An older service may have taken its place, too.
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
