/**
 * Where the contexts of one manager meet: a directory that only this user can enter. Every thread of a process must arrive at the same
 * one without being told, so nothing here depends on the environment variables, which each worker has of its own.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
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

/** Directories in which anybody may make one; the first that is there and can be written is taken. */
const roots = () => process.platform === 'win32'
  ? [join(userInfo().homedir, 'AppData', 'Local', 'Temp')]
  : ['/tmp', '/dev/shm', '/var/tmp'];

/** Missing or not writable for good, so for every thread and process alike. */
const UNUSABLE = ['ENOENT', 'ENOTDIR', 'EROFS', 'EACCES', 'EPERM'];

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

/**
 * What others could have written is not trusted: neither their entries nor their sockets.
 * @param {string} path
 */
const check = (path) => {
  const { geteuid } = process;
  if (!geteuid) return;
  const found = lstatSync(path);
  const fault = !found.isDirectory() ? 'is no directory'
    : found.uid !== geteuid.call(process) ? 'belongs to another user'
      : found.mode & 0o077 ? 'can be entered by other users' : '';
  if (fault) throw new Error(`Lockkeeper: ${path} ${fault}; no locks can be had until it is removed`);
};

/** @param {string} [parent] */
const openBase = (parent) => {
  const { geteuid } = process;
  const title = `lockkeeper-${geteuid ? geteuid.call(process) : tell(() => userInfo().username)}`;
  let /** @type {unknown} */ failure;
  for (const root of parent ? [parent] : roots()) {
    const path = join(root, title);
    try {
      make(path);
    } catch (error) {
      if (!UNUSABLE.includes(codeOf(error))) throw error;
      failure = error;
      continue;
    }
    check(path);
    return path;
  }
  throw failure;
};

/** The start of a process in clock ticks since the boot: process ids come again, this pair does not. @param {number | 'self'} pid */
const startOf = (pid) => tell(() => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').split(' ')[20]);

/** Containers that share a directory may each have a process of the same id. */
const namespaceOf = () => tell(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));

const bootOf = () => tell(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));

/** @param {string} name */
const hashOf = (name) => createHash('sha256').update(Buffer.from(name, 'utf16le')).digest('base64url').slice(0, 12);

/** @param {number} pid */
const lives = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
};

/** Removes what ended processes have left. @param {string} base @param {string} namespace */
const sweep = (base, namespace) => {
  for (const entry of readdirSync(base)) {
    const [, pid, where] = /^process-(\d+)-(\d*)-/.exec(entry) || [];
    if (pid && where === namespace && !lives(Number(pid))) tell(() => String(rmSync(join(base, entry), { recursive: true, force: true })));
  }
};

/**
 * @param {string} name the manager's
 * @param {{scope?: 'process' | 'host', directory?: string}} options [directory] is another parent than the usual one
 * @returns {string} a directory that exists
 */
export const openDirectory = (name, { scope = 'process', directory }) => {
  const base = openBase(directory);
  const namespace = namespaceOf();
  const path = scope === 'host'
    ? join(base, `host-${bootOf()}-${hashOf(name)}`)
    : join(base, `process-${process.pid}-${namespace}-${startOf('self')}-${hashOf(name)}`);
  if (make(path) && scope === 'process') sweep(base, namespace);
  return path;
};
