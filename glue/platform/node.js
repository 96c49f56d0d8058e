/**
 * Node: all threads of a process, and with `scope: 'host'` all processes of a user on one host. Nothing here runs before a manager's
 * first use. docs/node.md says how it works and what it costs.
 */
import { randomUUID } from 'node:crypto';
import { unlink } from 'node:fs';
import process from 'node:process';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { createFileBell, createThreadBell } from './node/bell.js';
import * as descriptors from './node/descriptors.js';
import { openDirectory } from './node/directory.js';
import { createJournal } from './node/journal.js';
import { createSharedLog } from './node/log.js';
import * as sockets from './node/sockets.js';

/**
 * @typedef {object} NodeOptions
 * @property {'process' | 'host'} [scope] whom the manager is shared with: all threads of this process, or all processes of this user
 * @property {boolean} [keepAlive] whether what is held or asked for keeps the thread alive; it does unless this is false
 * @property {string} [directory] for [scope] 'host': the parent of the directory in which the processes meet
 */

/** The first Node in which a thread that ends with connections to its socket waiting does no harm. */
const SAFE_SOCKETS = 22;

/** @param {unknown} scope @returns {NodeOptions['scope']} */
const toScope = (scope) => {
  if (scope === undefined || scope === 'process' || scope === 'host') return scope;
  throw new TypeError(`A manager's scope is 'process' or 'host', not '${scope}'`);
};

/** Milliseconds of a clock that all threads and processes of the host share. */
const now = () => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};

/**
 * @param {string} name the manager's
 * @param {NodeOptions} options
 * @param {(options: {fence: number}) => import('../core/types.js').Core} createCore
 * @returns {import('../log/types.js').LockLog}
 */
export const createNodeLog = (name, { scope, keepAlive = true, directory: parent }, createCore) => {
  const place = { scope: toScope(scope), directory: parent };
  const directory = openDirectory(name, place);
  const safe = scope === 'host' || parseInt(process.versions.node) >= SAFE_SOCKETS;
  const { pathOf, holdAlive, watchAlive, isAlive } = safe ? sockets : descriptors;
  const path = (/** @type {string} */ client) => pathOf(directory, client);
  return createSharedLog({
    prepare: () => void openDirectory(name, place),
    createJournal: (parts) => createJournal({ directory, ...parts }),
    life: {
      hold: (client) => holdAlive(path(client)),
      watch: (client, onDeath) => watchAlive(path(client), onDeath),
      isAlive: (client) => isAlive(path(client)),
      bury: (client) => unlink(path(client), () => {}),
    },
    bell: scope === 'host' ? createFileBell(process.platform) : createThreadBell(directory),
    now,
    wallClock: Date.now,
    randomId: randomUUID,
    setTimer(callback, milliseconds, keepsAlive = false) {
      const timer = setTimeout(callback, milliseconds);
      if (!keepsAlive) timer.unref();
      return () => clearTimeout(timer);
    },
    afterTask: (callback) => void setImmediate(callback),
    defer: (callback) => void Promise.resolve().then(callback),
    warn: (text) => process.emitWarning(text),
    keepAlive,
  }, createCore);
};
