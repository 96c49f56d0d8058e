/** If the two clocks drift apart by less than this many milliseconds, the wall clock was only adjusted. */
const LEAP = 1000;

/**
 * The timers and clocks of when the library was loaded. A program's tests may fake them later. With those a session would not be
 * renewed, and a lock would be lost without notice.
 * @typedef {object} Time
 * @property {typeof globalThis.setTimeout} setTimeout
 * @property {typeof globalThis.clearTimeout} clearTimeout
 * @property {() => number} readClock milliseconds of this context's own clock
 * @property {() => number} readWallClock milliseconds
 */

/**
 * A clock in milliseconds that also runs while the machine is suspended. The context's own clock may stand still then, but the wall clock
 * goes on. If that is set forward, a lock may be lost needlessly. That is better than two holders.
 * @param {Pick<Time, 'readClock' | 'readWallClock'>} time
 * @returns {() => number}
 */
export const createClock = ({ readClock, readWallClock }) => {
  const gap = () => readWallClock() - readClock();
  let last = gap();
  let suspended = 0;
  return () => {
    const leap = gap() - last;
    last += leap;
    if (leap >= LEAP) suspended += leap;
    return readClock() + suspended;
  };
};
