/**
 * Where a context is in its life.
 * @typedef {typeof LEFT | typeof JOINING | typeof MEMBER | typeof RETURNING} Phase
 */

/** It takes no part in the log: not yet, or not any more. */
export const LEFT = 0;
export const JOINING = 1;
/** It has state, and the register says so. */
export const MEMBER = 2;
/** It has state, and the register has to be told again. */
export const RETURNING = 3;
