import { createDoubts } from './doubts.js';
import { compacted, recordOf } from './register.js';

/** The pause before storage that has failed is tried again, in milliseconds. */
const AGAIN = 500;
/** If storage has neither opened nor failed after this many milliseconds, warn the developer: the browser may never answer. */
const LONG = 10000;

/**
 * Calls [openIt] once, however often the result is called: later calls wait for the same opening. After a failure, the next call tries
 * again.
 * @template T
 * @param {() => Promise<T>} openIt
 * @param {(opened: T) => void} onOpened
 * @returns {() => Promise<void>}
 */
export const once = (openIt, onOpened) => {
  /** @type {Promise<void> | undefined} */
  let opening;
  return () => (opening = opening || openIt().then(onOpened, (error) => {
    opening = undefined;
    throw error;
  }));
};

/**
 * One life of a context in storage: a connection to the register, and one that shows that the context lives. Every operation here is
 * retried until it succeeds. After close() no callback runs and no promise settles, so callers need not check whether this life has ended.
 *
 * @typedef {import('../platform/place.js').Register} Register
 * @typedef {import('../platform/place.js').RegisterChange} RegisterChange
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createConnection>} Connection
 *
 * @param {import('../platform/place.js').Place} place
 * @param {string} alive a name that was never used before
 * @param {() => unknown} alsoOpen opens whatever else is needed
 * @param {() => void} onOpen
 * @param {() => void} onLost the connections were closed from outside
 * @param {{cautiousUntil(): number, release(): void}} [previous] the connection before
 */
export const createConnection = (place, alive, alsoOpen, onOpen, onLost, previous) => {
  let open = true;
  let connected = false;
  /** @type {Register | undefined} */
  let register;
  /**
   * A strong reference: an unreferenced connection would be closed by the garbage collector.
   * @type {{announced(): void, close(): void} | undefined}
   */
  let holding;

  /** @template {any[]} T @param {(...values: T) => void} callback @returns {(...values: T) => void} */
  const whileOpen = (callback) => (...values) => {
    if (open) callback(...values);
  };

  /** @param {() => void} callback @param {number} milliseconds @returns {() => void} cancels it */
  const later = (callback, milliseconds) => place.setTimer(whileOpen(callback), milliseconds);

  /**
   * A timer in two steps. If this thread is busy meanwhile, the first step comes late, and the news that has queued up is delivered before
   * the second.
   * @param {() => void} callback
   * @param {number} milliseconds
   */
  const afterNews = (callback, milliseconds) => void later(() => later(callback, milliseconds / 2), milliseconds / 2);

  /** Each function ends a watch that has not reported a death yet. @type {Set<() => void>} */
  const watches = new Set();
  const doubts = createDoubts(place.now, previous && previous.cautiousUntil());

  /** @param {RegisterChange} [lastChange] may still be written */
  const end = (lastChange) => {
    open = false;
    watches.forEach((endWatch) => endWatch());
    if (!register) return;
    if (lastChange) register.append(lastChange).catch(() => {});
    register.close(!lastChange);
  };

  const releasePrevious = () => {
    if (previous) previous.release();
    previous = undefined;
  };

  /** From now on, this life looks ended to all others. */
  const release = () => {
    if (holding) holding.close();
    holding = undefined;
    releasePrevious();
  };

  /** @param {RegisterChange} [lastChange] may still be written */
  const close = (lastChange) => {
    end(lastChange);
    release();
  };

  const lost = whileOpen(() => {
    doubts.lost();
    end();
    onLost();
  });

  /** @param {() => Promise<void>} attempt */
  const untilItSucceeds = (attempt) => {
    attempt().catch(whileOpen((error) => {
      place.warn(`${error}; trying again`);
      later(() => untilItSucceeds(attempt), AGAIN);
    }));
  };

  // A connection that opens after the end of this life is closed at once, without waiting for the other one.
  const show = once(() => place.holdAlive(alive, lost), (opened) => {
    if (open) holding = opened;
    else opened.close();
  });
  const openRegister = once(() => place.openRegister(lost), (opened) => {
    register = opened;
    if (!open) opened.close(false);
  });

  const opened = new Promise((resolve) => untilItSucceeds(() => Promise.all([show(), openRegister()]).then(alsoOpen).then(() => {
    if (!open) return;
    /** @type {{announced(): void}} */ (holding).announced();
    doubts.opened();
    connected = true;
    resolve(undefined);
  })));
  void opened.then(whileOpen(onOpen));
  later(() => connected || place.warn('storage does not open, and requests wait for it; if data was cleared, reload the page'), LONG);

  return {
    alive,
    isConnected: () => connected,
    cautiousUntil: doubts.cautiousUntil,
    isDoubted: doubts.isDoubted,
    mayBeLost: doubts.mayBeLost,

    /**
     * Appends to the register, or only reads it.
     * @param {RegisterChange} [change]
     * @returns {Promise<RegisterRecord>} the record as it is then
     */
    transact: (change) => new Promise((resolve) => {
      void opened.then(() => untilItSucceeds(async () => {
        const { append, compact } = /** @type {Register} */ (register);
        const changes = await append(change);
        const whole = compacted(changes);
        if (whole) compact(whole.key, whole.value).catch(() => {});
        if (!open) return;
        // Release the old name only now, when the register shows the new one. If a page has deleted all databases, every context has closed
        // the register by now and ended its watches. Earlier, the release could have looked like a death (D16).
        releasePrevious();
        const record = recordOf(changes);
        doubts.read(record);
        resolve(record);
      }));
    }),

    /**
     * @param {string} name empty if nobody knows it
     * @param {() => void} onDeath
     * @param {() => boolean} mayComeBack asked when the name is free: whether its context may have lost its connections before this one was
     *   opened, and must be given time to come back
     */
    watch(name, onDeath, mayComeBack) {
      if (!name) return;
      const endWatch = place.watchAlive(name, whileOpen((wasHeld) => {
        watches.delete(endWatch);
        const delay = doubts.free(name, wasHeld, mayComeBack());
        if (delay > 0) afterNews(onDeath, delay);
        else onDeath();
      }));
      watches.add(endWatch);
    },

    later,
    close,
    release,
  };
};
