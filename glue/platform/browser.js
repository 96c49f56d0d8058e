/**
 * What a browser offers to the log, for windows and workers alike. docs/browsers.md has the measurements behind it. Nothing here
 * runs before the first request.
 */
import { AWAY, FROZEN, HIDDEN, OVER, VISIBLE } from './lifecycle.js';

const ALIVE = 'lockkeeper-alive-';
const STORE = 'register';
/** So many of others' messages in a row make a channel for sending an idle one. */
const IDLE = 8;
/** How long to wait before a failed watch is tried again: by then everybody has opened a new connection. */
const WATCH_AGAIN = 100;

/**
 * A connection to a database, which is made if it is not there.
 * @param {string} name
 * @param {() => void} onLost
 * @returns {Promise<IDBDatabase>}
 */
const connect = (name, onLost) => new Promise((resolve, reject) => {
  const opening = indexedDB.open(name);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  opening.onsuccess = () => {
    opening.result.onclose = onLost;
    resolve(opening.result);
  };
  opening.onerror = () => reject(opening.error);
});

/** @param {IDBTransaction} transaction */
export const abort = (transaction) => {
  try {
    transaction.abort();
  } catch {
    // It has ended, and its event has not come yet.
  }
};

/**
 * @param {string} name the manager's
 * @param {any} window whose life the context shares: this realm's global object, or a frame's that this realm's script stands in for
 * @returns {import('./place.js').Place}
 */
export const createBrowserPlace = (name, window) => {
  /** Transactions under way. @type {Set<IDBTransaction>} */
  const running = new Set();
  /** While the page is frozen. @type {Promise<void> | undefined} */
  let thawed;
  let thaw = () => {};
  let said = '';

  return {
    // Every browser on iOS is WebKit, whatever else it says.
    oneOrder: /Chrom|Gecko\//.test(navigator.userAgent),

    openChannel(onLog, onOperations, onGap) {
      /** @param {string} kind @param {(message: any) => void} onMessage */
      const open = (kind, onMessage) => {
        const channel = new BroadcastChannel(`lockkeeper:${name}:${kind}`);
        channel.onmessage = ({ data }) => onMessage(data);
        return channel;
      };
      /** Those that are open, but that `leading` may be closed. @type {Record<string, any>} */
      const channels = { listener: open('log', onLog) };
      // Of ./browser-storage-channel.js alone.
      channels.listener.ongap = onGap;
      /**
       * An object does not hear what it posts itself; the log must, in the same order as everybody: so it posts on another one. What that
       * one hears is of no use, and takes the browser's time: while others talk and this context does not, it is closed.
       * @param {string} kind
       */
      const postOn = (kind) => (/** @type {any} */ message) => {
        const sender = channels[kind] = channels[kind] || open(kind, () => {
          if (--sender.left) return;
          sender.close();
          delete channels[kind];
        });
        sender.left = IDLE;
        sender.postMessage(message);
      };
      return {
        postLog: postOn('log'),
        postOperations: postOn('operations'),
        listenForOperations(listening) {
          if (channels.leading) channels.leading.close();
          if (listening) channels.leading = open('operations', onOperations);
        },
        close() {
          for (const each in channels) channels[each].close();
        },
      };
    },

    // One record of one small database, read and written in one readwrite transaction. It counts once the transaction is complete.
    async openRegister(onLost) {
      const database = await connect('lockkeeper', onLost);
      /** @type {import('./place.js').Register} */
      const register = {
        transact: (change) => thawed ? thawed.then(() => register.transact(change)) : new Promise((resolve, reject) => {
          const transaction = database.transaction(STORE, 'readwrite');
          const store = transaction.objectStore(STORE);
          running.add(transaction);
          const read = store.get(name);
          read.onsuccess = () => {
            const changed = change(read.result);
            if (changed) store.put(changed, name);
            transaction.oncomplete = () => {
              running.delete(transaction);
              resolve(changed || read.result);
            };
          };
          transaction.onabort = () => {
            if (running.delete(transaction)) reject(transaction.error);
            else resolve(register.transact(change));
          };
        }),
        close(hurried) {
          // In WebKit the transactions of a page in its back-forward cache stay open, and keep everybody else's waiting.
          if (hurried) running.forEach(abort);
          database.close();
        },
      };
      return register;
    },

    // A `versionchange` means that somebody watches; it is not answered, and the watcher stays blocked while this context lives.
    async holdAlive(alive, onLost) {
      const database = await connect(ALIVE + alive, onLost);
      return {
        close() {
          database.close();
          // Where nobody watches, nobody else would take it away.
          indexedDB.deleteDatabase(ALIVE + alive);
        },
      };
    },

    // The deletion of the database stays blocked until the browser has closed its holder's connection.
    watchAlive(alive, onDeath) {
      const watch = () => {
        const request = indexedDB.deleteDatabase(ALIVE + alive);
        request.onsuccess = onDeath;
        request.onerror = () => void setTimeout(watch, WATCH_AGAIN);
      };
      watch();
    },

    onLifecycle(listener) {
      const { document } = window;
      /** @param {any} target @param {string} type @param {import('./lifecycle.js').Lifecycle} [state] */
      const on = (target, type, state) => target.addEventListener(type, (/** @type {any} */ { persisted }) => {
        thaw();
        thawed = undefined;
        if (state === FROZEN) {
          // The page still hears messages, but its transactions would stand still, and everybody else's behind them.
          thawed = new Promise((resolve) => {
            thaw = resolve;
          });
          running.forEach(abort);
          running.clear();
        }
        listener(state === OVER && persisted ? AWAY : state || (document.hidden ? HIDDEN : VISIBLE));
      });
      if (!document) return;
      on(window, 'pagehide', OVER);
      on(window, 'pageshow');
      on(document, 'visibilitychange');
      on(document, 'freeze', FROZEN);
      on(document, 'resume');
    },

    // A worker has no frames, and no parent.
    sharesEventLoop: () => window.parent && (window.parent !== window || window.length),
    now: () => performance.now(),
    wallClock: () => Date.now(),

    randomId: () => crypto.getRandomValues(new Uint32Array(4)).join('-'),

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
