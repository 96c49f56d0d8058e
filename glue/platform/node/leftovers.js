/**
 * What ended processes have left in a directory where many processes have theirs, and how to tell it from what others still use.
 */
import { lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { codeOf, mayPass } from './errors.js';
import { hrtime } from './timers.js';

/** The codes of a path that is missing. */
export const ABSENT = ['ENOENT', 'ENOTDIR'];

/** Milliseconds. Whoever uses a directory touches it twice a day. */
export const UNUSED = 7 * 24 * 3600 * 1000;

/** In a directory that seemed unused: what was seen, and when. */
export const MARK = 'unused';

/**
 * What the system tells of itself. All contexts must find the same, so a temporary error is no answer.
 * @param {() => string} read
 * @returns {string} empty if the system does not tell
 */
export const tell = (read) => {
  try {
    return read();
  } catch (error) {
    if (mayPass(error)) throw error;
    return '';
  }
};

/** Two containers that share a directory may have processes with the same id. */
export const namespaceOf = () => tell(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));

export const bootOf = () => tell(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));

/** This process's user; undefined where the system has no such numbers. @returns {number | undefined} */
export const userId = () => process.geteuid?.();

/** @param {string} path */
export const isOurs = (path) => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return !!found && (userId() === undefined || found.uid === userId());
};

/**
 * Whether nobody has this process id in this namespace. If somebody has, it may be another process by now. Nothing tells that for certain:
 * in a time namespace of its own, a process sees other start times than its neighbours.
 * @param {number} pid
 */
export const hasEnded = (pid) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
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

/**
 * A clock that nobody can set, and which one it is: each boot has its own, and so has each time namespace.
 * @typedef {{boot: string, namespace: string, steady: number, wall: number}} Clock in milliseconds
 * @returns {Clock}
 */
const readSteadyClock = () => ({
  boot: bootOf(),
  namespace: tell(() => readlinkSync('/proc/self/ns/time')),
  steady: Number(hrtime.bigint() / 1000000n),
  wall: Date.now(),
});

/** @param {string} path @returns {(Clock & {touched: string}) | undefined} */
const readMark = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) || undefined;
  } catch {
    // It was just made, or its writer has died.
    return undefined;
  }
};

/** @param {Clock} before @param {Clock} now @returns {number} milliseconds; not a number if these two tell nothing */
const ageOf = (before, now) => {
  // What was there before this boot has no users any more, so the wall clock will do.
  if (before.boot !== now.boot) return now.wall - before.wall;
  return before.namespace === now.namespace ? now.steady - before.steady : NaN;
};

/**
 * Whether nobody has touched a directory since somebody looked at it a week ago. How old the last touch is by the wall clock tells nothing:
 * that clock may have been set since.
 * @param {string} path of a manager's directory, or of one that contains such directories
 * @param {Clock} [now]
 * @returns {boolean} if it was touched since, the week begins now
 */
export const isUnused = (path, now = readSteadyClock()) => {
  const mark = join(path, MARK);
  // Before the times are read: a new file changes its directory's.
  writeFileSync(mark, '', { flag: 'a', mode: 0o600 });
  const places = [path, join(path, 'log', '0'), ...readdirSync(path).map((each) => join(path, each, 'log', '0'))];
  const touched = places.map(touchedAt).join();
  const before = readMark(mark);
  const age = before && before.touched === touched ? ageOf(before, now) : NaN;
  if (age >= 0) return age > UNUSED;
  writeFileSync(mark, JSON.stringify({ ...now, touched }));
  return false;
};

/** @param {() => void} clean may fail: another context will clean up */
const tryTo = (clean) => {
  try {
    clean();
  } catch {
    // Also the directories of other users are left to them.
  }
};

/** @param {string} parent @param {(entry: string, path: string) => boolean} isLeftover asked for this user's own alone */
export const sweep = (parent, isLeftover) => tryTo(() => {
  for (const entry of readdirSync(parent)) {
    const path = join(parent, entry);
    tryTo(() => isOurs(path) && isLeftover(entry, path) && rmSync(path, { recursive: true, force: true }));
  }
});
