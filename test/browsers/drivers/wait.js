/** Waiting, always bounded. */

/** On a busy machine everything takes longer; a bound says only that something never comes. */
const SLOWEST = 4;

/** @param {number} milliseconds */
export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} milliseconds
 * @param {string} what
 * @returns {Promise<T>}
 */
export function within(promise, milliseconds, what) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${milliseconds} ms: ${what}`)), milliseconds);
  });
  return /** @type {Promise<T>} */ (Promise.race([promise, late]).finally(() => clearTimeout(timer)));
}

/**
 * Asks [probe] again and again until its answer is truthy, and returns that. Gives up after [milliseconds], as a quiet machine counts them.
 * @template T
 * @param {() => T | Promise<T>} probe
 * @param {number} milliseconds
 * @param {string | (() => string)} what
 * @param {number} [interval]
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(probe, milliseconds, what, interval = 20) {
  for (const end = Date.now() + SLOWEST * milliseconds; ;) {
    const answer = await probe();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${SLOWEST * milliseconds} ms: ${typeof what === 'function' ? what() : what}`);
    await sleep(interval);
  }
}
