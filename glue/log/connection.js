import { compacted, recordOf } from './register.js';

/** Storage that failed is tried again after so long, in milliseconds. */
const AGAIN = 500;
/**
 * Where this context's connections were closed from outside, others' were too, and what they were watched by seems dead until they have
 * come back: they have so long for that.
 */
const CAUTION = 1000;
/** A name that is free as soon as it is watched, within so many milliseconds, may have been free before. */
const AT_ONCE = 100;

/**
 * One life of a context towards the storage: a connection to the register, and one that shows that the context lives. What is asked
 * for here is tried until it succeeds. After close() nothing is heard of it any more, so that nobody who waits needs to ask whether
 * it is still the same life.
 */
/**
 * @typedef {import('../platform/place.js').Register} Register
 * @typedef {import('../platform/place.js').RegisterEntry} RegisterEntry
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createConnection>} Connection
 *
 * @param {import('../platform/place.js').Place} place
 * @param {string} alive a name never used before
 * @param {() => unknown} alsoOpen what else must have been opened
 * @param {() => void} onOpen
 * @param {() => void} onLost closed from outside
 * @param {number} cautiousUntil as the one before was
 */
export const createConnection = (place, alive, alsoOpen, onOpen, onLost, cautiousUntil) => {
  let open = true;
  /** When everything had been opened; 0 before. */
  let connected = 0;
  /** Names that the first read has shown: of connections from before this one. @type {Set<string> | undefined} */
  let older;
  /** Those of them that were free as soon as they were watched. @type {Set<string>} */
  const doubted = new Set();
  /** Until when who had that name, and seems dead, may come back. @param {string} name */
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
   * @param {(opened: T) => void} onOpened what opens later than this life lasts is to be closed at once, whatever becomes of the others
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
     * @param {string} name empty where nobody knows it
     * @param {() => void} onDeath
     * @param {boolean} [mayComeBack] it is of use to wait for whoever may have lost its connections before this one was opened: this
     *   context begins no log
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
          // Where the site's data is cleared, everybody seems dead for a moment; then this connection is lost too, a little later.
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
