/** If the two clocks drift apart by less than this many milliseconds, the wall clock was only adjusted. */
const LEAP = 1000;

/**
 * A clock in milliseconds that also runs while the machine is suspended. performance.now() may stand still then, but Date.now() goes on. If
 * the wall clock is set forward, a lock may be lost needlessly. That is better than two holders.
 * @param {typeof globalThis} global
 * @returns {() => number}
 */
export const createClock = ({ performance }) => {
  const gap = () => Date.now() - performance.now();
  let last = gap();
  let suspended = 0;
  return () => {
    const leap = gap() - last;
    last += leap;
    if (leap >= LEAP) suspended += leap;
    return performance.now() + suspended;
  };
};
