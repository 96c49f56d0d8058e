/** Scopes: the sets of names that the drafts' functions take. */
import { createException } from '../environment.js';
import { toDOMString } from '../idl.js';
import { reservedName } from '../wording.js';

/**
 * Converts (DOMString or sequence<DOMString>) to a set: without duplicates, sorted by code units, frozen.
 * @param {unknown} value
 * @returns {readonly string[]}
 */
export const toScope = (value) => {
  const isSequence = (typeof value === 'object' && value !== null) || typeof value === 'function';
  const sequence = /** @type {Iterable<unknown>} */ (value);
  if (!isSequence || !sequence[Symbol.iterator]) return Object.freeze([toDOMString(value)]);
  const names = new Set();
  for (const name of sequence) names.add(toDOMString(name));
  return Object.freeze([...names].sort());
};

/**
 * Refuses an empty scope, and names that the standard reserves. The drafts share their names with the standard's locks.
 * @param {import('../environment.js').Environment} environment
 * @param {readonly string[]} scope
 */
export const checkScope = (environment, scope) => {
  if (!scope.length) throw new TypeError('The scope is empty. It must have one name or more.');
  const reserved = scope.find((name) => name[0] === '-');
  if (reserved !== undefined) throw createException(environment, 'NotSupportedError', reservedName(reserved));
};
