/**
 * Fences start at a time in milliseconds times this. So does the count when the log goes on from an older state (D10). So the fences and
 * counts of a newer log are above those of an older one: no log has this many grants or entries in a millisecond.
 */
export const PER_MILLISECOND = 1000;

/** In browsers and in Node, a timer of more milliseconds than this fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Log time between ticks (D5): the greatest tick delivered, plus the local time that has passed since. It does not depend on the wall
 * clock.
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
