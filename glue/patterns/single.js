/** Patterns for a single lock: tryAcquire(), isLocked(), withTimeout(). */
import { show } from '../api/wording.js';
import { LONGEST_TIMER } from '../log/clock.js';
import { hold, reasonOf } from './hold.js';
import { checkCallback, checkName, toPatternOptions } from './options.js';

/**
 * @typedef {import('./options.js').Manager} Manager
 * @typedef {import('./hold.js').HeldLock} HeldLock
 * @typedef {import('./options.js').PatternOptions & {mode?: 'exclusive' | 'shared'}} SingleOptions
 *
 * @typedef {HeldLock & {released: Promise<void>, release: () => void}} Handle
 */

const ACQUIRE = ['locks', 'mode', 'onLost'];

/** @param {Manager} byDefault */
export const createTryAcquire = (byDefault) =>
  /**
   * @param {string} name
   * @param {SingleOptions} [given]
   * @returns {Promise<Handle | null>}
   */
  async (name, given) => {
    checkName('tryAcquire', name);
    const { locks, mode, onLost } = toPatternOptions('tryAcquire', given, ACQUIRE, byDefault);
    return new Promise((resolve, reject) => {
      const done = hold(locks, name, { mode, ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(null);
          return undefined;
        }
        return new Promise((end) => {
          const release = () => end(undefined);
          const released = Promise.resolve().then(() => done);
          // Ignoring it never causes an unhandled rejection.
          released.catch(() => {});
          const handle = { ...lock, released, release };
          const dispose = () => {
            release();
            return released.catch(() => {});
          };
          resolve(Symbol.asyncDispose ? Object.assign(handle, { [Symbol.asyncDispose]: dispose }) : handle);
        });
      }, onLost);
      done.catch(reject);
    });
  };

/** @param {Manager} byDefault */
export const createIsLocked = (byDefault) =>
  /**
   * @param {string} name
   * @param {SingleOptions} [given]
   */
  async (name, given) => {
    checkName('isLocked', name);
    const { held = [] } = await toPatternOptions('isLocked', given, ['locks'], byDefault).locks.query();
    return held.some((each) => each.name === `${name}`);
  };

/** @param {unknown} milliseconds */
const checkTimeout = (milliseconds) => {
  if (typeof milliseconds === 'number' && milliseconds >= 0) return;
  throw new TypeError(`withTimeout() needs a number of milliseconds, 0 or more, not ${show(milliseconds)}.`);
};

/** @param {Manager} byDefault */
export const createWithTimeout = (byDefault) =>
  /**
   * withTimeout(name, milliseconds, callback) or withTimeout(name, milliseconds, options, callback).
   * @param {string} name
   * @param {number} milliseconds
   * @param {...unknown} args
   * @returns {Promise<unknown>}
   */
  async (name, milliseconds, ...args) => {
    checkName('withTimeout', name);
    checkTimeout(milliseconds);
    const [given, callback] = /** @type {[SingleOptions | undefined, (lock: HeldLock | null) => unknown]} */ (
      args.length > 1 ? args : [undefined, args[0]]);
    checkCallback('withTimeout', callback, given);
    const { locks, mode, signal, onLost } = toPatternOptions('withTimeout', given, [...ACQUIRE, 'signal'], byDefault);
    if (signal && signal.aborted) throw reasonOf(signal);

    const late = () => new DOMException(`The lock on ${show(name)} was not granted within ${milliseconds} ms.`, 'TimeoutError');
    if (milliseconds === 0) {
      return hold(locks, name, { mode, ifAvailable: true }, (lock) => {
        if (signal && signal.aborted) throw reasonOf(signal);
        if (!lock) throw late();
        return callback(lock);
      }, onLost);
    }

    const waiting = new AbortController();
    const stop = () => waiting.abort(signal && reasonOf(signal));
    if (signal) signal.addEventListener('abort', stop);
    const timer = milliseconds > LONGEST_TIMER ? undefined : setTimeout(() => waiting.abort(late()), milliseconds);
    const stopWaiting = () => {
      clearTimeout(timer);
      if (signal) signal.removeEventListener('abort', stop);
    };
    try {
      return await hold(locks, name, { mode, signal: waiting.signal }, (lock) => {
        stopWaiting();
        return callback(lock);
      }, onLost);
    } finally {
      stopWaiting();
    }
  };
