import { optionsOf } from '../core/own-member.js';
import { show } from './wording.js';

/**
 * Throws a TypeError if [options] has an option that [operation] does not know. The standard's dictionaries ignore such options. But with
 * `scop: 'host'`, each process would silently get its own locks.
 * @param {string} operation the operation's name
 * @param {object | undefined} options
 * @param {string[]} known
 */
export const checkKnown = (operation, options, known) => {
  for (const option of optionsOf(options)) {
    if (known.includes(option)) continue;
    throw new TypeError(`${operation}() has no option ${show(option)}. Its options are ${known.join(', ')}.`);
  }
};
