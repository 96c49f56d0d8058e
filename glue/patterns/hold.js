/**
 * A request that tells its callback of a loss. A native lock does not show that it was stolen, but its request rejects while the callback
 * runs.
 *
 * @typedef {import('./options.js').Manager} Manager
 * @typedef {{name: string, mode: 'exclusive' | 'shared', signal: AbortSignal}} HeldLock
 */

import { ABORTED } from '../api/wording.js';

/**
 * @template T
 * @param {Manager} locks
 * @param {string} name
 * @param {object} options of the request
 * @param {(lock: HeldLock | null) => T} callback
 * @param {(error: unknown) => void} [onLost]
 * @returns {Promise<Awaited<T>>} settles like the request
 */
export const hold = async (locks, name, options, callback, onLost) => {
  let runs = false;
  const loss = new AbortController();
  try {
    return await locks.request(name, options, async (lock) => {
      if (!lock) return callback(null);
      runs = true;
      try {
        return await callback({ name, mode: lock.mode, signal: loss.signal });
      } finally {
        runs = false;
      }
    });
  } catch (error) {
    if (runs) {
      loss.abort(error);
      // An error in the listener must not hide the loss.
      if (onLost) void Promise.resolve(error).then(onLost);
    }
    throw error;
  }
};

/** Early implementations of AbortSignal have no reason. @param {AbortSignal} signal @returns {unknown} */
export const reasonOf = ({ reason }) => reason === undefined ? new DOMException(ABORTED, 'AbortError') : reason;
