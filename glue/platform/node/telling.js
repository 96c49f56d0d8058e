/**
 * Tells a context's listeners the outcomes of their requests, never from inside one of their own calls.
 *
 * @param {import('../../log/own-requests.js').OwnRequests} own
 * @param {(callback: () => void) => void} defer runs [callback] in a microtask
 */
export const createTelling = (own, defer) => {
  let news = false;
  let scheduled = false;

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

    soon() {
      if (!news || scheduled) return;
      scheduled = true;
      defer(() => {
        scheduled = false;
        telling.now();
      });
    },
  };
  return telling;
};
