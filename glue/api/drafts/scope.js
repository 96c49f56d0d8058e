/** Scopes: the sets of names that the drafts' faces are given. */
import { createException } from '../environment.js';
import { toDOMString } from '../idl.js';
import { reservedName } from '../wording.js';

/**
 * (DOMString or sequence<DOMString>) as a set: without duplicates, in the order of the code units, frozen.
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
 * What is refused of a well-formed scope. The standard keeps names that start with - for itself, and all faces share its names.
 * @param {import('../environment.js').Environment} environment
 * @param {readonly string[]} scope
 */
export const checkScope = (environment, scope) => {
  if (!scope.length) throw new TypeError('The scope is empty. It must have one name or more.');
  const reserved = scope.find((name) => name[0] === '-');
  if (reserved !== undefined) throw createException(environment, 'NotSupportedError', reservedName(reserved));
};
