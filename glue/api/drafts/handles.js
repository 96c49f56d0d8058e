/** The explainer's locks that are objects: you release them, or they release themselves. */
import { createPlatformObject } from '../platform-object.js';
import { tooFewArguments } from '../wording.js';
import { requestHolding } from './holding.js';
import { defineLock } from './lock.js';
import { toOptions } from './options.js';
import { toScope } from './scope.js';
import { createWaiting, waitingMembers } from './waiting.js';

/** @typedef {import('./holding.js').Holding} Holding */

const ExplicitLock = /* @__PURE__ */ defineLock('ExplicitLock', (/** @type {(object: unknown) => Holding} */ of) => ({
  get released() {
    return of(this).released;
  },

  release() {
    of(this).release();
  },

  // For `await using`, if the language has it. It never rejects: `released` and `signal` report a lost lock.
  ...(Symbol.asyncDispose ? {
    [Symbol.asyncDispose]() {
      const holding = of(this);
      holding.release();
      return holding.released.then(() => {}, () => {});
    },
  } : {}),
}));

const AutoReleaseLock = /* @__PURE__ */ defineLock('AutoReleaseLock', waitingMembers);

/**
 * Warns of handles that the garbage collector has freed while their lock was held. Nothing can release such a lock.
 * @param {import('../environment.js').Realm} global
 * @returns {(handle: object, holding: Holding) => void}
 */
const createReporter = ({ FinalizationRegistry, console }) => {
  if (!FinalizationRegistry) return () => {};
  const registry = new FinalizationRegistry((/** @type {Holding} */ { held, isReleased }) => {
    if (isReleased()) return;
    console.warn(`Lockkeeper: the handle of a lock on ${JSON.stringify(held.scope)} is gone, and release() was not called. ` +
      'The lock stays held until this context ends.');
  });
  return (handle, holding) => registry.register(handle, holding);
};

/** @param {import('./request.js').Face} face */
export const createHandleRequests = (face) => {
  const { global } = face.environment;
  /** Created at the first use, since importing must have no side effects. @type {ReturnType<typeof createReporter> | undefined} */
  let report;

  /**
   * @param {string} operation
   * @param {unknown[]} given
   * @param {(holding: Holding) => object} createObject
   * @param {boolean} [isDetached]
   */
  const request = (operation, given, createObject, isDetached = false) => {
    if (!given.length) throw new TypeError(tooFewArguments(operation, 'a scope', 0));
    const scope = toScope(given[0]);
    return requestHolding(face, scope, { ...toOptions(global, operation, given[1]), isDetached }, createObject);
  };

  return {
    /** @param {...unknown} given scope, options */
    requestExplicitLock(...given) {
      return request('requestExplicitLock', given, (holding) => {
        const handle = createPlatformObject(ExplicitLock, holding);
        report = report || createReporter(global);
        report(handle, holding);
        return handle;
        // Detached: if nothing else keeps a thread of Node alive, nothing can call release(). So the lock need not keep it alive.
      }, true);
    },

    /** @param {...unknown} given scope, options */
    requestAutoReleaseLock(...given) {
      return request('requestAutoReleaseLock', given, (holding) => createPlatformObject(AutoReleaseLock, createWaiting(holding)));
    },
  };
};
