/** The options of the drafts' faces, converted in WebIDL's way: in the order of their names, each before the next is read. */
import { LONGEST_TIMER } from '../../log/clock.js';
import { toCallback, toDictionary, toMode, toSignal } from '../idl.js';

/**
 * @typedef {object} DraftOptions
 * @property {number} [hold] milliseconds; Infinity: for ever
 * @property {boolean} [ifAvailable]
 * @property {'exclusive' | 'shared'} mode
 * @property {((waiter: import('./contention.js').Waiter) => void) | undefined} [onContention]
 * @property {AbortSignal | undefined} [signal]
 * @property {number} [timeout] milliseconds; Infinity: for ever
 */

/** Whole milliseconds, rounded up; what is longer than any timer, or not given, is for ever. @param {unknown} value */
const toDuration = (value) => {
  if (value === undefined) return Infinity;
  const duration = Math.ceil(Number(value));
  if (!(duration >= 0)) throw new TypeError(`Not a duration: ${String(value)}`);
  return duration > LONGEST_TIMER ? Infinity : duration;
};

/** @param {unknown} value */
const toOptionalCallback = (value) => value === undefined ? value : toCallback(value);

/**
 * @param {import('../environment.js').Realm} global
 * @param {unknown} value
 * @returns {DraftOptions}
 */
export const toOptions = (global, value) => {
  const dictionary = toDictionary(value);
  return {
    hold: toDuration(dictionary.hold),
    ifAvailable: Boolean(dictionary.ifAvailable),
    mode: toMode(dictionary.mode),
    onContention: toOptionalCallback(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration(dictionary.timeout),
  };
};

/**
 * A flag's, whose mode is an argument of its own and cannot be left out.
 * @param {import('../environment.js').Realm} global
 * @param {unknown} mode
 * @param {unknown} value
 * @returns {DraftOptions}
 */
export const toFlagOptions = (global, mode, value) => {
  const converted = toMode(`${mode}`);
  const dictionary = toDictionary(value);
  return {
    hold: toDuration(dictionary.hold),
    mode: converted,
    onContention: toOptionalCallback(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration(dictionary.timeout),
  };
};
