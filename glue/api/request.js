import { IS_PACKAGE } from '#edition';
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

/** @param {Environment} environment @param {import('../log/types.js').Outcome} outcome of a request that its owner had not ended */
const endException = (environment, outcome) => {
  // navigator.locks asks for nothing that ends with time.
  if (IS_PACKAGE && outcome === 'expired') return createException(environment, 'TimeoutError', 'Time is over');
  return createException(environment, 'AbortError', outcome === 'lost' ? 'Locks lost' : 'Lock stolen or forced');
};

/**
 * Inside an executor, what the callback throws rejects as it is, and what it returns is adopted, thenables included.
 * @template Handle
 * @param {(handle: Handle) => unknown} callback
 * @param {Handle} handle
 */
const run = (callback, handle) => new Promise((settle) => settle(callback(handle)));

/**
 * The standard's "request a lock": asks the log, follows the signal, calls the callback, and lets go when that has settled.
 *
 * @template Handle
 * @param {Environment} environment
 * @param {LockLog} log
 * @param {RequestDescription} description
 * @param {AbortSignal | undefined} signal
 * @param {(fence: number, description: RequestDescription) => Handle} createHandle makes what the callback is given
 * @param {(handle: Handle | null) => unknown} callback
 * @returns {Promise<unknown>} settles as the callback's result does, once the lock has been let go
 */
export const requestLock = (environment, log, description, signal, createHandle, callback) => {
  // There may be very many requests in a queue: each has one scope here, and no closure that it may not need.
  let resolve = /** @type {(value: unknown) => void} */ (/** @type {unknown} */ (undefined));
  let reject = resolve;
  // The callback, if it runs, goes on after that; how it settles is nobody's business any more.
  let ended = false;
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });

  const request = log.request(description, (outcome, fence, reason) => {
    if (abort) {
      // Somebody may have kept the event from us.
      if (outcome === 'granted' && abort()) return;
      signal.removeEventListener('abort', abort);
    }
    if (outcome === 'granted') {
      const settled = (/** @type {(value: any) => void} */ settle) => (/** @type {any} */ value) => {
        if (!ended) log.drop(request);
        settle(value);
      };
      run(callback, createHandle(fence, description)).then(settled(resolve), settled(reject));
    } else if (outcome === 'unavailable') resolve(run(callback, null));
    else {
      ended = true;
      reject(reason || endException(environment, outcome));
    }
  });

  // Anybody can dispatch an event of that name; only the signal's state counts.
  /** @type {any} */
  const abort = signal && (() => {
    if (!signal.aborted) return false;
    signal.removeEventListener('abort', abort);
    log.drop(request);
    reject(abortReason(environment, signal));
    return true;
  });
  if (abort) signal.addEventListener('abort', abort);
  return promise;
};
