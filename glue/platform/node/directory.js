/**
 * The directory of a manager, which only this user can enter. Every thread of a process must always find the same one by itself. So nothing
 * here depends on environment variables, since workers have their own. And an existing directory is preferred to a new one.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf } from './errors.js';
import { ABSENT, bootOf, hasEnded, isOurs, isUnused, namespaceOf, startOf, sweep, tell, userId } from './leftovers.js';
import { process } from './process.js';

/** Parent directories in which any user may make one, the likeliest first. */
const roots = () => process.platform === 'win32'
  ? [join(userInfo().homedir, 'AppData', 'Local', 'Temp')]
  : ['/tmp', '/dev/shm', '/var/tmp'];

/** The error codes of an unusable parent. They are permanent, as is a missing parent, so all threads and processes get the same ones. */
const UNUSABLE = [...ABSENT, 'EROFS', 'ELOOP', 'EACCES', 'EPERM', 'ERR_ACCESS_DENIED'];

/** @param {string} path @returns {boolean} whether the directory is new */
const make = (path) => {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
};

/**
 * Throws if other users could write into the directory, since their entries and sockets cannot be trusted.
 * @param {string} path
 * @param {string} advice
 */
const check = (path, advice) => {
  const user = userId();
  if (user === undefined) return;
  const found = lstatSync(path);
  const fault = !found.isDirectory() ? 'is no directory'
    : found.uid !== user ? 'belongs to another user'
      : found.mode & 0o077 ? 'can be entered by other users' : '';
  if (fault) throw new Error(`Lockkeeper: ${path} ${fault}. ${advice}`);
};

/**
 * What the user can do if no directory can be made in [parents].
 * @param {string} code of the error
 * @param {string[]} parents
 * @param {string} alternative
 */
const remedyFor = (code, parents, alternative) => {
  const places = parents.join(' or ');
  const either = alternative && `, or ${alternative}`;
  // This is Node's permission model.
  if (code === 'ERR_ACCESS_DENIED') return `Give this process --allow-fs-read and --allow-fs-write for ${places}${either}`;
  const isHopeless = [...ABSENT, 'EROFS', 'ELOOP'].includes(code);
  const isMissing = code === 'ENOENT' && !parents.some((parent) => tell(() => (statSync(parent) ? parent : '')));
  // Nothing helps if a file is in the way, in a directory like /proc, or on a read-only file system.
  if (isHopeless && !isMissing && alternative) return `Instead, ${alternative}`;
  return `${isMissing ? 'Create the directory' : 'Let this user write to'} ${places}${either}`;
};

/**
 * The directory [title] in the first of [parents] that already has one of this user; otherwise a new one in the first writable parent. So a
 * later context finds the same directory, even if another parent has become writable.
 * @param {string} title
 * @param {string[]} parents
 * @param {string} advice what to do if the directory exists and cannot be used
 * @param {string} [alternative] another remedy, if no directory can be made
 * @returns {{path: string, isNew: boolean}}
 */
const openIn = (title, parents, advice, alternative = '') => {
  const paths = parents.map((parent) => join(parent, title));
  const known = paths.find((path) => tell(() => (isOurs(path) ? path : '')));
  let /** @type {Error | undefined} */ failure;
  for (const path of known ? [known] : paths) {
    try {
      const isNew = make(path);
      check(path, advice);
      return { path, isNew };
    } catch (error) {
      if (!UNUSABLE.includes(codeOf(error))) throw error;
      failure = failure || /** @type {Error} */ (error);
    }
  }
  const remedy = remedyFor(codeOf(failure), parents, alternative);
  throw new Error(`Lockkeeper: no directory can be made for the locks (${failure?.message}). ${remedy}.`, { cause: failure });
};

/** @param {string} name */
const hashOf = (name) => createHash('sha256').update(Buffer.from(name, 'utf16le')).digest('base64url').slice(0, 12);

const CHANGED_USER = 'Where the process changes its user (setuid), it must do so before the first lock is asked for; '
  + 'where another user has made this directory, it must be removed.';

const PROCESS = /^lockkeeper-process-(\d+)-([\da-f]*-\d*)-(\d*)$/;

/** This process's directory; empty if not known yet. */
let ownDirectory = '';
export const processDirectory = () => ownDirectory;

/**
 * Opens this process's directory. Its name does not contain the user, since a process that changes its user must not have two directories.
 * @returns {string}
 */
const openProcess = () => {
  const boot = bootOf();
  const namespace = namespaceOf();
  // On Linux without /proc, it is unknown to which container and machine the process ids belong.
  const isKnown = (!!boot && !!namespace) || process.platform !== 'linux';
  const here = `${boot}-${namespace}`;
  const { path, isNew } = openIn(`lockkeeper-process-${process.pid}-${here}-${startOf('self')}`, roots(), CHANGED_USER);
  ownDirectory = path;
  if (isNew) {
    sweep(dirname(path), PROCESS, (entry, place) => {
      const [, pid, where, start] = /** @type {RegExpExecArray} */ (PROCESS.exec(entry));
      if (place === path) return false;
      const isNear = isKnown && where === here;
      if (isNear && hasEnded(Number(pid))) return true;
      // A different start may be another process's, or the same one seen from another time namespace.
      return !(isNear && startOf(Number(pid)) === start) && isUnused(place);
    });
  }
  return path;
};

const UNKNOWN_BOOT = 'scope \'host\' needs /proc/sys/kernel/random/boot_id, to meet the processes that can read it. '
  + 'Let this process read it (systemd: ProcSubset=all; Node\'s permission model: --allow-fs-read=/proc/).';

/** @param {string} name @param {string} [parent] @returns {string} */
const openHost = (name, parent) => {
  const user = userId() ?? tell(() => userInfo().username);
  const alternative = 'give all processes the same other directory: createLockManager({ scope: \'host\', directory })';
  const base = openIn(`lockkeeper-${user}`, parent === undefined ? roots() : [parent], `Remove it, or ${alternative}.`, alternative).path;
  const boot = bootOf();
  if (!boot && process.platform === 'linux') throw new Error(`Lockkeeper: ${UNKNOWN_BOOT}`);
  const path = join(base, `host-${boot}-${hashOf(name)}`);
  make(path);
  sweep(base, /^host-/, (entry, place) => !entry.startsWith(`host-${boot}-`) && isUnused(place));
  return path;
};

/**
 * @param {string} name the manager's
 * @param {{scope?: 'process' | 'host', directory?: string}} options [directory] replaces the usual parent
 * @returns {string} a directory that exists
 */
export const openDirectory = (name, { scope = 'process', directory }) => {
  if (scope === 'host') {
    // This throws if the process has changed its user. If no directory can be made, no thread has one, so that is ignored here.
    try {
      openProcess();
    } catch (error) {
      if (!(/** @type {Error} */ (error).cause)) throw error;
    }
    return openHost(name, directory);
  }
  const path = join(openProcess(), hashOf(name));
  make(path);
  return path;
};
