/** Generated from csrc/lockkeeper.h by build/constants.mjs. The names are at the places of their numbers. */
export const OPERATIONS = /** @type {const} */ (['', 'request', 'drop', 'force-release', 'join', 'gone', 'tick']);
export const MODES = /** @type {const} */ (['exclusive', 'shared']);
export const EVENTS = /** @type {const} */ (['', 'granted', 'unavailable', 'broken', 'removed', 'expired', 'joined']);
export const USES = /** @type {const} */ (['unused', 'awaited', 'held']);
/** @type {Record<number, string>} */
export const STATUSES = {
  0: 'ok',
  1: 'stale',
  2: 'refused',
  3: 'no-fence',
  '-1': 'out-of-memory',
  '-2': 'invalid',
  '-3': 'unknown-client',
  '-4': 'duplicate',
  '-5': 'gap',
  '-6': 'bad-snapshot',
  '-7': 'no-handle',
};
export const OK = 0;
export const STALE = 1;
export const REFUSED = 2;
export const NO_FENCE = 3;
export const OUT_OF_MEMORY = -1;
export const INVALID = -2;
export const UNKNOWN_CLIENT = -3;
export const DUPLICATE = -4;
export const GAP = -5;
export const BAD_SNAPSHOT = -6;
export const NO_HANDLE = -7;
export const IF_AVAILABLE = 1;
export const STEAL = 2;
