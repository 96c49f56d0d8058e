/**
 * A semaphore has n slots, each of which is a lock. Waiting requests queue for one more lock, "NAME queue". Only its holder requests slots.
 */
import { show } from '../api/wording.js';
import { hold, reasonOf } from './hold.js';
import { checkCallback, checkName, toPatternOptions } from './options.js';

/**
 * @typedef {import('./options.js').Manager} Manager
 * @typedef {import('./options.js').PatternOptions & {ifAvailable?: boolean}} SlotOptions
 * @typedef {{slot: number, signal: AbortSignal}} Slot
 *
 * @typedef {object} Taken a held slot
 * @property {(work: (slot: Slot) => unknown) => Promise<unknown>} use runs [work], then releases the slot
 */

/** More slots would take minutes and gigabytes: a waiter requests every one of them. */
const MOST = 10000;

/**
 * Requests a slot's lock, and holds it until use() has finished. Resolves with undefined if the lock is not available.
 * @param {Manager} locks
 * @param {string} name
 * @param {number} slot
 * @param {object} options
 * @param {((error: unknown) => void) | undefined} onLost
 * @returns {Promise<Taken | undefined>}
 */
const take = (locks, name, slot, options, onLost) => new Promise((resolve, reject) => {
  /** @type {Promise<unknown>} */
  const done = hold(locks, `${name} slot ${slot + 1}`, options, (lock) => {
    if (!lock) {
      resolve(undefined);
      return undefined;
    }
    return new Promise((end, fail) => {
      resolve({
        use(work) {
          // The lock may have been lost since.
          if (lock.signal.aborted) return done;
          new Promise((settle) => settle(work({ slot, signal: lock.signal }))).then(end, fail);
          return done;
        },
      });
    });
  }, onLost);
  done.catch(reject);
});

/** @param {Taken} taken */
const giveBack = (taken) => void taken.use(() => {});

/** @param {Manager} byDefault */
export const createSemaphore = (byDefault) =>
  /**
   * @param {string} name
   * @param {number} slots
   * @param {import('./options.js').PatternOptions} [given]
   */
  (name, slots, given) => {
    checkName('semaphore', name);
    if (!Number.isInteger(slots) || slots < 1 || slots > MOST) {
      throw new TypeError(`semaphore() needs a whole number of slots, from 1 to ${MOST}, not ${show(slots)}.`);
    }
    const { locks, onLost: onAnyLost } = toPatternOptions('semaphore', given, ['locks', 'onLost'], byDefault);
    const all = Array.from({ length: slots }, (_, index) => index);

    /** Tries one slot after the other, so that a request never holds two, even for a moment. @param {SlotOptions['onLost']} onLost */
    const takeFree = async (onLost) => {
      for (const slot of all) {
        const taken = await take(locks, name, slot, { ifAvailable: true }, onLost);
        if (taken) return taken;
      }
      return undefined;
    };

    /** Takes the first free slot. @param {AbortSignal} signal @param {SlotOptions['onLost']} onLost @returns {Promise<Taken>} */
    const takeFirst = (signal, onLost) => new Promise((resolve, reject) => {
      const enough = new AbortController();
      const stop = () => enough.abort(reasonOf(signal));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
      let first = true;
      const finish = () => {
        first = false;
        enough.abort();
      };
      for (const slot of all) {
        take(locks, name, slot, { signal: enough.signal }, onLost).then((taken) => {
          if (!taken) return;
          if (first) {
            finish();
            resolve(taken);
          } else giveBack(taken);
        }, (error) => {
          finish();
          reject(error);
        });
      }
    });

    return {
      name,
      slots,

      /**
       * request(callback) or request(options, callback).
       * @param {...unknown} args
       * @returns {Promise<unknown>}
       */
      async request(...args) {
        const [options, callback] = /** @type {[SlotOptions | undefined, (slot: Slot | null) => unknown]} */ (
          args.length > 1 ? args : [undefined, args[0]]);
        checkCallback('request', callback, options);
        const known = ['ifAvailable', 'signal', 'onLost'];
        const { signal, ifAvailable, onLost = onAnyLost } = toPatternOptions('request', options, known, locks);
        if (signal && signal.aborted) throw reasonOf(signal);
        if (ifAvailable) {
          const free = await takeFree(onLost);
          if (signal && signal.aborted) {
            if (free) giveBack(free);
            throw reasonOf(signal);
          }
          return free ? free.use(callback) : callback(null);
        }

        // Waiting ends when the signal aborts, or when the place in the queue is lost.
        const waiting = new AbortController();
        const stop = () => waiting.abort(signal && reasonOf(signal));
        if (signal) signal.addEventListener('abort', stop);
        /** @type {Taken | undefined} */
        let taken;
        let over = false;
        try {
          await locks.request(`${name} queue`, { signal: waiting.signal }, async () => {
            const got = await takeFree(onLost) || await takeFirst(waiting.signal, onLost);
            if (over) giveBack(got);
            else taken = got;
          });
          if (signal && signal.aborted) throw reasonOf(signal);
        } catch (error) {
          over = true;
          if (taken) giveBack(taken);
          waiting.abort(error);
          throw error;
        } finally {
          if (signal) signal.removeEventListener('abort', stop);
        }
        return /** @type {Taken} */ (/** @type {unknown} */ (taken)).use(callback);
      },
    };
  };
