/**
 * The place of the log in browsers (see ./place.js), in windows and workers. docs/browsers.md has the measurements behind it. Loading this
 * module has no side effects.
 */
import { createBroadcastOrder, isBroadcastOneOrder } from '../order/broadcast.js';
import { createEntries, oneAfterAnother, openDatabase } from '../order/database.js';
import { createStoreOrder } from '../order/store.js';
import {
  BroadcastChannel, IDBKeyRange, MessageChannel, clearTimeout, indexedDB, readClock, readWallClock, setTimeout, takeWhatWasMissing,
} from './browser-realm.js';
import { isSpiderMonkey } from './engine.js';
import { createFrozenWorker } from './frozen-worker.js';
import { createLeftovers, deleteOlder } from './leftovers.js';
import { createLifeUrls } from './life-urls.js';

/**
 * The beginning of the name of the database that shows a context's life. It sorts after the register's name: a page that deletes all
 * databases deletes them in the order of their names, and a context that loses its register closes this database, too.
 */
const ALIVE = 'lockkeeper-running-';
/** Milliseconds before a failed watch is tried again. By then all contexts have opened a new connection. */
const WATCH_AGAIN = 100;
/**
 * How long to wait before comparing a watch with the deletion of an unused name, and once more after that deletion, in milliseconds. If the
 * watch is still pending then, its name is held: slow storage delays both deletions alike (docs/browsers.md has the measurements).
 */
const PENDING = 50;
/**
 * A worker may stop in the back-forward cache while it creates the register. In Chromium every `open` then waits for it. If the register
 * has not opened after this many milliseconds, make Chromium drop such a page from the cache (./leftovers.js).
 */
const STUCK = 2000;
/** Set in windows that have opened others. */
const HAS_OPENED = Symbol.for('lockkeeper: has opened a window');

/**
 * The deletion of a name, and its watchers. A failed deletion is tried again.
 * @typedef {object} Watch
 * @property {IDBOpenDBRequest} deletion
 * @property {Map<(wasHeld: boolean) => void, boolean>} watchers whether each has seen the name held
 */

const randomId = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('');

/**
 * @param {string} name the manager's name
 * @param {Window & typeof globalThis & {[HAS_OPENED]?: boolean}} window the context lives as long as this window: this realm's global
 *   object, or that of a blank frame for which this realm's script runs
 * @returns {import('./place.js').Place}
 */
