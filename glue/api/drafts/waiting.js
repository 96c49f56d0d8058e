/** The drafts' waiting promise set: a lock that is held until all that it waits for has been fulfilled, or the first was rejected. */

/** As in the explainer: code that awaits the object runs before the release, even behind one or two async functions. */
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
        if (!open && !holding.isReleased()) holding.release();
      },
      (error) => {
        if (!holding.isReleased()) holding.fail(error);
      },
    );
    return holding.released;
  };

  void waitUntil(someMicrotasks());
  return Object.assign({ waitUntil }, holding);
};

/**
 * The members of an interface whose objects have such a state.
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
