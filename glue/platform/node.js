/**
 * The log in Node, for all threads of a process, and with `scope: 'host'` for all processes of a user on one host. Loading this module has
 * no side effects. docs/node.md says how it works and what it costs.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, utimes } from 'node:fs';
import { join, resolve } from 'node:path';
import { createArrivals } from './node/arrivals.js';
import { createProcessBell, createThreadBell } from './node/bell.js';
import * as descriptors from './node/descriptors.js';
import { openDirectory, processDirectory } from './node/directory.js';
import { SIGN } from './node/format.js';
import { createJournal } from './node/journal.js';
import { clockAhead } from './node/leftovers.js';
import { createLines } from './node/lines.js';
import { createSharedLog } from './node/log.js';
import { process } from './node/process.js';
import { sockets } from './node/sockets.js';
import { clearTimeout, hrtime, readWallClock, setImmediate, setTimeout } from './node/timers.js';

/**
 * @typedef {object} NodeOptions
 * @property {'process' | 'host'} [scope] who shares the manager: all threads of this process, or all processes of this user on the host
 * @property {boolean} [keepAlive] whether held locks and waiting requests keep the thread alive; true by default
 * @property {string} [directory] for [scope] 'host': the parent of the directory in which the processes meet
 */

/** Before this version of Node, a thread that ends while another one connects to its socket can abort the process. */
const SAFE_SOCKETS = 22;

/** Milliseconds. A client's file of this age is a leftover if its client is dead. A younger one may have just been made. */
const STALE = 3600 * 1000;

/** The last character of files that accompany such a file. */
const PART = /[-+!]$/;

/** Milliseconds of a clock that all threads share, and all processes of one time namespace on the host. */
const now = () => {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};

/**
 * Unique even if the file system ignores case. Short, since every record contains it. Not of randomUUID(): a startup snapshot
 * contains random bytes that it keeps, so all processes that start from the snapshot would have the same ids.
 */
const randomId = () => randomBytes(12).toString('hex');

/**
 * Shows that contexts live, by files and sockets in a directory.
 * @param {() => string} directory
 * @param {typeof sockets | typeof descriptors} signs
 * @param {Pick<ReturnType<typeof createLines>, 'hold' | 'watch'>} [lines] between processes: connections that also show life
 */
const createLife = (directory, { pathOf, holdAlive, watchAlive, isAlive, bury }, lines) => {
  const path = (/** @type {string} */ client) => pathOf(directory(), SIGN + client);
  /** All files of contexts. */
  const entries = () => readdirSync(directory()).filter((entry) => entry !== 'log');
  /** @type {Pick<import('./node/types.js').Life, 'hold' | 'watch'>} */
  const own = lines || {
    hold: (client) => holdAlive(path(client)),
    watch: (client, onDeath, onFailure) => watchAlive(path(client), onDeath, onFailure),
  };
  return {
    hold: own.hold,
    watch: own.watch,
    isAlive: (/** @type {string} */ client) => isAlive(path(client)),
    bury: (/** @type {string} */ client) => bury(path(client)),

    /** @param {string} client */
    touch(client) {
      const time = new Date();
      for (const each of [processDirectory(), directory(), path(client)]) utimes(each, time, time, () => {});
    },

    /** @param {string} client */
    hasOthers(client) {
      if (process.platform === 'win32') return true;
      const own = path(client);
      try {
        return entries().some((entry) => !join(directory(), entry).startsWith(own));
      } catch {
        return true;
      }
    },

    async hasStrangers() {
      // Named pipes are in no directory.
      if (process.platform === 'win32') return true;
      const strangers = entries().filter((entry) => !entry.startsWith(SIGN) && !PART.test(entry));
      const alive = await Promise.all(strangers.map((entry) => isAlive(join(directory(), entry))));
      return alive.includes(true);
    },

    /** Removes the files of contexts that have ended before they became members. @param {Set<string>} members */
    async sweep(members) {
      const known = new Set([...members].map(path));
      for (const entry of entries()) {
        const each = join(directory(), entry);
        // Judge accompanying files by their sign of life: by themselves they look dead, or always alive.
        const sign = each.replace(PART, '');
        if (known.has(sign)) continue;
        const { ctimeMs } = lstatSync(each, { throwIfNoEntry: false }) || { ctimeMs: Infinity };
        if (Date.now() - ctimeMs > STALE && !await isAlive(sign)) bury(each);
      }
    },
  };
};

/**
 * @param {string} name the manager's
 * @param {NodeOptions} options
 * @param {() => import('../core/types.js').Core} createCore
 * @returns {import('../log/types.js').LockLog}
 */
export const createNodeLog = (name, { scope, keepAlive = true, directory: parent }, createCore) => {
  // Resolve it now: the working directory may change later.
  const where = { scope, directory: parent === undefined ? undefined : resolve(parent) };
  let opened = '';
  /**
   * How far this clock is ahead of the host's. If log time jumped when a process of another time namespace writes it, all leases would end.
   */
  let ahead = 0;
  const directory = () => opened;
  const signs = scope === 'host' || parseInt(process.versions.node) >= SAFE_SOCKETS ? sockets : descriptors;
  const lines = scope === 'host' ? createLines(sockets, (client) => sockets.pathOf(directory(), SIGN + client)) : undefined;
  return createSharedLog({
    prepare() {
      opened = openDirectory(name, where);
      // This throws if the path is too long.
      signs.pathOf(opened, SIGN + randomId());
      if (lines) ahead = clockAhead() || 0;
    },
    createJournal: (parts) => createJournal({ directory, ...parts }),
    life: createLife(directory, signs, lines),
    bell: lines ? createProcessBell(process.platform, lines) : createThreadBell(directory),
    // It is unknown whether Bun and Deno deliver messages at once.
    arrivals: lines || process.versions.bun || process.versions.deno ? undefined : createArrivals(directory),
    now: () => now() - ahead,
    wallClock: readWallClock,
    randomId,
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
