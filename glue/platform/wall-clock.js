/** The year 2223. Generations go on above the time (../log/register.js), and at 9e12 they have no room for fences (../log/replica.js). */
const LATEST = 8e12;

/**
 * @param {number} time by a wall clock that somebody may have replaced: by one that is finer, or that tells anything
 * @returns {number} whole milliseconds; 0 if it cannot be true
 */
export const wholeMilliseconds = (time) => time > 0 && time < LATEST ? Math.floor(time) : 0;
