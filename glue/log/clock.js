/** A timer of more milliseconds fires at once, in browsers and in Node. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Log time between ticks (rule R16): that of the last tick, plus what has passed here since it was applied. The wall clock has no
 * part in it.
 *
 * @typedef {object} LogClock
 * @property {() => number} now whole milliseconds
 * @property {() => void} ticked log time may have moved
 *
 * @param {() => number} localNow
 * @param {() => number} logTime
 * @returns {LogClock}
 */
export const createLogClock = (localNow, logTime) => {
  let base = 0;
  let since = localNow();
  return {
    now: () => Math.floor(base + (localNow() - since)),
    ticked() {
      if (logTime() === base) return;
      base = logTime();
      since = localNow();
    },
  };
};
