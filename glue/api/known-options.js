import { show } from './wording.js';

/**
 * Throws a TypeError if [options] has one that [operation] does not know. The standard's dictionaries ignore those. But with
 * `scop: 'host'`, each process would silently get locks of its own.
 * @param {string} operation its name
 * @param {object | undefined} options
 * @param {string[]} known
 */
export const checkKnown = (operation, options, known) => {
  for (const option in options) {
    if (known.includes(option)) continue;
    throw new TypeError(`${operation}() has no option ${show(option)}. Its options are ${known.join(', ')}.`);
  }
};
