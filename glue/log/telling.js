/**
 * Tells a context's listeners what has become of their requests, never from inside a call of theirs.
 *
 * @param {import('./own-requests.js').OwnRequests} own
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

    /** There is something to tell, by somebody who is called back from here. */
    addSoon() {
      news = true;
      telling.soon();
    },

    /** Tells it, where the caller is not one of those who are told. */
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
