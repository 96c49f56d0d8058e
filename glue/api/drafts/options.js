/** The options of the drafts' faces, converted in WebIDL's way: in the order of their names, each before the next is read. */
import { LONGEST_TIMER } from '../../log/clock.js';
import { toDictionary, toMode, toSignal } from '../idl.js';
import { show } from '../wording.js';

/**
 * @typedef {object} DraftOptions
 * @property {number} [hold] milliseconds; Infinity: for ever
 * @property {boolean} [ifAvailable]
 * @property {'exclusive' | 'shared'} mode
 * @property {((waiter: import('./contention.js').Waiter) => void) | undefined} [onContention]
 * @property {AbortSignal | undefined} [signal]
 * @property {number} [timeout] milliseconds; Infinity: for ever
 * @property {boolean} [isDetached] no option of the user: the held lock keeps no thread of Node alive
 */

/**
 * Whole milliseconds, rounded up; what is longer than any timer, or not given, is for ever. What merely converts to 0, such as null, is
 * refused: it would try once where its caller meant to wait for ever.
 * @param {string} option
 * @param {unknown} value
 */
const toDuration = (option, value) => {
  if (value === undefined) return Infinity;
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const duration = isNumeric ? Math.ceil(Number(value)) : NaN;
  if (!(duration >= 0)) throw new TypeError(`The option ${option} must be a number of milliseconds, 0 or more, not ${show(value)}.`);
  return duration > LONGEST_TIMER ? Infinity : duration;
};

/** @param {unknown} value @returns {DraftOptions['onContention']} */
const toListener = (value) => {
  if (value === undefined || typeof value === 'function') return /** @type {DraftOptions['onContention']} */ (value);
  throw new TypeError(`The option onContention must be a function, not ${show(value)}.`);
};

/**
 * @param {import('../environment.js').Realm} global
 * @param {unknown} value
 * @returns {DraftOptions}
 */
export const toOptions = (global, value) => {
  const dictionary = toDictionary(value);
  return {
    hold: toDuration('hold', dictionary.hold),
    ifAvailable: Boolean(dictionary.ifAvailable),
    mode: toMode(dictionary.mode),
    onContention: toListener(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration('timeout', dictionary.timeout),
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
    hold: toDuration('hold', dictionary.hold),
    mode: converted,
    onContention: toListener(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration('timeout', dictionary.timeout),
  };
};
