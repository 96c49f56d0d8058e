/**
 * Where the package runs. '#place' is glue/entries/node.js in Node and glue/entries/browser.js elsewhere (package.json, "imports"). Both
 * export isNode; createLog(name, options), which starts this context's part in the log of the named manager; and what ./debugging.js and
 * ./claims.js need.
 */
import { createLog, isNode } from '#place';
import { global } from '../platform/realm.js';

/** @typedef {import('../api/observation.js').Observation['watch']} Watch */

/**
 * The createLog() of either file. [watch] wraps the function that opens the core, so that ../api/observation.js sees the core.
 * @type {(name: string, options?: object, watch?: Watch) => import('../log/types.js').LockLog}
 */
const startLog = createLog;

export { global, isNode };

/**
 * @param {string} name empty: the log behind navigator.locks
 * @param {object} [options]
 * @param {Watch} [watch]
 * @returns {() => import('../log/types.js').LockLog} starts the log at the first call
 */
export const logOpener = (name, options, watch) => {
  /** @type {import('../log/types.js').LockLog | undefined} */
  let log;
  return () => (log = log || startLog(name, options, watch));
};
