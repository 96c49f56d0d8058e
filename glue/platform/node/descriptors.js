/**
 * Signs of life for the threads of one process in Node before 22. There, sockets (./sockets.js) are dangerous: a thread that ends while
 * another connects to its socket can abort the process. Instead each thread opens a file. Threads share their file descriptors, and a
 * FileHandle's descriptor is closed when its worker has ended. (Others are closed only if the worker tracks its descriptors.) So an open
 * file shows that its thread lives. The file has no name, so it is deleted when it is closed, and Linux reports that to its watchers. If
 * that does not work, waiting threads check every LOOK milliseconds.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readFileSync, readSync, unlinkSync, watch, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { codeOf } from './errors.js';
import { process } from './process.js';
import { clearInterval, setImmediate, setInterval } from './timers.js';

/** Milliseconds between two checks, if the system does not report the end of a file. */
const LOOK = 20;

/** @typedef {{lives: () => boolean, onDeath: () => void, told: boolean, stop: () => void}} Watch */

/** @type {Set<Watch>} */
const watches = new Set();
/** @type {NodeJS.Timeout | undefined} */
let timer;
/** Whether the system has been seen to report the end of a file. A thread's first watch tests that. */
let proven = false;
let tried = false;

/** @param {Watch} each */
const look = (each) => {
  if (each.lives() || !watches.delete(each)) return;
  each.stop();
  each.onDeath();
};

const setLooking = () => {
  const needed = [...watches].some(({ told }) => !told || !proven);
  if (needed) timer = timer || setInterval(lookAtAll, LOOK).unref();
  else {
    clearInterval(timer);
    timer = undefined;
  }
};

const lookAtAll = () => {
  [...watches].forEach(look);
  setLooking();
};

/**
 * @param {number} descriptor
 * @param {() => void} onEnd called when its file ends, and perhaps at other times
 * @returns {() => void} stops
 */
const watchFile = (descriptor, onEnd) => {
  // This path reaches a file without a name.
  const watcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false }, onEnd);
  watcher.on('error', () => {});
  return () => watcher.close();
};

/** @param {string} path of a file that does not exist yet */
const tryOut = (path) => {
  if (tried) return;
  tried = true;
  try {
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    const stop = watchFile(descriptor, () => {
      proven = true;
      stop();
      setLooking();
    });
    closeSync(descriptor);
  } catch {
    // Not proven, so threads keep checking.
  }
};

/** Reads the description of a thread's open file from the file at [path]. @param {string} path */
const readSign = (path) => {
  const [descriptor, inode, mark] = readFileSync(path, 'latin1').split(' ');
  return { descriptor: Number(descriptor), inode, mark: Buffer.from(mark) };
};

/** Whether a thread's file is still open. @param {ReturnType<typeof readSign>} sign */
const isOpen = ({ descriptor, inode, mark }) => {
  try {
    const found = fstatSync(descriptor);
    const read = Buffer.alloc(mark.length);
    // Descriptors and inodes are reused. Only the content identifies the file's owner.
    return found.isFile() && String(found.ino) === inode
      && readSync(descriptor, read, 0, read.length, 0) === read.length && read.equals(mark);
  } catch (error) {
    return !['EBADF', 'ESPIPE', 'EISDIR'].includes(codeOf(error));
  }
};

/** @param {string} path of a thread's named file */
const find = (path) => {
  let /** @type {ReturnType<typeof readSign> | undefined} */ known;
  const sign = () => (known = known || readSign(path));
  return {
    /** Throws if the file is missing, or cannot be read now. */
    descriptor: () => sign().descriptor,

    /** Whether the thread lives, or may live. */
    lives() {
      try {
        return isOpen(sign());
      } catch (error) {
        return codeOf(error) !== 'ENOENT';
      }
    },
  };
};

/** @param {string} directory @param {string} client */
export const pathOf = (directory, client) => join(directory, client);

/** Removes the file of a dead context. @param {string} path */
export const bury = (path) => {
  try {
    unlinkSync(path);
  } catch {
    // It was removed already, or stays. Only its closed descriptor counts.
  }
};

/** @param {string} path @returns {Promise<{ref(): void, unref(): void, close(): void}>} */
export const holdAlive = async (path) => {
  const handle = await open(`${path}-`, 'wx+', 0o600);
  const release = () => {
    bury(path);
    handle.close().catch(() => {});
  };
  try {
    unlinkSync(`${path}-`);
    const mark = basename(path);
    writeSync(handle.fd, mark);
    writeFileSync(path, `${handle.fd} ${fstatSync(handle.fd).ino} ${mark}`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    release();
    throw error;
  }
  // A port can keep the thread alive, and a file cannot.
  const { port1 } = new MessageChannel();
  port1.on('message', () => {});
  port1.unref();
  return {
    ref: () => port1.ref(),
    unref: () => port1.unref(),
    close() {
      port1.close();
      release();
    },
  };
};

/** @param {string} path @param {() => void} onDeath @returns {() => void} stops the watch */
export const watchAlive = (path, onDeath) => {
  const { descriptor, lives } = find(path);
  /** @type {Watch} */
  const own = { lives, onDeath, told: false, stop() {} };
  watches.add(own);
  try {
    if (process.platform === 'linux') {
      own.stop = watchFile(descriptor(), () => look(own));
      own.told = true;
      tryOut(`${path}+`);
    }
  } catch {
    // The file has ended already, or the system has no watch left, or too many files are open.
  }
  // The file may have ended before it was watched.
  setImmediate(() => look(own));
  setLooking();
  return () => {
    watches.delete(own);
    own.stop();
    setLooking();
  };
};

/** @param {string} path @returns {Promise<boolean>} */
export const isAlive = async (path) => find(path).lives();
