/**
 * The directory of a manager, which only this user can enter. Every thread of a process must find the same one, at any time, without being
 * told. So nothing here depends on environment variables, since workers have their own. And an existing directory comes before one that
 * could be made now.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { codeOf, mayPass } from './errors.js';

/**
 * What this finds is a part of the directory's name. So it must be the same for all, and a temporary error is no answer.
 * @param {() => string} read
 * @returns {string} empty if the system does not tell
 */
const tell = (read) => {
  try {
    return read();
  } catch (error) {
    if (mayPass(error)) throw error;
    return '';
  }
};

/** Directories in which anybody may make one, the likeliest first. */
const roots = () => process.platform === 'win32'
  ? [join(userInfo().homedir, 'AppData', 'Local', 'Temp')]
  : ['/tmp', '/dev/shm', '/var/tmp'];

/** The codes of a parent that is missing, or that cannot be used. Both last, so all threads and processes find the same. */
const ABSENT = ['ENOENT', 'ENOTDIR'];
const UNUSABLE = [...ABSENT, 'EROFS', 'ELOOP', 'EACCES', 'EPERM'];

/** Milliseconds. A directory that was not touched for this long is not in use: an open journal is touched twice a day. */
const FORGOTTEN = 7 * 24 * 3600 * 1000;

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

/** This process's user; undefined where the system has no such numbers. @returns {number | undefined} */
const userId = () => process.geteuid?.();

/**
 * Throws if other users could write into the directory: their entries and sockets cannot be trusted.
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
 * What to do where no directory can be made in [parents].
 * @param {string} code of the error
 * @param {string[]} parents
 * @param {string} alternative
 */
const remedyFor = (code, parents, alternative) => {
  const places = parents.join(' or ');
  const isHopeless = [...ABSENT, 'EROFS', 'ELOOP'].includes(code);
  const isMissing = code === 'ENOENT' && !parents.some((parent) => tell(() => (statSync(parent) ? parent : '')));
  // Nothing helps in the place of a file, in a directory like /proc, or where nobody can write.
  if (isHopeless && !isMissing && alternative) return `Instead, ${alternative}`;
  return `${isMissing ? 'Create the directory' : 'Let this user write to'} ${places}${alternative && `, or ${alternative}`}`;
};

/**
 * The directory [title] in the first of [parents] that already has one of this user; otherwise a new one in the first parent that can be
 * written. So a context that comes later finds the same directory, even if another parent has become writable.
 * @param {string} title
 * @param {string[]} parents
 * @param {string} advice what to do if the directory exists and cannot be used
 * @param {string} [alternative] another remedy, if none can be made
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

/**
 * The start of a process, in clock ticks since the boot. Process ids are reused; an id together with its start is not.
 * @param {number | 'self'} pid
 */
const startOf = (pid) => tell(() => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').split(' ')[20]);

/** Two containers that share a directory may have processes with the same id. */
const namespaceOf = () => tell(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));

const bootOf = () => tell(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));

/** @param {string} name */
const hashOf = (name) => createHash('sha256').update(Buffer.from(name, 'utf16le')).digest('base64url').slice(0, 12);

/** Otherwise /proc has other processes under these numbers, as in a container that sees its host's. */
const isOwnProc = () => tell(() => readlinkSync('/proc/self')) === String(process.pid);

/** @param {number} pid @param {string} start */
const lives = (pid, start) => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
  const now = isOwnProc() && startOf(pid);
  return !now || now === start;
};

/** @param {string} path @returns {number} when it was changed or touched; 0 if it is missing */
const touchedAt = (path) => {
  try {
    return lstatSync(path).mtimeMs;
  } catch (error) {
    if (!ABSENT.includes(codeOf(error))) throw error;
    return 0;
  }
};

/** @param {string} path of a manager's directory, or of one of such directories */
const isForgotten = (path) => {
  const places = [path, join(path, 'log', '0'), ...readdirSync(path).map((each) => join(path, each, 'log', '0'))];
  return Date.now() - Math.max(...places.map(touchedAt)) > FORGOTTEN;
};

/** @param {() => void} clean may fail: another context will clean up */
const tryTo = (clean) => {
  try {
    clean();
  } catch {
    // Also the directories of other users are left to them.
  }
};

/** Removes what ended processes have left. @param {string} parent @param {(entry: string, path: string) => boolean} isLeftover */
const sweep = (parent, isLeftover) => tryTo(() => {
  for (const entry of readdirSync(parent)) {
    const path = join(parent, entry);
    tryTo(() => isLeftover(entry, path) && isOurs(path) && rmSync(path, { recursive: true, force: true }));
  }
});

const CHANGED_USER = 'Where the process changes its user (setuid), it must do so before the first lock is asked for; '
  + 'where another user has made this directory, it must be removed.';

/**
 * This process's directory. Its name does not contain the user: a process that changes its user must not have two directories.
 * @returns {string}
 */
const openProcess = () => {
  const namespace = namespaceOf();
  // On Linux without /proc, it is not known to which container the process ids belong.
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
  const alternative = 'give all processes the same other directory: createLockManager({ scope: \'host\', directory })';
  const base = openIn(`lockkeeper-${user}`, parent === undefined ? roots() : [parent], `Remove it, or ${alternative}.`, alternative).path;
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
    // This throws if the process has changed its user. If no directory can be made, no thread has one, and that does not matter here.
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
