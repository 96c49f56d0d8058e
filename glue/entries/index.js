/** The package's root: a ponyfill. Importing it has no side effects. */
import { readWallClock } from '#place';
import { createClaimsLockManager } from './claims.js';
import { reportOf } from '../api/inspect.js';
import { createClosable } from '../api/closing.js';
import { withDebug } from '../api/debug.js';
import { createEnvironment } from '../api/environment.js';
import { createLockManager as createManager } from '../api/lock-manager.js';
import { checkInstallOptions, toOwnManager, wantsClaims } from '../api/manager-options.js';
import { createObservation } from '../api/observation.js';
import { makeOwn } from '../api/own-manager.js';
import { printerFor } from './debugging.js';
import { createDefault } from './default.js';
import { global, isNode, logOpener } from './place.js';

export { Lock, LockManager } from './default.js';

/**
 * @typedef {import('../api/drafts/request.js').Face} Face
 * @typedef {import('../api/manager-options.js').OwnManagerOptions} OwnManagerOptions
 */

const observation = /* @__PURE__ */ createObservation(readWallClock);
/** The option `debug` of install(). @type {import('./debugging.js').Debug} */
let debug;
const openLog = /* @__PURE__ */ withDebug(/* @__PURE__ */ logOpener('', {}, observation.watch),
  { label: '', now: readWallClock, observation, hasLeader: !isNode, choosePrinter: () => printerFor(debug) });
const byDefault = /* @__PURE__ */ createDefault(openLog);

export const { locks } = byDefault;

/**
 * Defines navigator.locks if it is missing. Returns the manager in use.
 * @param {{force?: boolean, insecure?: boolean, join?: boolean, debug?: import('./debugging.js').Debug}} [options]
 */
export const install = (options) => {
  checkInstallOptions(options);
  if (options && options.debug !== undefined) ({ debug } = options);
  // Node before 21 has no navigator, so there would be nowhere to install locks.
  if (isNode && !global.navigator) Object.defineProperty(global, 'navigator', { value: {}, writable: true, configurable: true });
  return byDefault.install(options);
};

/** What the drafts need of each manager of createLockManager(). @type {WeakMap<object, Face>} */
const faces = new WeakMap();

/** For the package's other entries only. It is not in the types. */
export const internal = {
  /** What the drafts need of a manager; undefined if it is not one of Lockkeeper's. @param {object} manager @returns {Face | undefined} */
  faceOf: (manager) => manager === locks ? { environment: createEnvironment(global), openLog, observation } : faces.get(manager),
};

/** @param {Pick<Required<Face>, 'openLog' | 'observation'>} face */
const report = async (face) => reportOf(await face.openLog().inspect(), face.observation.sinceOf);

/**
 * Creates a manager apart from navigator.locks. In every context of the origin or thread of the process, the same name means the same
 * manager. In Node, [scope] 'host' shares it with all processes of the user, and with [keepAlive] false a thread may end while it holds or
 * waits. With only [keepAlive], it is the manager of navigator.locks. With [url] its locks are claims at that service (docs/claims.md).
 * @param {OwnManagerOptions | Parameters<typeof createClaimsLockManager>[0]} given
 */
export const createLockManager = (given) => {
  const environment = createEnvironment(global);
  if (wantsClaims(given)) {
    const { manager, openLog: openClaims } = createClaimsLockManager(given);
    faces.set(manager, { environment, openLog: openClaims });
    return manager;
  }
  const { name, debug, options } = toOwnManager(given, isNode);
  const own = createObservation(readWallClock);
  const open = withDebug(logOpener(name, options, own.watch),
    { label: name, now: readWallClock, observation: own, hasLeader: !isNode, choosePrinter: () => printerFor(debug) });
  const closable = createClosable(open, environment);
  const face = { environment, openLog: closable.openLog, observation: own };
  const manager = makeOwn(createManager(global, closable.openLog), { inspect: () => report(face), close: closable.close });
  faces.set(manager, face);
  return manager;
};

/** Reports which context holds or waits for which lock of `locks` and since when, which one leads, and suspected deadlocks. */
export const inspect = () => report({ openLog, observation });
