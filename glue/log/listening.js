/**
 * How long a context listens before it begins a log, in milliseconds. The register may be empty (a first visit, or a wipe) or show only
 * members that nobody can watch. With a store it takes longer: after a wipe, contexts must open the store again.
 */
const LISTEN = { broadcast: 12, store: 150 };
/**
 * How long after it was answered a context listens anew, in milliseconds. The context that answered is about to write itself into the
 * register. The pause doubles each time, up to LONGEST: that context may be frozen.
 */
const AGAIN = 20;
const LONGEST = 500;
/** If a context that was heard before may be busy, this one listens longer by so many milliseconds. */
const BUSY = 1000;
/** If a hello is not delivered within this many milliseconds, it may have been lost. The time doubles each time: messages may be slow. */
const LOST = 500;

/**
 * Listens for any context with state. From the delivery of the first hello, every context that is awake has time to answer. Whatever is
 * posted before the last hello is delivered before it. So no answer is missing when the last hello is delivered, even if this thread was
 * busy.
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} onEnd
 * @param {() => boolean} mayBeBusy whether a context that was heard before may still be there
 */
export const createListening = (context, onEnd, mayBeBusy) => {
  let heard = false;
  /** Whether this context listens longer because another one may be busy. */
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
    /** Whether it has listened and heard no context with state. */
    heardNobody: () => over && !heard,

    /** Listens anew, if a context with state was heard. */
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
