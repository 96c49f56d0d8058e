/**
 * How long a context listens before it begins a log in a register that is empty (a first visit, or wiped) or shows only members that nobody
 * can watch; in milliseconds. Contexts that share a store must open it again after a wipe, which takes longer.
 */
const LISTEN = { broadcast: 12, store: 150 };
/** After someone was heard: how long until the next look. A context with state is about to write that into the register. */
const AGAIN = 20;
/** Where someone who was heard may be busy, nobody counts as there only after so much silence. */
const BUSY = 1000;
/** If the last hello is not delivered within this time, it may have been lost. Twice as long the next time: messages may be slow. */
const LOST = 500;

/**
 * Listens for anybody with state. Whatever was posted before the last hello is delivered before it. So when that hello is delivered,
 * nothing is missing, even if this thread was busy.
 *
 * @param {import('../platform/place.js').OrderKind} kind what makes the order where this context begins a log
 * @param {(nonce: string) => void} ask posts a hello that asks only whether anybody is there
 * @param {() => string} randomId
 * @param {(callback: () => void, milliseconds: number) => () => void} later
 * @param {() => void} onEnd
 * @param {() => boolean} mayBeBusy whether someone who was heard before may still be there
 */
export const createListening = (kind, ask, randomId, later, onEnd, mayBeBusy) => {
  let heard = false;
  /** Whether this context listens longer since someone may be busy. */
  let lingers = false;
  let over = false;
  let last = '';
  let cancel = () => {};

  const end = () => {
    cancel();
    over = true;
    onEnd();
  };

  const listening = {
    begin(patience = LOST) {
      cancel();
      heard = over = lingers = false;
      last = '';
      ask(randomId());
      const askLast = () => {
        lingers = false;
        last = randomId();
        ask(last);
        cancel = later(() => listening.begin(patience * 2), patience);
      };
      cancel = later(() => {
        // A second hello would only get the same answers.
        if (heard) end();
        else if (mayBeBusy()) {
          lingers = true;
          cancel = later(askLast, BUSY);
        } else askLast();
      }, LISTEN[kind]);
    },

    /** A context with state has posted something. */
    heardOf() {
      heard = true;
      if (lingers) end();
    },

    /** An own hello was delivered. @param {string} nonce */
    delivered(nonce) {
      if (last && nonce === last) end();
    },

    /** Whether this context has listened. */
    isOver: () => over,
    /** Whether it has, and heard of nobody. */
    heardNobody: () => over && !heard,

    /** Listens anew, if someone was heard. */
    again() {
      if (!over || !heard) return;
      cancel();
      over = false;
      cancel = later(listening.begin, AGAIN);
    },

    stop() {
      cancel();
      lingers = false;
    },
  };
  return listening;
};
