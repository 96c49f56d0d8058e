/** What ended processes have left in a shared parent directory, and how to tell it from what others still use. */
import { closeSync, constants, lstatSync, openSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, mayPass } from './errors.js';
import { process } from './process.js';
import { hrtime, readWallClock } from './timers.js';

/** The error codes of a missing path. */
export const ABSENT = ['ENOENT', 'ENOTDIR'];

const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
/** Another user could have put a link or a pipe in the place of a file. Windows has neither flag. */
const NO_LINK = (constants.O_NOFOLLOW || 0) | (constants.O_NONBLOCK || 0);

/** Milliseconds. A process that uses a directory touches it twice a day. */
const DAY = 24 * 3600 * 1000;
const UNUSED = 7 * DAY;

/** The name of a file in a directory that seemed unused: it records what was seen, and when. */
const MARK = 'unused';

/** How many leftovers one sweep checks at most, since a first request waits for it. */
const MOST = 100;

/**
 * Information about the system. All contexts must get the same, so a temporary error is thrown.
 * @param {() => string} read
 * @returns {string} empty if the system does not provide it
 */
export const tell = (read) => {
  try {
    return read();
  } catch (error) {
    if (mayPass(error)) throw error;
    return '';
  }
};

/** Tells apart two containers that share a directory: they may have processes with the same id. */
export const namespaceOf = () => tell(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));

export const bootOf = () => tell(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));

/** This process's user; undefined if the system has no user ids. @returns {number | undefined} */
export const userId = () => process.geteuid?.();

/** @param {string} path */
export const isOurs = (path) => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return !!found && (userId() === undefined || found.uid === userId());
};

/** Other users may have moved a directory that they can write to here, so such a directory does not count. @param {string} path */
const isPrivate = (path) => {
  const found = lstatSync(path);
  return found.isDirectory() && (userId() === undefined || (found.uid === userId() && !(found.mode & 0o077)));
};

/**
 * The start of a process, in clock ticks since the boot. Process ids are reused; an id together with its start is not.
 * @param {number | 'self'} pid
 */
export const startOf = (pid) => tell(() => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').split(' ')[20]);

/** Whether no process in this namespace has this id. If one has, it may be another process by now. @param {number} pid */
export const hasEnded = (pid) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
};

/** @param {string} path @returns {number} when the system recorded its last change or touch; 0 if it is missing */
const touchedAt = (path) => {
  try {
    return lstatSync(path).ctimeMs;
  } catch (error) {
    if (!ABSENT.includes(codeOf(error))) throw error;
    return 0;
  }
};

/**
 * How many milliseconds this process's steady clock is ahead of the host's, because of a time namespace. NaN if this process cannot tell.
 * @returns {number}
 */
export const clockAhead = () => {
  if (process.platform !== 'linux') return 0;
  if (!namespaceOf()) return NaN;
  const own = tell(() => readlinkSync('/proc/self/ns/time'));
  // Linux before 5.6 has no time namespaces.
  if (!own) return 0;
  // The file has the offsets of this process's children.
  const [, seconds, nanoseconds] = tell(() => readlinkSync('/proc/self/ns/time_for_children')) === own
    && /^monotonic +(-?\d+) +(\d+)$/m.exec(tell(() => readFileSync('/proc/self/timens_offsets', 'latin1'))) || [];
  return Number(seconds) * 1e3 + Number(nanoseconds) / 1e6;
};

/**
 * Milliseconds of a clock that nobody can set and that all processes of this boot share; NaN if this process cannot tell.
 * @returns {number}
 */
const steadyTime = () => Number(hrtime.bigint() / 1000000n) - clockAhead();

/**
 * @typedef {{boot: string, steady: number, wall: number}} Clock in milliseconds
 * @returns {Clock}
 */
const readClock = () => ({ boot: bootOf(), steady: steadyTime(), wall: readWallClock() });

/** @param {Clock} clock whether the clock of another boot would be recognized as another one */
const isKnown = ({ boot, steady }) => (!!boot || process.platform !== 'linux') && steady >= 0;

/** @template T @param {string} path @param {number} flags @param {(descriptor: number) => T} act @returns {T} */
const withFile = (path, flags, act) => {
  const descriptor = openSync(path, flags | NO_LINK, 0o600);
  try {
    return act(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * @typedef {Clock & {passed: number, touched: string}} Mark [passed]: milliseconds since a process first saw the directory in its current
 *   state
 * @param {string} path
 * @returns {Mark | undefined}
 */
const readMark = (path) => {
  try {
    return JSON.parse(withFile(path, O_RDONLY, (descriptor) => readFileSync(descriptor, 'utf8'))) || undefined;
  } catch {
    // The file was just created, or its writer has died.
    return undefined;
  }
};

/** @param {Mark} before @param {Clock} now @returns {number} milliseconds since a process first saw the directory in its current state */
const passedSince = ({ boot, steady, wall, passed }, now) => {
  if (boot === now.boot) return passed + (now.steady - steady);
  // Usually no process has survived that boot. But a container may have its own boot id, and the wall clock may have been set. So wait for
  // a day of this boot, too: by then every user of the directory has touched it.
  return Math.min(passed + Math.max(now.wall - wall, 0), UNUSED - DAY);
};

/**
 * Whether no process has touched a directory since it was checked a week ago. The age of the last touch by the wall clock says nothing:
 * that clock may have been set since.
 * @param {string} path of a manager's directory, or of one that contains such directories
 * @param {Clock} [now]
 * @returns {boolean} false if it was touched since; then the week begins now
 */
export const isUnused = (path, now = readClock()) => {
  if (!isKnown(now)) return false;
  const mark = join(path, MARK);
  // Create the file before the times are read, since that changes the directory's time.
  withFile(mark, O_WRONLY | O_CREAT, () => {});
  const places = [path, join(path, 'log', '0'), ...readdirSync(path).map((each) => join(path, each, 'log', '0'))];
  const touched = places.map(touchedAt).join();
  const before = readMark(mark);
  const passed = before && before.touched === touched ? passedSince(before, now) : 0;
  if (passed > UNUSED) return true;
  const text = JSON.stringify({ ...now, passed: Math.max(passed, 0) || 0, touched });
  withFile(mark, O_WRONLY | O_TRUNC, (descriptor) => writeFileSync(descriptor, text));
  return false;
};

/** @param {() => void} clean may fail; then another context will clean up */
const tryTo = (clean) => {
  try {
    clean();
  } catch {
    // This includes the directories of other users.
  }
};

/**
 * Deletes the directories that ended processes have left.
 * @param {string} parent
 * @param {RegExp} pattern of the names of such directories
 * @param {(entry: string, path: string) => boolean} isLeftover called for this user's own directories
 */
export const sweep = (parent, pattern, isLeftover) => tryTo(() => {
  const entries = readdirSync(parent).filter((entry) => pattern.test(entry));
  // Start at random, so that the next sweep checks others.
  const first = Math.floor(Math.random() * entries.length);
  for (const entry of [...entries.slice(first), ...entries.slice(0, first)].slice(0, MOST)) {
    const path = join(parent, entry);
    tryTo(() => isPrivate(path) && isLeftover(entry, path) && rmSync(path, { recursive: true, force: true }));
  }
});