export const createBrowserPlace = (name, window) => {
  let said = '';
  /** This context's latest alive name, and the opening of its database. */
  let ownAlive = '';
  /** @type {Promise<unknown>} */
  let showing = Promise.resolve();
  let hasDropped = false;
  /** The latest order that BroadcastChannel makes. @type {import('./place.js').Order | undefined} */
  let broadcast;
  takeWhatWasMissing();
  const broadcasts = isBroadcastOneOrder();
  // If the user has blocked the site's data, these throw, so that each request rejects: the first in pages, the second in Firefox, also in
  // workers. (A minifier would drop a bare `window.localStorage`.)
  Reflect.get(window, 'localStorage');
  if (broadcasts) new BroadcastChannel(name).close();

  /** The name of a database or channel of this manager. It is escaped, since Firefox refuses lone surrogates. @param {string} part */
  const named = (part) => `lockkeeper-${part}${name && `-${escape(name)}`}`;

  const sharesEventLoop = () => {
    try {
      // A window cannot list the windows that it has opened, so each of them marks its opener. An opener of another origin makes this
      // throw: it shares no locks.
      if (window.opener) return (window.opener[HAS_OPENED] = true);
    } catch {
      // See above.
    }
    // A worker has no frames, and no parent.
    return !!(window[HAS_OPENED] || (window.parent && (window.parent !== window || window.length)));
  };
  // This marks the opener, whose calls are messages of their own from now on (D15).
  sharesEventLoop();

  const worker = window.document ? undefined : createFrozenWorker();
  const lifeUrls = createLifeUrls(window);

  /** The part of an alive name after the time and the random id. @param {string} alive */
  const lifeUrlOf = (alive) => alive.split('-').slice(2).join('-');

  /** @param {string} text */
  const warn = (text) => {
    if (text !== said) console.warn(`Lockkeeper: ${text}`);
    said = text;
  };

  /**
   * The names whose deletion is under way. A deletion cannot be cancelled, so a later watch of the same name waits for the same one.
   * @type {Map<string, Watch>}
   */
  const watches = new Map();

  /** @param {string} alive @param {Watch['watchers']} watchers */
  const begin = (alive, watchers) => {
    const deletion = indexedDB.deleteDatabase(ALIVE + alive);
    deletion.onerror = () => void setTimeout(begin, WATCH_AGAIN, alive, watchers);
    // This event comes late if the holder's thread is busy, since the browser first sends it `versionchange`. And only one context gets the
    // event.
    deletion.onblocked = () => watchers.forEach((_, onDeath) => watchers.set(onDeath, true));
    deletion.onsuccess = () => {
      watches.delete(alive);
      watchers.forEach((wasHeld, onDeath) => onDeath(wasHeld));
    };
    const watch = { deletion, watchers };
    watches.set(alive, watch);
    return watch;
  };

  /** @param {Watch} watch @param {(wasHeld: boolean) => void} onDeath */
  const lookWhetherHeld = ({ deletion, watchers }, onDeath) => {
    const isWatching = () => watchers.has(onDeath) && deletion.readyState === 'pending';
    /** @param {() => void} next */
    const soon = (next) => void setTimeout(() => isWatching() && next(), PENDING);
    soon(() => {
      // Not an `open`: if data is cleared while one is pending, Chromium answers no later `open` of this context.
      indexedDB.deleteDatabase(ALIVE + randomId()).onsuccess = () => soon(() => watchers.set(onDeath, true));
    });
  };

  const dropCached = () => {
    if (hasDropped || !broadcasts || isSpiderMonkey() || !('databases' in indexedDB)) return;
    hasDropped = true;
    void deleteOlder(ALIVE, ownAlive).catch(() => {});
  };

  return {
    order: broadcasts ? 'broadcast' : 'store',

    openOrder(kind, onMessage, onGap) {
      if (kind === 'broadcast' && BroadcastChannel) return broadcast = createBroadcastOrder(named(kind), onMessage, onGap);
      // A script has removed it from this page. Once all other contexts have ended, this one begins a log with its own kind of order.
      if (kind === 'broadcast') warn('BroadcastChannel is missing here; waiting until the pages that use it are closed');
      return createStoreOrder(named('store'), onMessage, onGap);
    },

    async openRegister(onLost) {
      const timer = setTimeout(dropCached, STUCK);
      /** @type {import('../order/database.js').Connection} */
      let connection;
      try {
        // A worker creates its own database first. If it stops while it does so, nobody waits for that. If it stops later, its page can be
        // dropped.
        if (worker) await showing;
        connection = await openDatabase(named('register'), onLost, () => true, createEntries);
      } finally {
        clearTimeout(timer);
      }
      hasDropped = false;
      const { update, close } = oneAfterAnother(connection);
      /** @type {import('./place.js').Register['append']} */
      const append = (change) => /** @type {Promise<any[]>} */ (update(change ? { add: { value: change } } : {}));
      const removeLeftovers = createLeftovers(ALIVE, append);
      return {
        append(change) {
          removeLeftovers();
          return append(change);
        },
        compact: (key, value) => update({ put: { key, value }, remove: IDBKeyRange.upperBound(key, true) }),
        close,
      };
    },

    createAliveName: () => `${readWallClock()}-${randomId()}-${lifeUrls.create()}`,
    endLife: lifeUrls.revoke,
    isLiving: (alive) => lifeUrls.isLiving(lifeUrlOf(alive)),
    hasEnded: (alive, own) => lifeUrls.hasEnded(lifeUrlOf(alive), lifeUrlOf(own)),

    // A `versionchange` means that another context watches this one. Ignore it: that keeps the watcher blocked while this context lives.
    async holdAlive(alive, onLost) {
      ownAlive = alive;
      let announced = false;
      const life = worker && worker.live(ALIVE + alive);
      const closed = () => {
        if (life) life.closed();
        onLost();
      };
      // Nobody can watch the name before it is announced. So an earlier deletion comes from the page, or from ./leftovers.js.
      const opening = openDatabase(ALIVE + alive, closed, () => !announced);
      showing = opening;
      const connection = await opening.catch((error) => {
        if (life) life.end();
        throw error;
      });
      return {
        announced() {
          announced = true;
        },
        close() {
          if (life) life.end();
          connection.close();
          // Nobody may be watching it, and then nobody else would delete it.
          indexedDB.deleteDatabase(ALIVE + alive);
        },
      };
    },

    // The deletion of the database stays blocked until the browser closes its holder's connection.
    watchAlive(alive, onDeath) {
      const watch = watches.get(alive) || begin(alive, new Map());
      watch.watchers.set(onDeath, false);
      lookWhetherHeld(watch, onDeath);
      return () => void watch.watchers.delete(onDeath);
    },

    idle: worker && worker.idle,

    onLifecycle(listener) {
      const { document } = window;
      if (worker) worker.onLifecycle(listener);
      if (!document) return;
      const tellWhetherHidden = () => listener(document.hidden ? 'hidden' : 'visible');
      const tellWhetherAway = (/** @type {Partial<PageTransitionEvent>} */ { persisted }) => {
        // Some user interface libraries dispatch a `pagehide` of their own, when they show another part of the document.
        if (persisted === undefined) return;
        // Firefox drops a page from the back-forward cache if a message reaches it there, even the last one that it has posted itself.
        if (persisted && isSpiderMonkey() && broadcast) broadcast.close();
        listener(persisted ? 'away' : 'over');
      };
      // A page may load in the background.
      if (document.hidden) listener('hidden');
      /** @type {[target: EventTarget, type: string, tell: (event: any) => void][]} */
      const listeners = [
        [window, 'pagehide', tellWhetherAway],
        // The first reports that the page is back, hidden or not. The second reports whether it is hidden.
        [window, 'pageshow', () => listener('visible')],
        [window, 'pageshow', tellWhetherHidden],
        [document, 'visibilitychange', tellWhetherHidden],
        [document, 'freeze', () => listener('frozen')],
        [document, 'resume', tellWhetherHidden],
      ];
      const listen = () => {
        for (const [target, type, tell] of listeners) target.addEventListener(type, tell);
      };
      listen();
      // document.open() removes all listeners, and replaces the document's children. With a store, do not listen again: its own listeners
      // stay removed, and if the page entered the back-forward cache before the entries of its leaving are committed, they would block
      // everybody. A blank frame may be removed in the same task; its log would run on in the page that contains it.
      new MutationObserver(() => {
        if (broadcasts) listen();
        setTimeout(() => window.closed && listener('over'));
      }).observe(document, { childList: true });
    },

    sharesEventLoop,
    now: readClock,
    wallClock: readWallClock,

    randomId,

    setTimer(callback, milliseconds) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    defer: (callback) => void Promise.resolve().then(callback),

    // In hidden pages, a timer may fire once a minute.
    afterTask(callback) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        callback();
      };
      port2.postMessage(0);
    },

    warn,
  };
};
