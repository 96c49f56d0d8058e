/** A difference of less than this many milliseconds between the two clocks is an adjustment. */
const LEAP = 1000;

/**
 * Milliseconds that also count while the machine is suspended. performance.now() may stand still then, but Date.now() goes on. If someone
 * sets the wall clock forward, a lock may be lost for nothing: rather that than two holders.
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
