/** The options of the drafts' functions. As in WebIDL, each is converted before the next one is read, in the order of their names. */
import { LONGEST_TIMER } from '../../log/clock.js';
import { toDictionary, toDOMString, toMode, toSignal } from '../idl.js';
import { checkKnown } from '../known-options.js';
import { notOptions, show } from '../wording.js';

/**
 * @typedef {object} DraftOptions
 * @property {number} [hold] milliseconds; Infinity: for ever
 * @property {boolean} [ifAvailable]
 * @property {'exclusive' | 'shared'} mode
 * @property {((waiter: import('./contention.js').Waiter) => void) | undefined} [onContention]
 * @property {AbortSignal | undefined} [signal]
 * @property {number} [timeout] milliseconds; Infinity: for ever
 * @property {boolean} [isDetached] not for users: the held lock does not keep a thread of Node alive
 */

/**
 * Whole milliseconds, rounded up. An absent duration, or one longer than any timer, means for ever. Values that only convert to 0, such as
 * null, are refused: they would mean "try once", but the caller probably meant "wait for ever".
 * @param {string} option
 * @param {unknown} value
 */
const toDuration = (option, value) => {
  if (value === undefined) return Infinity;
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const duration = isNumeric ? Number(value) : NaN;
  if (!(duration >= 0)) throw new TypeError(`The option ${option} must be a number of milliseconds, 0 or more, not ${show(value)}.`);
  return duration > LONGEST_TIMER ? Infinity : Math.ceil(duration);
};

/** @param {unknown} value @returns {DraftOptions['onContention']} */
const toListener = (value) => {
  if (value === undefined || typeof value === 'function') return /** @type {DraftOptions['onContention']} */ (value);
  throw new TypeError(`The option onContention must be a function, not ${show(value)}.`);
};

const FLAG = ['hold', 'onContention', 'signal', 'timeout'];
const ALL = ['hold', 'ifAvailable', 'mode', 'onContention', 'signal', 'timeout'];

/** @param {string} operation the operation's name @param {unknown} value @param {string[]} known the names of its options */
const toKnown = (operation, value, known) => {
  if (typeof value === 'function') throw new TypeError(notOptions(value));
  const dictionary = toDictionary(value);
  checkKnown(operation, dictionary, known);
  return dictionary;
};

/**
 * @param {import('../environment.js').Realm} global
 * @param {string} operation
 * @param {unknown} value
 * @returns {DraftOptions}
 */
export const toOptions = (global, operation, value) => {
  const dictionary = toKnown(operation, value, ALL);
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
 * The options of a flag. Its mode is a separate, mandatory argument.
 * @param {import('../environment.js').Realm} global
 * @param {unknown} mode
 * @param {unknown} value
 * @returns {DraftOptions}
 */
export const toFlagOptions = (global, mode, value) => {
  const converted = toMode(toDOMString(mode, 'lock mode'));
  const dictionary = toKnown('requestFlag', value, FLAG);
  return {
    hold: toDuration('hold', dictionary.hold),
    mode: converted,
    onContention: toListener(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration('timeout', dictionary.timeout),
  };
};
