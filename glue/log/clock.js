/**
 * Fences start at a time in milliseconds times this, and so does a count where the log goes on from an older state (D10). So those of a new
 * log are above those of an older one: no log has as many grants, or entries, in a millisecond.
 */
export const PER_MILLISECOND = 1000;

/** A timer of more milliseconds fires at once, in browsers and in Node. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Log time between ticks (D5): the greatest tick that was delivered, plus the time that has passed here since. It does not depend on the
 * wall clock.
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

    /** Log time is at least [time]. @param {number} time */
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
