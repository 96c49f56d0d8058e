/** lockkeeper/patterns: common uses of locks, over any LockManager, by default `locks`. Importing it has no side effects. */
import { createElect } from '../patterns/elect.js';
import { createSemaphore } from '../patterns/semaphore.js';
import { createIsLocked, createTryAcquire, createWithTimeout } from '../patterns/single.js';
import { locks as byDefault } from './index.js';

const locks = /** @type {import('../patterns/options.js').Manager} */ (byDefault);

export const elect = /* @__PURE__ */ createElect(locks);
export const semaphore = /* @__PURE__ */ createSemaphore(locks);
export const tryAcquire = /* @__PURE__ */ createTryAcquire(locks);
export const isLocked = /* @__PURE__ */ createIsLocked(locks);
export const withTimeout = /* @__PURE__ */ createWithTimeout(locks);
