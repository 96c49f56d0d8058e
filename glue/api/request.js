import { createException } from './environment.js';

/**
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').RequestDescription} RequestDescription
 * @typedef {import('./environment.js').Environment} Environment
 */

/**
 * The signal's own reason. Browsers that know no reason say undefined.
 * @param {Environment} environment
 * @param {AbortSignal} signal
 */
export const abortReason = (environment, signal) => {
  const { reason } = signal;
  return reason === undefined ? createException(environment, 'AbortError', 'Request aborted') : reason;
};

/** @param {Environment} environment @param {'broken' | 'expired' | 'lost'} reason why a request ended that its owner had not ended */
const endException = (environment, reason) => {
  // eslint-disable-next-line no-unused-labels -- the script-tag build asks for nothing that ends with time: see build/bundle.mjs
  PACKAGE: if (reason === 'expired') return createException(environment, 'TimeoutError', 'Time is over');
  return createException(environment, 'AbortError', reason === 'broken' ? 'Lock stolen or forced' : 'Locks lost');
};

/**
 * The standard's "request a lock": asks the log, follows the signal, calls the callback, and lets go when that has settled.
 *
 * @param {Environment} environment
 * @param {LockLog} log
 * @param {RequestDescription} description
 * @param {AbortSignal | undefined} signal
 * @param {(fence: number) => any} createHandle makes what the callback is given
 * @param {(handle: any) => any} callback
 * @returns {Promise<any>} settles as the callback's result does, once the lock has been let go
 */
export const requestLock = (environment, log, description, signal, createHandle, callback) => new Promise((resolve, reject) => {
  let ended = false;
  // Inside an executor, what the callback throws rejects as it is, and what it returns is adopted, thenables included.
  const run = (/** @type {any} */ handle) => new Promise((settle) => settle(callback(handle)));

  const request = log.request(description, {
    granted(fence) {
      // Somebody may have kept the abort event from us.
      if (abort()) return;
      stopFollowing();
      const settled = (/** @type {(value: any) => void} */ settle) => (/** @type {any} */ value) => {
        if (!ended) log.drop(request);
        settle(value);
      };
      run(createHandle(fence)).then(settled(resolve), settled(reject));
    },
    unavailable() {
      stopFollowing();
      resolve(run(null));
    },
    ended(reason) {
      stopFollowing();
      // The callback, if it runs, goes on; how it settles is nobody's business any more.
      ended = true;
      reject(endException(environment, reason));
    },
  });

  // Anybody can dispatch an event of that name; only the signal's state counts.
  const abort = () => {
    if (!signal || !signal.aborted) return false;
    stopFollowing();
    log.drop(request);
    reject(abortReason(environment, signal));
    return true;
  };
  const stopFollowing = () => signal && signal.removeEventListener('abort', abort);
  if (signal) signal.addEventListener('abort', abort);
});
