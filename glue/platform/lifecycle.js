/**
 * What a place tells the log of its page's life.
 * @typedef {typeof VISIBLE | typeof HIDDEN | typeof FROZEN | typeof AWAY | typeof OVER} Lifecycle
 */

/** Seen again, or awake again, or back from a back-forward cache. The only one that counts as false. */
export const VISIBLE = 0;
/** Not seen any more. */
export const HIDDEN = 1;
/** Is going to be stopped. */
export const FROZEN = 2;
/** Goes into a back-forward cache; nothing may be held from here on, and nothing is asked for before VISIBLE. */
export const AWAY = 3;
/** Ends; nobody here is told anything any more. */
export const OVER = 4;
