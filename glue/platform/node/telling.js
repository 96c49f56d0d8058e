/**
 * Tells a context's listeners what has become of their requests, never from inside one of their own calls.
 *
 * @param {import('../../log/own-requests.js').OwnRequests} own
 * @param {(callback: () => void) => void} defer runs [callback] in a microtask
 */
export const createTelling = (own, defer) => {
  let news = false;
  let scheduled = false;

  const telling = {
    /** There may be something to tell. */
    add() {
      news = true;
    },

    hasNews: () => news,

    /** There may be something to tell. The caller may be a listener itself, so it is told later. */
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
