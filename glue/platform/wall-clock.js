/** The year 2223. Generations can exceed the time (../log/register.js), and from 9e12 on have no room for fences (../log/replica.js). */
const LATEST = 8e12;

const { now } = Date;

/**
 * The wall clock as it is when this file is loaded. A script may have replaced it before, by a finer one or by anything.
 * @returns {number} whole milliseconds; 0 if the time is impossible
 */
export const readWallClock = () => {
  const time = now();
  return time > 0 && time < LATEST ? Math.floor(time) : 0;
};
