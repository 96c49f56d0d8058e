import { show } from './wording.js';

/**
 * Throws a TypeError if [options] has an option that [operation] does not know. The standard's dictionaries ignore such options. But with
 * `scop: 'host'`, each process would silently get its own locks.
 * @param {string} operation the operation's name
 * @param {object | undefined} options
 * @param {string[]} known
 */
export const checkKnown = (operation, options, known) => {
  for (const option in options) {
    // A program may have extended all objects. Its members are no options.
    if (known.includes(option) || option in Object.prototype) continue;
    throw new TypeError(`${operation}() has no option ${show(option)}. Its options are ${known.join(', ')}.`);
  }
};
