/**
 * What the tables of test/api/tables need in each environment. Nothing here or in the tables names Node, so that the same functions
 * run in a page, in browsers as old as the oldest that the library supports.
 *
 * @typedef {object} Kit
 * @property {any} locks the LockManager under test
 * @property {any} elsewhere the same manager as seen from another context
 * @property {any} global the realm that [locks] belongs to
 * @property {(stem?: string) => string} uniqueName
 * @property {{strictEqual: Function, deepStrictEqual: Function, ok: Function}} assert
 *
 * @typedef {Record<string, (kit: Kit) => any>} Table by sentence
 */

/** What [promise] rejects with. @param {Promise<any>} promise @returns {Promise<any>} */
export const rejection = (promise) => promise.then(
  (value) => {
    throw new Error(`fulfilled with ${String(value)}, where a rejection was due`);
  },
  (reason) => reason,
);

/** Calls [act], which must return a promise and throw nothing, and gives what it rejects with. @param {() => Promise<any>} act */
export const refusal = (act) => {
  let promise;
  try {
    promise = act();
  } catch (error) {
    throw new Error(`thrown, where a rejection was due: ${error}`, { cause: error });
  }
  return rejection(promise);
};

/** A promise and its settling functions. */
export const deferred = () => {
  /** @type {(value?: any) => void} */
  let resolve = () => {};
  /** @type {(reason?: any) => void} */
  let reject = () => {};
  const promise = new Promise((...settlers) => ([resolve, reject] = settlers));
  return { promise, resolve, reject };
};

/**
 * Requests a lock that is held until release() or fail() is called.
 * @param {any} manager
 * @param {string} name
 * @param {object} [options]
 */
export const hold = (manager, name, options = {}) => {
  const entered = deferred();
  const end = deferred();
  const done = manager.request(name, options, (/** @type {any} */ lock) => {
    entered.resolve(lock);
    return end.promise;
  });
  return { entered: entered.promise, release: end.resolve, fail: end.reject, done };
};

/**
 * What query() says of [names], as lines of "held|pending name mode".
 * @param {any} manager
 * @param {string[]} names
 */
export const linesOf = async (manager, ...names) => {
  const snapshot = await manager.query();
  const lines = (/** @type {'held' | 'pending'} */ part) => snapshot[part]
    .filter((/** @type {any} */ info) => names.includes(info.name))
    .map((/** @type {any} */ info) => `${part} ${info.name} ${info.mode}`);
  return lines('held').concat(lines('pending'));
};

/**
 * Asserts that a request was rejected for an abort with [reason]. Browsers with signals that know no reason say AbortError.
 * @param {Kit} kit
 * @param {any} given
 * @param {any} reason
 */
export const isAbortReason = ({ assert, global }, given, reason) => {
  if ('reason' in global.AbortSignal.prototype) assert.strictEqual(given, reason);
  else assert.strictEqual(given.name, 'AbortError');
};
