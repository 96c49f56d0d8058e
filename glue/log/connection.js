import { compacted, recordOf } from './register.js';

/** How soon storage that failed is tried again, in milliseconds. */
const AGAIN = 500;
/**
 * If this context's connections were closed from outside, those of the others probably were, too. They seem dead until they have come back,
 * and have this long for that, in milliseconds.
 */
const CAUTION = 1000;
/** A name that turns out free within this many milliseconds of being watched may have been free before. */
const AT_ONCE = 100;

/**
 * One life of a context in storage: a connection to the register, and one that shows that the context lives. Whatever is asked for here is
 * tried until it succeeds. After close() no callback runs and no promise settles any more, so callers need not check whether it is still
 * the same life.
 */
/**
 * @typedef {import('../platform/place.js').Register} Register
 * @typedef {import('../platform/place.js').RegisterEntry} RegisterEntry
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createConnection>} Connection
 *
 * @param {import('../platform/place.js').Place} place
 * @param {string} alive a name that was never used before
 * @param {() => unknown} alsoOpen opens what else is needed
 * @param {() => void} onOpen
 * @param {() => void} onLost the connections were closed from outside
 * @param {number} cautiousUntil that of the connection before
 */
export const createConnection = (place, alive, alsoOpen, onOpen, onLost, cautiousUntil) => {
  let open = true;
  /** When everything had been opened; 0 before. */
  let connected = 0;
  /** The alive names that the first read has shown: those connections are older than this one. @type {Set<string> | undefined} */
  let older;
  /** Those of them that were free as soon as they were watched: their deaths are in doubt. @type {Set<string>} */
  const doubted = new Set();
  /** Until when a context whose name seems free may come back. @param {string} name */
  const doubtedUntil = (name) => doubted.has(name) ? connected + CAUTION : 0;
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

  /** @param {RegisterEntry} [lastEntry] may still be written */
  const close = (lastEntry) => {
    open = false;
    if (register) {
      if (lastEntry) register.append(lastEntry).catch(() => {});
      register.close(!lastEntry);
    }
    if (holding) holding.close();
  };

  const lost = whileOpen(() => {
    cautiousUntil = place.now() + CAUTION;
    close();
    onLost();
  });

  /** @param {() => Promise<void>} attempt */
  const untilItSucceeds = (attempt) => {
    attempt().catch(whileOpen((error) => {
      place.warn(`storage failed: ${error}`);
      later(() => untilItSucceeds(attempt), AGAIN);
    }));
  };

  /**
   * Opens it once, however often that is tried: what is opening, or open, is waited for.
   * @template T
   * @param {() => Promise<T>} openIt
   * @param {(opened: T) => void} onOpened closes it at once if this life has ended, whatever becomes of the others
   * @returns {() => Promise<void>}
   */
  const once = (openIt, onOpened) => {
    /** @type {Promise<void> | undefined} */
    let opening;
    return () => (opening = opening || openIt().then(onOpened, (error) => {
      opening = undefined;
      throw error;
    }));
  };

  const show = once(() => place.holdAlive(alive, lost), (opened) => {
    holding = opened;
    if (!open) opened.close();
  });
  const openRegister = once(() => place.openRegister(lost), (opened) => {
    register = opened;
    if (!open) opened.close(false);
  });

  const opened = new Promise((resolve) => untilItSucceeds(() => Promise.all([show(), openRegister()]).then(alsoOpen).then(() => {
    if (!open) return;
    /** @type {{announced(): void}} */ (holding).announced();
    connected = place.now();
    resolve(undefined);
  })));
  void opened.then(whileOpen(onOpen));

  return {
    alive,
    isConnected: () => !!connected,
    cautiousUntil: () => cautiousUntil,
    isDoubted: (/** @type {string} */ name) => place.now() < doubtedUntil(name),

    /**
     * Appends to the register, or only reads it.
     * @param {RegisterEntry} [entry]
     * @returns {Promise<RegisterRecord>} the record as it is then
     */
    transact: (entry) => new Promise((resolve) => {
      void opened.then(() => untilItSucceeds(async () => {
        const { append, compact } = /** @type {Register} */ (register);
        const entries = await append(entry);
        const whole = compacted(entries);
        if (whole) compact(whole.key, whole.value).catch(() => {});
        if (!open) return;
        const record = recordOf(entries);
        older = older || new Set(Object.values(record.members).map((member) => member.alive));
        resolve(record);
      }));
    }),

    /**
     * @param {string} name empty if nobody knows it
     * @param {() => void} onDeath
     * @param {boolean} [mayComeBack] whether to wait for a context that may have lost its connections before this one was opened. Not for a
     *   context that may begin a log
     * @returns {() => void} stops watching
     */
    watch(name, onDeath, mayComeBack) {
      let wanted = true;
      const tell = () => wanted && onDeath();
      const soon = place.now() + AT_ONCE;
      if (name) {
        place.watchAlive(name, whileOpen((wasHeld) => {
          if (!wasHeld && older && older.has(name) && place.now() < soon) doubted.add(name);
          const certain = mayComeBack ? Math.max(cautiousUntil, doubtedUntil(name)) : cautiousUntil;
          // When the site's data is cleared, everybody seems dead for a moment. A little later this connection is lost, too.
          const delay = Math.max(place.wipeNews, certain - place.now());
          if (delay > 0) later(tell, delay);
          else tell();
        }));
      }
      return () => {
        wanted = false;
      };
    },

    later,
    close,
  };
};
