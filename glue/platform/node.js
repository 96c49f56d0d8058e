/**
 * The log in Node, for all threads of a process, and with `scope: 'host'` for all processes of a user on one host. Nothing here runs
 * before a manager's first use. docs/node.md says how it works and what it costs.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, utimes } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { createArrivals } from './node/arrivals.js';
import { createProcessBell, createThreadBell } from './node/bell.js';
import * as descriptors from './node/descriptors.js';
import { openDirectory, processDirectory } from './node/directory.js';
import { createJournal } from './node/journal.js';
import { clockAhead } from './node/leftovers.js';
import { createLines } from './node/lines.js';
import { createSharedLog } from './node/log.js';
import { sockets } from './node/sockets.js';
import { clearTimeout, hrtime, setImmediate, setTimeout } from './node/timers.js';
import { wholeMilliseconds } from './wall-clock.js';

/**
 * @typedef {object} NodeOptions
 * @property {'process' | 'host'} [scope] who shares the manager: all threads of this process, or all processes of this user on the host
 * @property {boolean} [keepAlive] whether held locks and waiting requests keep the thread alive; true by default
 * @property {string} [directory] for [scope] 'host': the parent of the directory in which the processes meet
 */

/** Before this version of Node, a thread that ends while somebody connects to its socket can abort the process. */
const SAFE_SOCKETS = 22;

/** Milliseconds. A client's file that is this old and belongs to nobody alive is left over, and not one that is just being made. */
const STALE = 3600 * 1000;

/** The first letter of the file that shows that a context lives. Earlier formats of the journal had other digits and letters there. */
const SIGN = 'h';
/** The last character of files that belong to such a file. */
const PART = /[-+!]$/;

/** Milliseconds of a clock that all threads share, and all processes of the host that are in one time namespace. */
const now = () => {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};

/** Unique even if the file system ignores case. Short, since every record has it. */
const randomId = () => randomUUID().replace(/-/g, '').slice(0, 24);

/**
 * Shows that contexts live, by files and sockets in a directory.
 * @param {() => string} directory
 * @param {typeof sockets | typeof descriptors} signs
 * @param {Pick<ReturnType<typeof createLines>, 'hold' | 'watch'>} [lines] between processes: these show life too
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
        // What belongs to a sign of life goes with it, and does not look alive by itself, or always does.
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
 * @param {(options: {fence: number}) => import('../core/types.js').Core} createCore
 * @returns {import('../log/types.js').LockLog}
 */
export const createNodeLog = (name, { scope, keepAlive = true, directory: parent }, createCore) => {
  // Resolved now: the working directory may change later.
  const where = { scope, directory: parent === undefined ? undefined : resolve(parent) };
  let opened = '';
  /** Log time must not jump when a process of another time namespace writes it: all leases would be over. */
  let ahead = 0;
  const directory = () => opened;
  const signs = scope === 'host' || parseInt(process.versions.node) >= SAFE_SOCKETS ? sockets : descriptors;
  const lines = scope === 'host' ? createLines(sockets, (client) => sockets.pathOf(directory(), SIGN + client)) : undefined;
  return createSharedLog({
    prepare() {
      opened = openDirectory(name, where);
      // This throws where the path is too long.
      signs.pathOf(opened, SIGN + randomId());
      if (lines) ahead = clockAhead() || 0;
    },
    createJournal: (parts) => createJournal({ directory, ...parts }),
    life: createLife(directory, signs, lines),
    bell: lines ? createProcessBell(process.platform, lines) : createThreadBell(directory),
    // Whether Bun and Deno deliver messages at once is not known.
    arrivals: lines || process.versions.bun || process.versions.deno ? undefined : createArrivals(directory),
    now: () => now() - ahead,
    // A program may have replaced it.
    wallClock: () => wholeMilliseconds(Date.now()),
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
