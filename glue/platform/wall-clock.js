/** The year 2223. Generations can exceed the time (../log/register.js), and from 9e12 on have no room for fences (../log/replica.js). */
const LATEST = 8e12;

/**
 * @param {number} time of a wall clock that a script may have replaced by a finer one, or by anything
 * @returns {number} whole milliseconds; 0 if the time is impossible
 */
export const wholeMilliseconds = (time) => time > 0 && time < LATEST ? Math.floor(time) : 0;
