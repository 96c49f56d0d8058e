/**
 * A worker whose page enters the back-forward cache is frozen there. Nobody tells it, neither before nor afterwards, and its connections
 * stay open. What follows differs (docs/browsers.md has the measurements):
 *
 * - Chromium drops the page from the cache if somebody watches its worker. So nothing is to be done.
 * - Firefox keeps the page, and so does Chromium if the worker is shared. Then the worker is a member that does not answer. So it leaves
 *   when it has nothing left to do, as hidden pages do. In Firefox it also holds a native lock while it is a member, where there are any: a
 *   page with such a lock does not enter the cache.
 * - WebKit closes the worker's connection as soon as somebody begins to watch it, so others may get its locks. The first event in a worker
 *   that goes on is the `close` of that connection. Then it loses its locks, as a page does that enters the cache.
 */
import { isKnownEngine, isSpiderMonkey } from '../order/broadcast.js';
import { clearTimeout, isSharedWorker, nativeLocks, readClock, setTimeout } from './browser-realm.js';

/** How often a worker in WebKit notes that it is awake, in milliseconds. */
const BEAT = 250;
/** If it has noted nothing for this many milliseconds, it was frozen, or has computed for as long. */
const FROZEN = 600;

/** Whether the page stays in the cache although somebody watches the worker. */
const mayStay = () => isSpiderMonkey() || (isKnownEngine() && isSharedWorker);

/** One of a script, such as another copy of this library, keeps no page out of the cache. */
const hasNativeLocks = () => !!nativeLocks && /\[native code\]/.test(Function.prototype.toString.call(nativeLocks.request));

export const createCachedWorker = () => {
  /** @type {(state: import('./lifecycle.js').Lifecycle) => void} */
  let tell = () => {};

  return {
    /** @param {typeof tell} listener */
    onLifecycle(listener) {
      tell = listener;
      if (mayStay()) tell('hidden');
    },

    /** From now on this context seems to live, as others see it. @param {string} name was never used before */
    live(name) {
      /** @type {() => void} */
      let releaseGuard = () => {};
      const over = new Promise((resolve) => {
        releaseGuard = () => resolve(undefined);
      });
      if (isSpiderMonkey() && hasNativeLocks()) nativeLocks.request(name, () => over).catch(() => {});

      let awake = 0;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const beat = () => {
        awake = readClock();
        timer = setTimeout(beat, BEAT);
      };
      if (!isKnownEngine()) beat();

      return {
        /** The browser has closed the connection by which others see that it lives. */
        closed() {
          if (!timer || readClock() - awake < FROZEN) return;
          tell('away');
          tell('visible');
        },

        end() {
          clearTimeout(timer);
          releaseGuard();
        },
      };
    },
  };
};
