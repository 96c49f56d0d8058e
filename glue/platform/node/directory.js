/**
 * Where the contexts of one manager meet: a directory that only this user can enter. Every thread of a process must arrive at the same
 * one without being told, at any time. So nothing here depends on environment variables, which each worker has of its own, and what is
 * there already counts for more than what could be made now.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** @param {() => string} read @returns {string} empty where the system does not tell */
const tell = (read) => {
  try {
    return read();
  } catch {
    return '';
  }
};

/** @param {unknown} error */
export const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code || '';

/** Directories in which anybody may make one, the likeliest first. */
const roots = () => process.platform === 'win32'
  ? [join(userInfo().homedir, 'AppData', 'Local', 'Temp')]
  : ['/tmp', '/dev/shm', '/var/tmp'];

/** Missing or not writable for good, so for every thread and process alike. */
const ABSENT = ['ENOENT', 'ENOTDIR'];
const UNUSABLE = [...ABSENT, 'EROFS', 'EACCES', 'EPERM'];

/** What was not touched for so many milliseconds is nobody's: an open journal is touched twice a day. */
const FORGOTTEN = 7 * 24 * 3600 * 1000;

/** @param {string} path @returns {boolean} whether it was not there before */
const make = (path) => {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
};

/** This process's user; undefined where the system has no such numbers. @returns {number | undefined} */
const userId = () => process.geteuid?.();

/**
 * What others could have written is not trusted: neither their entries nor their sockets.
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

/** @param {string} path */
const isOurs = (path) => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return !!found && (userId() === undefined || found.uid === userId());
};

/**
 * The directory [title] in the first of [parents] that has one of ours; else a new one in the first that takes it. So whoever comes later
 * finds the same one, even if another parent can be written by then.
 * @param {string} title
 * @param {string[]} parents
 * @param {string} advice what to do where it is there and cannot be used
 * @param {string} [alternative] to what helps where none can be made
 * @returns {{path: string, isNew: boolean}}
 */
const openIn = (title, parents, advice, alternative = '') => {
  const paths = parents.map((parent) => join(parent, title));
  const known = paths.find((path) => tell(() => (isOurs(path) ? path : '')));
  let /** @type {any} */ failure;
  for (const path of known ? [known] : paths) {
    try {
      const isNew = make(path);
      check(path, advice);
      return { path, isNew };
    } catch (error) {
      if (!UNUSABLE.includes(codeOf(error))) throw error;
      failure = failure || error;
    }
  }
  const remedy = `${ABSENT.includes(codeOf(failure)) ? 'Create the directory' : 'Let this user write to'} ${parents.join(' or ')}`;
  throw new Error(`Lockkeeper: no directory can be made for the locks (${failure.message}). ${remedy}${alternative}.`, { cause: failure });
};

/** The start of a process in clock ticks since the boot: process ids come again, this pair does not. @param {number | 'self'} pid */
const startOf = (pid) => tell(() => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').split(' ')[20]);

/** Containers that share a directory may each have a process of the same id. */
const namespaceOf = () => tell(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));

const bootOf = () => tell(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));

/** @param {string} name */
const hashOf = (name) => createHash('sha256').update(Buffer.from(name, 'utf16le')).digest('base64url').slice(0, 12);

/** @param {number} pid @param {string} start */
const lives = (pid, start) => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
  const now = startOf(pid);
  return !now || now === start;
};

/** @param {string} path of a manager's directory, or of one of such directories */
const isForgotten = (path) => {
  const places = [path, join(path, 'log', '0'), ...readdirSync(path).map((each) => join(path, each, 'log', '0'))];
  const touched = places.map((place) => lstatSync(place, { throwIfNoEntry: false })?.mtimeMs || 0);
  return Date.now() - Math.max(...touched) > FORGOTTEN;
};

/** @param {string} parent @param {(entry: string, path: string) => boolean} isLeftover */
const sweep = (parent, isLeftover) => {
  for (const entry of readdirSync(parent)) {
    const path = join(parent, entry);
    // Other users' are theirs to remove.
    tell(() => String(isLeftover(entry, path) && isOurs(path) && rmSync(path, { recursive: true, force: true })));
  }
};

const CHANGED_USER = 'Where the process changes its user (setuid), it must do so before the first lock is asked for; '
  + 'where another user has made this directory, it must be removed.';

/**
 * This process's directory. It is not named by the user: a process that changes its user must not have two.
 * @returns {string}
 */
const openProcess = () => {
  const namespace = namespaceOf();
  // Without /proc, Linux does not say whose numbers of processes these are.
  const isKnown = !!namespace || process.platform !== 'linux';
  const title = `lockkeeper-process-${process.pid}-${namespace}-${startOf('self')}`;
  const { path, isNew } = openIn(title, roots(), CHANGED_USER);
  if (isNew) {
    sweep(dirname(path), (entry, place) => {
      const [, pid, where, start] = /^lockkeeper-process-(\d+)-(\d*)-(\d*)$/.exec(entry) || [];
      return !!pid && (isKnown && where === namespace ? !lives(Number(pid), start) : isForgotten(place));
    });
  }
  return path;
};

/** @param {string} name @param {string} [parent] @returns {string} */
const openHost = (name, parent) => {
  const user = userId() ?? tell(() => userInfo().username);
  const alternative = `, or give all processes the same other directory: createLockManager({ scope: 'host', directory })`;
  const base = openIn(`lockkeeper-${user}`, parent === undefined ? roots() : [parent], `Remove it${alternative}.`, alternative).path;
  const boot = bootOf();
  const path = join(base, `host-${boot}-${hashOf(name)}`);
  if (make(path)) sweep(base, (entry, place) => /^host-/.test(entry) && !entry.startsWith(`host-${boot}-`) && isForgotten(place));
  return path;
};

/**
 * @param {string} name the manager's
 * @param {{scope?: 'process' | 'host', directory?: string}} options [directory] is another parent than the usual one
 * @returns {string} a directory that exists
 */
export const openDirectory = (name, { scope = 'process', directory }) => {
  if (scope === 'host') {
    // It shows whether this process has changed its user; where none can be made, no thread has one.
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
