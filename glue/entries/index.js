/** The package's root: a ponyfill. Importing it changes and starts nothing. */
import { createClaimsLockManager } from './claims.js';
import { reportOf } from '../api/inspect.js';
import { toDOMString } from '../api/idl.js';
import { createLockManager as createManager } from '../api/lock-manager.js';
import { createObservation } from '../api/observation.js';
import { createDefault } from './default.js';
import { global, logOpener } from './place.js';

export { Lock, LockManager } from './default.js';

const observation = /* @__PURE__ */ createObservation(() => Date.now());
const openLog = /* @__PURE__ */ logOpener('', {}, observation.watch);

export const { locks, install } = /* @__PURE__ */ createDefault(openLog);

/** For the package's other faces, which share the manager of navigator.locks; not for anybody else, and not in the types. */
export const internal = { global, openLog, observation };

/** @typedef {{name?: string, keepAlive?: boolean, scope?: 'process' | 'host', directory?: string}} OwnManagerOptions */

/**
 * A manager of its own: the same name, in every context of the origin or thread of the process, means the same manager. In Node
 * [scope] 'host' shares it with all processes of the user, and [keepAlive] false lets a thread end that holds or waits; with that alone,
 * it is the manager of navigator.locks. With [url] its locks are claims at the service there (docs/claims.md).
 * @param {OwnManagerOptions | Parameters<typeof createClaimsLockManager>[0]} options
 */
export const createLockManager = (options) => {
  if ('url' in options) return createClaimsLockManager(options);
  const shared = options.name === undefined && options.keepAlive !== undefined && options.scope === undefined;
  const name = shared ? '' : toDOMString(options.name);
  if (!shared && (options.name === undefined || name === '')) throw new TypeError('A manager of its own needs a name');
  return createManager(global, logOpener(name, options));
};

/** Who holds and waits for what under navigator.locks' names and since when, who leads, and which deadlocks there may be. */
export const inspect = () => openLog().inspect().then((inspection) => reportOf(inspection, observation.sinceOf));
