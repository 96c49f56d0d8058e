/** A timer of more milliseconds fires at once, in browsers and in Node. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Log time between ticks (D5): the greatest that was heard of, plus what has passed here since. The wall clock has no part in it.
 *
 * @typedef {ReturnType<typeof createLogClock>} LogClock
 *
 * @param {() => number} localNow
 */
export const createLogClock = (localNow) => {
  let base = 0;
  let since = localNow();
  const clock = {
    /** Whole milliseconds. */
    now: () => Math.floor(base + (localNow() - since)),

    /** It is at least that time. @param {number} time */
    heard(time) {
      if (time > clock.now()) clock.set(time);
    },

    /** @param {number} time */
    set(time) {
      base = time;
      since = localNow();
    },
  };
  return clock;
};
