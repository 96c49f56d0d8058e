/**
 * A worker whose page is frozen, or enters the back-forward cache, is frozen with it. It gets no event before or after, and its connections
 * stay open (docs/browsers.md has the measurements). A frozen member answers no newcomer, so a worker leaves when it has nothing left to
 * do, as hidden pages do. In the cache, browsers differ:
 *
 * - Chromium drops the page from the cache if another context watches its worker, unless the worker is shared.
 * - Firefox keeps the page. But a page whose worker holds a native lock does not enter the cache. So a worker holds one while it is a
 *   member, if native locks exist.
 * - WebKit closes a dedicated worker's connection as soon as another context begins to watch it, so others may get its locks. When the
 *   worker runs again, its first event is the `close` of that connection, and it loses its locks like a page that enters the cache. So it
 *   need not leave.
 */
import { isKnownEngine, isSpiderMonkey } from './engine.js';
import { clearTimeout, isSharedWorker, nativeLocks, readClock, setTimeout } from './browser-realm.js';

/** How long a worker with nothing left to do stays a member, in milliseconds. Chromium freezes pages only after minutes. */
const IDLE = 1000;
const IDLE_UNTIL_FROZEN = 10000;
/** How often a worker in WebKit notes that it is awake, in milliseconds. */
const BEAT = 250;
/** If it has noted nothing for this many milliseconds, it was frozen, or has computed for that long. */
const FROZEN = 600;

/** Locks of a script, such as another copy of this library, keep no page out of the cache. */
const hasNativeLocks = () => !!nativeLocks && /\[native code\]/.test(Function.prototype.toString.call(nativeLocks.request));

/** Holds a native lock. @param {string} name @returns {() => void} releases it, also if it is granted later */
const holdNativeLock = (name) => {
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  /** @type {LockManager} */ (nativeLocks).request(name, () => released).catch(() => {});
  return release;
};

/** Notes from time to time that this worker is awake. */
const createBeat = () => {
  let awake = 0;
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const beat = () => {
    awake = readClock();
    timer = setTimeout(beat, BEAT);
  };
  beat();
  return {
    wasFrozen: () => readClock() - awake >= FROZEN,
    end: () => clearTimeout(timer),
  };
};

/**
 * One life of the worker, as others see it.
 *
 * @typedef {object} Life
 * @property {() => void} closed the browser has closed the connection that shows others that it lives
 * @property {() => void} end
 */

export const createFrozenWorker = () => {
  /** @type {(state: import('./lifecycle.js').Lifecycle) => void} */
  let tell = () => {};

  return {
    idle: isSpiderMonkey() || isSharedWorker ? IDLE : IDLE_UNTIL_FROZEN,

    /** @param {typeof tell} listener */
    onLifecycle(listener) {
      tell = listener;
      if (isKnownEngine() || isSharedWorker) tell('hidden');
    },

    /** @param {string} name was never used before @returns {Life} */
    live(name) {
      const releaseNative = isSpiderMonkey() && hasNativeLocks() ? holdNativeLock(name) : () => {};
      const beat = isKnownEngine() ? undefined : createBeat();
      return {
        closed() {
          if (!beat || !beat.wasFrozen()) return;
          tell('away');
          tell('visible');
          if (isSharedWorker) tell('hidden');
        },
        end() {
          if (beat) beat.end();
          releaseNative();
        },
      };
    },
  };
};
