import { IS_PACKAGE } from '#edition';
import { notACallback, notAMode, notASignal, notAString, notOptions, tooFewArguments, tooLong } from './wording.js';

/** How many UTF-16 code units a name may have. Every context keeps each name, so a longer one could exhaust the memory of all. */
const LONGEST = 2 ** 20;

/**
 * WebIDL's conversion of request()'s arguments: what is read, in which order, and what is refused. The functions here throw, and request()
 * turns that into rejections.
 *
 * @typedef {object} LockOptions converted; absent members have their defaults
 * @property {boolean} ifAvailable
 * @property {'exclusive' | 'shared'} mode
 * @property {AbortSignal | undefined} signal
 * @property {boolean} steal
 */

/**
 * DOMString: any UTF-16 code units, but not more than LONGEST. A symbol throws a TypeError; with String() it would not.
 * @param {unknown} value
 * @param {string} [what] the value is, for the error's message
 */
export const toDOMString = (value, what = 'name') => {
  if (IS_PACKAGE && typeof value === 'symbol') throw new TypeError(notAString(what, value));
  const text = `${value}`;
  if (text.length > LONGEST) throw new TypeError(tooLong(what, LONGEST, text.length));
  return text;
};

/**
 * @param {unknown} [value]
 * @returns {'exclusive' | 'shared'}
 */
export const toMode = (value = 'exclusive') => {
  const mode = toDOMString(value, 'lock mode');
  if (mode !== 'exclusive' && mode !== 'shared') throw new TypeError(notAMode(mode));
  return mode;
};

/**
 * The getter `aborted` of this realm's AbortSignal works on signals of every realm, and throws for anything else. A polyfilled
 * AbortSignal may have a plain property instead.
 * @param {import('./environment.js').Realm} global
 * @param {unknown} value
 * @returns {AbortSignal | undefined}
 */
export const toSignal = (global, value) => {
  if (value === undefined) return undefined;
  const { AbortSignal } = global;
  const getter = AbortSignal && Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted');
  try {
    const signal = /** @type {AbortSignal} */ (value);
    if (typeof (getter ? /** @type {Function} */ (getter.get).call(signal) : signal.aborted) === 'boolean') return signal;
  } catch {
    // The getter has refused it: it is not a signal.
  }
  throw new TypeError(notASignal(value));
};

/**
 * @param {unknown} value may be a function
 * @param {unknown} [options] the argument before it, for the error's message
 * @returns {(argument: unknown) => unknown}
 */
export const toCallback = (value, options) => {
  if (typeof value !== 'function') throw new TypeError(notACallback(value, options));
  return /** @type {(argument: unknown) => unknown} */ (value);
};

/** Stands for an absent dictionary. */
const EMPTY = /** @type {Record<string, unknown>} */ (Object.freeze(Object.create(null)));

/** The object from which a dictionary's members are read. @param {unknown} value may be an object @returns {Record<string, unknown>} */
export const toDictionary = (value) => {
  if (value === undefined || value === null) return EMPTY;
  if (Object(value) !== value) throw new TypeError(notOptions(value));
  return /** @type {Record<string, unknown>} */ (value);
};

/**
 * Reads the members in the order of their names, and converts each before it reads the next, as WebIDL does.
 * @param {import('./environment.js').Realm} global
 * @param {unknown} value
 * @returns {LockOptions}
 */
const toLockOptions = (global, value) => {
  const dictionary = toDictionary(value);
  return {
    ifAvailable: !!dictionary.ifAvailable,
    mode: toMode(dictionary.mode),
    signal: toSignal(global, dictionary.signal),
    steal: !!dictionary.steal,
  };
};

/**
 * Only the number of arguments distinguishes (name, callback) from (name, options, callback).
 * @param {import('./environment.js').Realm} global
 * @param {Iterable<unknown> & ArrayLike<unknown>} given
 * @returns {{name: string, options: LockOptions, callback: (lock: unknown) => unknown}}
 */
export const toRequestArguments = (global, given) => {
  if (given.length < 2) throw new TypeError(tooFewArguments('request', 'a name and a callback', given.length));
  const [name, options, callback] = given.length > 2 ? given : [given[0], undefined, given[1]];
  return { name: toDOMString(name), options: toLockOptions(global, options), callback: toCallback(callback, options) };
};
