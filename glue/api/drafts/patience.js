import { LONGEST_TIMER } from '../../log/clock.js';
import { createException } from '../environment.js';
import { follow } from '../follow.js';

/**
 * The core ends a wait in time, once the request has its place in the log. If it gets none (storage does not open, no member answers), this
 * context's own clock ends it, so many milliseconds later.
 */
const GRACE = 2000;

/**
 * A signal, in as far as requestLock() follows one, that fires when [signal] does or when [timeout] and a grace are over.
 *
 * @param {import('../environment.js').Environment} environment
 * @param {AbortSignal | undefined} signal
 * @param {number} timeout
 * @returns {AbortSignal | undefined}
 */
export const withPatience = (environment, signal, timeout) => {
  if (timeout + GRACE > LONGEST_TIMER) return signal;
  const { global } = environment;
  /** @type {DOMException | undefined} */
  let over;
  /** A number in browsers. @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let stopFollowing = () => {};
  return /** @type {AbortSignal} */ (/** @type {object} */ ({
    get aborted() {
      return over !== undefined || (!!signal && signal.aborted);
    },
    get reason() {
      return over || (signal && signal.reason);
    },
    addEventListener(/** @type {'abort'} */ type, /** @type {() => void} */ listener) {
      if (signal) stopFollowing = follow(signal, listener);
      timer = global.setTimeout(() => {
        const message = 'The lock was not granted within the timeout: the lock manager has not answered.';
        over = createException(environment, 'TimeoutError', message);
        listener();
      }, timeout + GRACE);
      // In Node, what has no answer keeps the process alive no longer than the log itself would.
      if (timer.unref) timer.unref();
    },
    removeEventListener() {
      stopFollowing();
      global.clearTimeout(timer);
    },
  }));
};
