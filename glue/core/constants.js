/** Generated from csrc/lockkeeper.h by build/constants.mjs. The names are at the places of their numbers. */
export const OPERATIONS = ['', 'request', 'drop', 'force-release', 'join', 'gone', 'tick'];
export const MODES = ['exclusive', 'shared'];
/** @type {import('./types.js').LockEvent['type'][]} */
export const EVENTS = /** @type {any[]} */ (['', 'granted', 'unavailable', 'broken', 'removed', 'expired', 'joined']);
/** What is refused, by the status without its sign. */
export const REFUSALS = ['', 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap', 'bad-snapshot'];
export const IF_AVAILABLE = 1;
export const STEAL = 2;
