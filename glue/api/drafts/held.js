/**
 * A held lock: the common part of its objects (flags, handles, a callback's lock).
 *
 * @typedef {object} Held
 * @property {readonly string[]} scope
 * @property {'exclusive' | 'shared'} mode
 * @property {number} fence
 * @property {() => AbortSignal | undefined} signal aborts when the lock is lost; undefined if the realm has no AbortController
 * @property {(error: unknown) => void} lose call it when the lock is lost
 * @property {() => boolean} isLost
 *
 * @param {import('../environment.js').Realm} global
 * @param {readonly string[]} scope
 * @param {'exclusive' | 'shared'} mode
 * @param {number} fence
 * @returns {Held}
 */
export const createHeld = (global, scope, mode, fence) => {
  /** @type {AbortController | undefined} made at the first use */
  let controller;
  let lost = false;
  /** @type {unknown} */
  let reason;
  return {
    scope,
    mode,
    fence,
    signal() {
      if (!controller && global.AbortController) {
        controller = new global.AbortController();
        if (lost) controller.abort(reason);
      }
      return controller && controller.signal;
    },
    lose(error) {
      lost = true;
      reason = error;
      if (controller) controller.abort(error);
    },
    isLost: () => lost,
  };
};
