/** Locks with waitUntil(). Each is held until all promises passed to it are fulfilled, or one of them is rejected. */

/** As in the explainer, code that awaits the object runs before the release, even through one or two async functions. */
const someMicrotasks = () => Promise.resolve().then(() => Promise.resolve().then());

/**
 * @typedef {import('./holding.js').Holding & {waitUntil: (promise: unknown) => Promise<undefined>}} Waiting
 *
 * @param {import('./holding.js').Holding} holding
 * @returns {Waiting}
 */
export const createWaiting = (holding) => {
  let open = 0;

  /** @param {unknown} promise */
  const waitUntil = (promise) => {
    if (holding.isReleased()) return Promise.reject(new TypeError('waitUntil() comes too late: the lock is released already.'));
    open++;
    new Promise((resolve) => resolve(promise)).then(
      () => {
        open--;
        if (!open) holding.release();
      },
      holding.fail,
    );
    return holding.released;
  };

  void waitUntil(someMicrotasks());
  return Object.assign({ waitUntil }, holding);
};

/**
 * The members of an interface whose objects have waitUntil().
 * @param {(object: unknown) => Waiting} of
 */
export const waitingMembers = (of) => ({
  get released() {
    return of(this).released;
  },

  /** @param {unknown} promise */
  waitUntil(promise) {
    try {
      return of(this).waitUntil(promise);
    } catch (error) {
      return Promise.reject(error);
    }
  },
});
