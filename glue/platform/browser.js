/**
 * What a browser offers to the log, for windows and workers alike. docs/browsers.md has the measurements behind it. Nothing here
 * runs before the first request.
 */
import { createBroadcastOrder, isBroadcastOneOrder } from '../order/broadcast.js';
import { createEntries, oneAfterAnother, openDatabase, readAll } from '../order/database.js';
import { createStoreOrder } from '../order/store.js';

/**
 * An application that deletes all databases one after another gets them in the order of their names. The register comes first, and a
 * context that loses its register closes this one too.
 */
const ALIVE = 'lockkeeper-running-';
/** How long to wait before a failed watch is tried again: by then all contexts have opened a new connection. */
const WATCH_AGAIN = 100;
/** Set in windows that have opened others. */
const HAS_OPENED = Symbol.for('lockkeeper: has opened a window');

/**
 * @param {string} name the manager's
 * @param {Window & typeof globalThis & {[HAS_OPENED]?: boolean}} window whose life the context shares: this realm's global object, or a
 *   frame's that this realm's script stands in for
 * @returns {import('./place.js').Place}
 */
export const createBrowserPlace = (name, window) => {
  let said = '';

  /** A name of this manager's; Firefox takes no lone surrogates for a database. @param {string} part */
  const named = (part) => `lockkeeper-${part}${name && `-${escape(name)}`}`;

  const sharesEventLoop = () => {
    try {
      // An opener cannot list the windows that it has opened. One of another origin throws, and shares nothing.
      if (window.opener) return (window.opener[HAS_OPENED] = true);
    } catch {
      // See above.
    }
    // A worker has no frames, and no parent.
    return !!(window[HAS_OPENED] || (window.parent && (window.parent !== window || window.length)));
  };
  sharesEventLoop();

  /** @param {() => void} onLost */
  const openRegister = (onLost) => openDatabase(named('register'), onLost, () => true, createEntries);

  return {
    order: isBroadcastOneOrder() ? 'broadcast' : 'store',
    wipeNews: 0,

    openOrder: (kind, onMessage, onGap) => (kind === 'store' ? createStoreOrder : createBroadcastOrder)(named(kind), onMessage, onGap),

    openRegister: (onLost) => openRegister(onLost).then(oneAfterAnother).then(({ transact, close }) => ({
      append: (entry) => transact(entry ? 'readwrite' : 'readonly', (entries) => {
        if (entry) entries.add({ value: entry });
        return readAll(entries);
      }).then(({ result }) => result),
      compact: (key, value) => transact('readwrite', (entries) => {
        entries.put({ key, value });
        entries.delete(IDBKeyRange.upperBound(key, true));
      }),
      close,
    })),

    // A `versionchange` means that another context watches. It is not answered, so the watcher stays blocked while this context lives.
    async holdAlive(alive, onLost) {
      let announced = false;
      // A deletion before that comes from no watcher.
      const connection = await openDatabase(ALIVE + alive, onLost, () => !announced);
      return {
        announced() {
          announced = true;
        },
        close() {
          connection.close();
          // If nobody watches, nobody else would delete it.
          indexedDB.deleteDatabase(ALIVE + alive);
        },
      };
    },

    // The deletion of the database stays blocked until the browser has closed its holder's connection. The holder may also have closed it
    // because the page deletes all databases: then the register is opened only when that is deleted, so after this context's onLost.
    watchAlive(alive, onDeath) {
      let wasHeld = false;
      const watch = () => {
        const again = () => void setTimeout(watch, WATCH_AGAIN);
        const request = indexedDB.deleteDatabase(ALIVE + alive);
        request.onerror = again;
        // Not where the holder's thread is busy: it is asked first.
        request.onblocked = () => {
          wasHeld = true;
        };
        request.onsuccess = () => void openRegister(() => {}).then((connection) => {
          connection.close();
          onDeath(wasHeld);
        }, again);
      };
      watch();
    },

    onLifecycle(listener) {
      const { document } = window;
      /** @param {EventTarget} target @param {string} type @param {import('./lifecycle.js').Lifecycle} [state] */
      const on = (target, type, state) => target.addEventListener(type, (/** @type {Partial<PageTransitionEvent>} */ { persisted }) =>
        listener(state === 'over' && persisted ? 'away' : state || (document.hidden ? 'hidden' : 'visible')));
      if (!document) return;
      on(window, 'pagehide', 'over');
      on(window, 'pageshow', 'visible');
      on(window, 'pageshow');
      on(document, 'visibilitychange');
      on(document, 'freeze', 'frozen');
      on(document, 'resume');
    },

    sharesEventLoop,
    now: () => performance.now(),
    wallClock: () => Date.now(),

    randomId: () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join(''),

    setTimer(callback, milliseconds) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    defer: (callback) => void Promise.resolve().then(callback),
    warn(text) {
      if (text !== said) console.warn(`Lockkeeper: ${text}`);
      said = text;
    },
  };
};
