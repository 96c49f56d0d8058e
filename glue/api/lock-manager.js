import { conflictIn, reservedName } from './wording.js';
import { checkEnvironment, createEnvironment, createException } from './environment.js';
import { toRequestArguments } from './idl.js';
import { createLock } from './lock.js';
import { createPlatformObject, defineInterface, stateOf } from './platform-object.js';
import { snapshotOf } from './query.js';
import { abortReason, requestLock } from './request.js';

/**
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('./environment.js').Environment} Environment
 * @typedef {{environment: Environment, openLog: () => LockLog, own?: import('./own-manager.js').Own}} ManagerState
 */

/**
 * An operation that returns a promise never throws. Each error becomes a rejection at once.
 * @template Value
 * @param {unknown} manager
 * @param {(state: ManagerState) => Promise<Value>} operation
 * @returns {Promise<Value>}
 */
export const answer = (manager, operation) => {
  try {
    return operation(stateOf(LockManager, manager));
  } catch (error) {
    return Promise.reject(error);
  }
};

/**
 * Makes the standard's checks of well-formed arguments, in the standard's order.
 * @param {Environment} environment
 * @param {string} name
 * @param {import('./idl.js').LockOptions} options
 */
const checkRequest = (environment, name, options) => {
  const { signal } = options;
  const refused = name[0] === '-' ? reservedName(name) : conflictIn(options);
  if (refused) throw createException(environment, 'NotSupportedError', refused);
  if (signal && signal.aborted) throw abortReason(environment, signal);
};

/** @type {import('./platform-object.js').PlatformInterface<ManagerState>} */
export const LockManager = /* @__PURE__ */ defineInterface('LockManager', {
  /**
   * request(name, callback) or request(name, options, callback).
   * @param {unknown} name
   * @param {unknown} callback
   * @returns {Promise<unknown>}
   */
  // eslint-disable-next-line no-unused-vars -- the standard fixes request.length
  request(name, callback) {
    return answer(this, ({ environment, openLog }) => {
      const { name, options, callback } = toRequestArguments(environment.global, arguments);
      checkEnvironment(environment);
      const log = openLog();
      checkRequest(environment, name, options);
      const { ifAvailable, mode, signal, steal } = options;
      return requestLock(environment, log, { names: [name], mode, ifAvailable, steal }, signal, createLock, callback);
    });
  },

  /** @returns {Promise<import('./query.js').LockManagerSnapshot>} */
  query() {
    return answer(this, ({ environment, openLog }) => {
      checkEnvironment(environment);
      return openLog().query().then(snapshotOf);
    });
  },
});

/**
 * @param {import('./environment.js').Realm} global
 * @param {() => LockLog} openLog called at each request or query. It returns the same log every time, or throws why there is none: a
 *   SecurityError if the origin may not keep storage, an InvalidStateError if the manager is closed, an Error if something is missing here
 */
export const createLockManager = (global, openLog) =>
  createPlatformObject(LockManager, { environment: createEnvironment(global), openLog });
