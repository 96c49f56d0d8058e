/**
 * Where the register is empty (a first visit, or wiped), or shows only members that nobody can watch, a context begins a log of its own
 * only when for so long, in milliseconds, it has heard of nobody with state. Those who share a store must open it again after a wipe.
 */
const LISTEN = { broadcast: 12, store: 150 };
/** Somebody was heard: whoever has state is about to write it into the register. */
const AGAIN = 20;
/** The last hello was lost, if it has not come back after so long. */
const LOST = 500;

/**
 * Listens for anybody with state. What was said before the last hello is delivered before it; so when that is, all is heard, even where
 * this thread was busy.
 *
 * @param {import('../platform/place.js').OrderKind} kind what makes the order where this context begins a log
 * @param {(nonce: string) => void} ask posts a hello that asks only whether anybody is there
 * @param {() => string} randomId
 * @param {(callback: () => void, milliseconds: number) => () => void} later
 * @param {() => void} onEnd
 */
export const createListening = (kind, ask, randomId, later, onEnd) => {
  let heard = false;
  let over = false;
  let last = '';
  let cancel = () => {};

  const end = () => {
    cancel();
    over = true;
    onEnd();
  };

  const listening = {
    begin() {
      cancel();
      heard = over = false;
      last = '';
      ask(randomId());
      cancel = later(() => {
        // Everybody would only say the same again.
        if (heard) {
          end();
          return;
        }
        last = randomId();
        ask(last);
        cancel = later(listening.begin, LOST);
      }, LISTEN[kind]);
    },

    /** Somebody with state has said something. */
    heardOf() {
      heard = true;
    },

    /** An own hello was delivered. @param {string} nonce */
    delivered(nonce) {
      if (last && nonce === last) end();
    },

    /** Whether this context has listened, and heard of nobody. */
    inVain: () => over && !heard,

    /** Listens anew, where somebody was heard. */
    again() {
      if (!over || !heard) return;
      cancel();
      over = false;
      cancel = later(listening.begin, AGAIN);
    },

    stop: () => cancel(),
  };
  return listening;
};
