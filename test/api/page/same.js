/** The assertions of tests in a page: as much of node:assert as they need. */

/**
 * @param {any} given
 * @param {any} expected
 * @returns {boolean}
 */
const isSame = (given, expected) => {
  if (Object.is(given, expected)) return true;
  if (typeof given !== 'object' || typeof expected !== 'object' || !given || !expected) return false;
  if (given instanceof Set) {
    return expected instanceof Set && given.size === expected.size && [...given].every((each) => expected.has(each));
  }
  const keys = Reflect.ownKeys(given);
  return Array.isArray(given) === Array.isArray(expected) && keys.length === Reflect.ownKeys(expected).length
    && keys.every((key) => key in expected && isSame(given[key], expected[key]));
};

const show = (/** @type {any} */ value) => (value instanceof Set ? `Set ${show([...value].map(String))}`
  : typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 1000);

/** @param {boolean} holds @param {string} message */
const demand = (holds, message) => {
  if (!holds) throw new Error(message);
};

/** @param {any} given @param {any} expected @param {string} [message] */
const equal = (given, expected, message = '') => demand(isSame(given, expected), `${message}: ${show(given)} is not ${show(expected)}`);

export const assert = {
  ok: (/** @type {any} */ value, /** @type {string} */ message = 'not true') => demand(Boolean(value), message),
  strictEqual: equal,
  deepStrictEqual: equal,
};
