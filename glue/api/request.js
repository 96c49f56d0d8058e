import { ABORTED, ending } from './wording.js';
import { createException } from './environment.js';
import { follow } from './follow.js';
import { callWithStack } from './stack.js';

/**
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').RequestDescription} RequestDescription
 * @typedef {import('./environment.js').Environment} Environment
 */

/**
 * The signal's reason. Signals of older browsers have none.
 * @param {Environment} environment
 * @param {AbortSignal} signal
 */
export const abortReason = (environment, signal) => {
  const { reason } = signal;
  return reason === undefined ? createException(environment, 'AbortError', ABORTED) : reason;
};

/**
 * Calls [callback] inside an executor: an error becomes a rejection, and a returned promise or thenable is followed.
 * @template Handle
 * @param {(handle: Handle) => unknown} callback
 * @param {Handle} handle
 */
const run = (callback, handle) => new Promise((settle) => settle(callback(handle)));

/**
 * The standard's "request a lock": asks the log, follows the signal, calls the callback, and releases the lock when that has settled.
 *
 * @template Handle
 * @param {Environment} environment
 * @param {LockLog} log
 * @param {RequestDescription} description
 * @param {AbortSignal | undefined} signal
 * @param {(fence: number, description: RequestDescription) => Handle} createHandle makes the object that the callback gets
 * @param {(handle: Handle | null) => unknown} callback
 * @returns {Promise<unknown>} settles as the callback's result does, once the lock has been released
 */
export const requestLock = (environment, log, description, signal, createHandle, callback) => {
  // A queue may have very many requests, so each has one scope here, and as few closures as possible.
  let resolve = /** @type {(value: unknown) => void} */ (/** @type {unknown} */ (undefined));
  let reject = resolve;
  let held = false;
  // Set when the lock is lost. The callback continues then, but how it settles no longer matters.
  let ended = false;
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });

  const request = log.request(description, (outcome, fence, reason) => {
    // Another listener may have stopped the signal's event before it reached ours.
    if (outcome === 'granted' && signal && signal.aborted) {
      abort();
      return;
    }
    stopFollowing();
    if (outcome === 'granted') {
      held = true;
      const settled = (/** @type {(value: unknown) => void} */ settle) => (/** @type {unknown} */ value) => {
        if (!ended) log.drop(request);
        settle(value);
      };
      run(callback, createHandle(fence, description)).then(settled(resolve), settled(reject));
    } else if (outcome === 'unavailable') resolve(run(callback, null));
    else {
      ended = true;
      reject(reason || createException(environment, ...ending(outcome, description.names, held)));
    }
  });

  const abort = () => {
    stopFollowing();
    log.drop(request);
    reject(abortReason(environment, /** @type {AbortSignal} */ (signal)));
  };
  const stopFollowing = signal ? follow(signal, () => callWithStack(abort)) : () => {};
  return promise;
};
