import { createPlatformObject, defineInterface, stateOf } from './platform-object.js';

/**
 * The standard's Lock: what the callback is given. It says which lock is held; it does not hold it.
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
 * @param {number} fence which the standard does not show
 * @param {import('../log/types.js').RequestDescription} description
 */
export const createLock = (fence, { names: [name], mode }) => createPlatformObject(Lock, { name, mode });
