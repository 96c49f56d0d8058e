/**
 * Checks the arguments of the patterns: options, names and callbacks.
 *
 * @typedef {{readonly name: string, readonly mode: 'exclusive' | 'shared'}} ManagerLock
 *
 * @typedef {object} Manager the part of a LockManager that a pattern needs
 * @property {<T>(name: string, options: object, callback: (lock: ManagerLock | null) => T) => Promise<Awaited<T>>} request
 * @property {() => Promise<{held?: {name?: string}[]}>} query
 *
 * @typedef {object} PatternOptions
 * @property {Manager} [locks]
 * @property {AbortSignal} [signal]
 * @property {(error: unknown) => void} [onLost]
 */
import { checkKnown } from '../api/known-options.js';
import { ifSwapped, show } from '../api/wording.js';

/**
 * @template {PatternOptions} Options
 * @param {string} pattern the pattern's name
 * @param {Options | undefined} options
 * @param {string[]} known the names of its options
 * @param {Manager} byDefault
 * @returns {Options & {locks: Manager}}
 */
export const toPatternOptions = (pattern, options, known, byDefault) => {
  if (options !== undefined && (typeof options !== 'object' || options === null)) {
    throw new TypeError(`${pattern}() takes its options as an object, not ${show(options)}.`);
  }
  checkKnown(pattern, options, known);
  const { locks = byDefault, signal } = /** @type {PatternOptions} */ (options || {});
  if (!locks || typeof locks.request !== 'function' || typeof locks.query !== 'function') {
    throw new TypeError(`The option locks of ${pattern}() must be a LockManager, not ${show(locks)}.`);
  }
  if (signal !== undefined && (!signal || typeof signal.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')) {
    throw new TypeError(`The option signal of ${pattern}() must be an AbortSignal, not ${show(signal)}.`);
  }
  for (const option of ['onLeader', 'onLost']) toOptionalFunction(option, /** @type {Record<string, unknown>} */ (options || {})[option]);
  return /** @type {Options & {locks: Manager}} */ (Object.assign({}, options, { locks }));
};

/** @param {string} option @param {unknown} value */
const toOptionalFunction = (option, value) => {
  if (value === undefined || typeof value === 'function') return;
  throw new TypeError(`The option ${option} must be a function, not ${show(value)}.`);
};

/** The standard converts undefined to the name "undefined", which nobody means. @param {string} pattern @param {unknown} name */
export const checkName = (pattern, name) => {
  if (name === undefined) throw new TypeError(`${pattern}() needs a name: a string. There is none.`);
  if (typeof name === 'symbol') throw new TypeError(`${pattern}() needs a name: a string, not ${show(name)}.`);
};

/** @param {string} pattern @param {unknown} callback @param {unknown} options the argument before it */
export const checkCallback = (pattern, callback, options) => {
  if (typeof callback === 'function') return;
  throw new TypeError(`${pattern}() needs a callback: a function, not ${show(callback)}.${ifSwapped(options)}`);
};
