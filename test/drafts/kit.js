/** Contexts of one log in memory, each with the drafts' faces and the standard's. */
import { createDrafts } from '../../glue/api/drafts/drafts.js';
import { createEnvironment } from '../../glue/api/environment.js';
import { createLockManager } from '../../glue/api/lock-manager.js';
import { createObservation } from '../../glue/api/observation.js';
import { createMemoryLog } from '../api/memory-log.js';
import { createModel } from '../model/model.js';

/**
 * The faces over a log.
 * @param {import('../../glue/log/types.js').LockLog} log
 * @param {import('../../glue/api/observation.js').Observation} observation of the log's core
 * @param {any} [global]
 */
export const facesOver = (log, observation, global = globalThis) => {
  const face = { environment: createEnvironment(global), openLog: () => log, observation };
  return { log, locks: createLockManager(global, face.openLog), ...createDrafts(face) };
};

/**
 * @param {number} count
 * @param {any} [global]
 */
export const createContexts = (count, global) => {
  const observation = createObservation(() => 0);
  const memory = createMemoryLog(observation.watch(createModel)());
  return {
    tick: memory.tick,
    contexts: Array.from({ length: count }, () => facesOver(memory.open(), observation, global)),
  };
};

/** Notes how a promise has settled. @param {Promise<any>} promise */
export const watch = (promise) => {
  const watched = { state: 'pending', value: /** @type {any} */ (undefined) };
  const settleAs = (/** @type {string} */ state) => (/** @type {any} */ value) => Object.assign(watched, { state, value });
  promise.then(settleAs('fulfilled'), settleAs('rejected'));
  return watched;
};

/**
 * Acquires a scope until release() or fail() is called.
 * @param {any} face
 * @param {any} scope
 * @param {object} [options]
 */
export const holdScope = (face, scope, options = {}) => {
  /** @type {any} */
  const held = { lock: undefined };
  const until = new Promise((resolve, reject) => Object.assign(held, { release: resolve, fail: reject }));
  held.done = face.acquire(scope, options, (/** @type {any} */ lock) => {
    held.lock = lock;
    return until;
  });
  held.done.catch(() => {});
  return held;
};
