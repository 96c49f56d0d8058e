/** Generated from csrc/lockkeeper.h by build/constants.mjs. The names are at the places of their numbers. */
export const OPERATIONS = ['', 'request', 'drop', 'force-release', 'join', 'gone', 'tick'];
export const MODES = ['exclusive', 'shared'];
/** @type {import('./types.js').LockEvent['type'][]} */
export const EVENTS = /** @type {any[]} */ (['', 'granted', 'unavailable', 'broken', 'removed', 'expired', 'joined']);
/** What is refused, by the status without its sign. */
export const REFUSALS = ['', 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap', 'bad-snapshot'];
export const OK = 0;
export const STALE = 1;
export const OUT_OF_MEMORY = -1;
export const INVALID = -2;
export const UNKNOWN_CLIENT = -3;
export const DUPLICATE = -4;
export const GAP = -5;
export const BAD_SNAPSHOT = -6;
export const IF_AVAILABLE = 1;
export const STEAL = 2;
