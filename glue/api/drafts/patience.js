import { LONGEST_TIMER } from '../../log/clock.js';
import { createException } from '../environment.js';
import { follow } from '../follow.js';
import { unanswered } from '../wording.js';

/**
 * Once a request is in the log, the core ends its wait in time. If it never gets there (storage does not open, no member answers), this
 * context's own clock ends the wait, this many milliseconds after the timeout.
 */
const GRACE = 2000;

/**
 * The part of an AbortSignal that requestLock() needs. It aborts when [signal] does, or when [timeout] and GRACE are over.
 *
 * @param {import('../environment.js').Environment} environment
 * @param {AbortSignal | undefined} signal
 * @param {number} timeout
 * @param {readonly string[]} scope
 * @returns {AbortSignal | undefined}
 */
export const withPatience = (environment, signal, timeout, scope) => {
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
        over = createException(environment, 'TimeoutError', unanswered(scope));
        listener();
      }, timeout + GRACE);
      // In Node, this timer must not keep the process alive. The log decides that.
      if (timer && timer.unref) timer.unref();
    },
    removeEventListener() {
      stopFollowing();
      global.clearTimeout(timer);
    },
  }));
};
