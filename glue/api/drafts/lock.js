import { createPlatformObject, defineInterface, defineMembers, stateOf } from '../platform-object.js';

/**
 * The interface of an object that stands for a held lock. Users can add properties to such an object, as the explainer's examples do.
 *
 * @template {{held: import('./held.js').Held}} State
 * @param {string} name
 * @param {(of: (object: unknown) => State) => object} [more] further members; [of] gives an object's state, or throws
 * @returns {import('../platform-object.js').PlatformInterface<State>}
 */
export const defineLock = (name, more = () => ({})) => {
  /** @param {unknown} object */
  const of = (object) => stateOf(Interface, object);
  /** @param {unknown} object @returns {import('./held.js').Held} */
  const heldBy = (object) => of(object).held;
  /** @type {import('../platform-object.js').PlatformInterface<State>} */
  const Interface = defineInterface(name, defineMembers({
    get scope() {
      return heldBy(this).scope;
    },

    get mode() {
      return heldBy(this).mode;
    },

    get fence() {
      return heldBy(this).fence;
    },

    get signal() {
      return heldBy(this).signal();
    },
  }, more(of)));
  return Interface;
};

/** The lock that the callbacks of acquire() and requestScopedLock() get. */
const ScopedLock = /* @__PURE__ */ defineLock('Lock');

/** @param {import('./held.js').Held} held */
export const createScopedLock = (held) => createPlatformObject(ScopedLock, { held });
