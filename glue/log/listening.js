/**
 * How long a context listens before it begins a log in a register that is empty (a first visit, or wiped) or shows only members that nobody
 * can watch; in milliseconds. Contexts that share a store must open it again after a wipe, which takes longer.
 */
const LISTEN = { broadcast: 12, store: 150 };
/**
 * After someone was heard: how long until the next look. A context with state is about to write that into the register. Twice as long the
 * next time, up to LONGEST: it may be frozen.
 */
const AGAIN = 20;
const LONGEST = 500;
/** Where someone who was heard may be busy, nobody counts as there only after so much silence. */
const BUSY = 1000;
/** If a hello is not delivered within this time, it may have been lost. Twice as long the next time: messages may be slow. */
const LOST = 500;

/**
 * Listens for anybody with state. When the first hello is delivered, whoever is awake has heard it, and has time to answer. Whatever was
 * posted before the last hello is delivered before it. So when that one is delivered, nothing is missing, even if this thread was busy.
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} onEnd
 * @param {() => boolean} mayBeBusy whether someone who was heard before may still be there
 */
export const createListening = (context, onEnd, mayBeBusy) => {
  let heard = false;
  /** Whether this context listens longer since someone may be busy. */
  let lingers = false;
  let over = false;
  /** The nonce of the hello that is on its way, if one is, and what happens when it is delivered. */
  let nonce = '';
  let then = () => {};
  let cancel = () => {};
  let pause = AGAIN;

  /** @param {() => void} callback @param {number} milliseconds */
  const later = (callback, milliseconds) => context.connection.later(callback, milliseconds);

  const end = () => {
    cancel();
    over = true;
    onEnd();
  };

  /** @param {number} patience @param {() => void} onDelivered */
  const sayHello = (patience, onDelivered) => {
    nonce = context.place.randomId();
    then = onDelivered;
    context.post('hello', nonce, 0, 0, []);
    cancel = later(() => listening.begin(patience * 2), patience);
  };

  const listening = {
    begin(patience = LOST) {
      cancel();
      heard = over = lingers = false;
      const askLast = () => {
        lingers = false;
        sayHello(patience, end);
      };
      const listened = () => {
        // A second hello would only get the same answers.
        if (heard) end();
        else if (mayBeBusy()) {
          lingers = true;
          cancel = later(askLast, BUSY);
        } else askLast();
      };
      sayHello(patience, () => {
        cancel = later(listened, LISTEN[context.orderKind]);
      });
    },

    /** A context with state has posted something. */
    heardOf() {
      heard = true;
      if (lingers) end();
    },

    /** An own hello was delivered. @param {string} echo its nonce */
    echoed(echo) {
      if (!nonce || echo !== nonce) return;
      nonce = '';
      cancel();
      then();
    },

    /** Whether this context has listened. */
    isOver: () => over,
    /** Whether it has, and heard of nobody. */
    heardNobody: () => over && !heard,

    /** Listens anew, if someone was heard. */
    again() {
      if (!over || !heard) return;
      over = false;
      cancel = later(listening.begin, pause);
      pause = Math.min(2 * pause, LONGEST);
    },

    stop() {
      cancel();
      nonce = '';
      pause = AGAIN;
    },
  };
  return listening;
};
