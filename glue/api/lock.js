import { createPlatformObject, defineInterface, stateOf } from './platform-object.js';

/**
 * The standard's Lock, which the callback gets. It only describes the lock. The callback's promise holds it.
 * @type {import('./platform-object.js').PlatformInterface<{name: string, mode: import('../core/types.js').Mode}>}
 */
export const Lock = /* @__PURE__ */ defineInterface('Lock', {
  /** @returns {string} */
  get name() {
    return stateOf(Lock, this).name;
  },

  /** @returns {'exclusive' | 'shared'} */
  get mode() {
    return stateOf(Lock, this).mode;
  },
});

/**
 * @param {number} fence ignored: the standard's Lock does not have it
 * @param {import('../log/types.js').RequestDescription} description
 */
export const createLock = (fence, { names: [name], mode }) => createPlatformObject(Lock, { name, mode });
