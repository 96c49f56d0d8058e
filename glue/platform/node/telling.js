import { createTurns } from '../../log/turns.js';

/**
 * Tells a context's listeners the outcomes of their requests, never from inside one of their own calls.
 *
 * @param {import('../../log/own-requests.js').OwnRequests} own
 * @param {Pick<import('./types.js').Surroundings, 'defer' | 'afterTask'>} surroundings
 */
export const createTelling = (own, { defer, afterTask }) => {
  let news = false;
  let scheduled = false;
  let isNext = false;
  const takeTurn = createTurns((callback) => callback(), afterTask);

  const telling = {
    /** There may be news. */
    add() {
      news = true;
    },

    hasNews: () => news,

    /** There may be news. Tells it later, since the caller may be a listener itself. */
    addSoon() {
      news = true;
      telling.soon();
    },

    /** Tells it at once. The caller must not be a listener. */
    now() {
      if (!news) return;
      news = false;
      own.tellListeners(() => {
        news = true;
        telling.soon();
      });
    },

    /** Call it in a promise job. Tells it at once, or in a task. */
    inJob() {
      if (!news || isNext) return;
      isNext = true;
      takeTurn(() => {
        isNext = false;
        telling.now();
      });
    },

    soon() {
      if (!news || scheduled) return;
      defer(() => {
        scheduled = false;
        telling.inJob();
      });
      // Not before: the stack may have ended there.
      scheduled = true;
    },
  };
  return telling;
};
