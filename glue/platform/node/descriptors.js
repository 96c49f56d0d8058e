/**
 * Who lives, for the threads of one process in Node before 22: there, a thread that is ended while somebody connects to its socket takes
 * the process with it. Threads share their file descriptors, and a FileHandle's is closed when its worker has ended (any other one only
 * where the worker tracks its descriptors); so a file that is still open shows that its thread lives. It is a file without a name, gone
 * once it is closed, and Linux tells those who watch it. Where that does not work, those who wait look every so often.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, unlinkSync, watch, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { clearInterval, setImmediate, setInterval } from 'node:timers';
import { MessageChannel } from 'node:worker_threads';
import { codeOf } from './directory.js';

/** Milliseconds between two looks, where nobody tells. */
const LOOK = 20;

/** @typedef {{lives: () => boolean, onDeath: () => void, told: boolean, stop: () => void}} Watch */

/** @type {Set<Watch>} */
const watches = new Set();
/** @type {NodeJS.Timeout | undefined} */
let timer;
/** Whether the end of a file is told here: tried out by the first watch of a thread, and relied upon from then on. */
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

/** @param {number} descriptor @param {() => void} onEnd called when its file ends, and maybe at other times @returns {() => void} stops */
const watchFile = (descriptor, onEnd) => {
  // By this path a file without a name can be had.
  const watcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false }, onEnd);
  watcher.on('error', () => {});
  return () => watcher.close();
};

/** @param {string} path of a file that can be made for the purpose */
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
    // Looking goes on.
  }
};

/** @param {string} path @returns {{descriptor: number, lives: () => boolean}} whether its thread's file is still open */
const find = (path) => {
  try {
    const text = readFileSync(path, 'latin1');
    const [number, inode, mark] = text.split(' ');
    const descriptor = Number(number);
    const expected = Buffer.from(mark);
    const read = Buffer.alloc(expected.length);
    return {
      descriptor,
      // Numbers of descriptors and inodes come again: only what is in the file is its owner's alone.
      lives() {
        try {
          const found = fstatSync(descriptor);
          return found.isFile() && String(found.ino) === inode
            && readSync(descriptor, read, 0, read.length, 0) === read.length && read.equals(expected);
        } catch (error) {
          return !['EBADF', 'ESPIPE', 'EISDIR'].includes(codeOf(error));
        }
      },
    };
  } catch (error) {
    const gone = codeOf(error) === 'ENOENT';
    return { descriptor: -1, lives: () => !gone };
  }
};

/** @param {string} directory @param {string} client */
export const pathOf = (directory, client) => join(directory, client);

/** @param {string} path @returns {Promise<{ref(): void, unref(): void, close(): void}>} */
export const holdAlive = async (path) => {
  const handle = await open(`${path}-`, 'wx+', 0o600);
  const release = () => {
    rmSync(path, { force: true });
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
  // Something that can keep the thread alive.
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

/** @param {string} path @param {() => void} onDeath @returns {() => void} stops caring */
export const watchAlive = (path, onDeath) => {
  const { descriptor, lives } = find(path);
  /** @type {Watch} */
  const own = { lives, onDeath, told: false, stop() {} };
  watches.add(own);
  try {
    if (process.platform === 'linux') {
      own.stop = watchFile(descriptor, () => look(own));
      own.told = true;
      tryOut(`${path}+`);
    }
  } catch {
    // It has ended already, or the system has no watch left.
  }
  // It may have ended before it was watched.
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

/** Removes what a dead context has left. @param {string} path */
export const bury = (path) => rmSync(path, { force: true });
