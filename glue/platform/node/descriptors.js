/**
 * Who lives, for the threads of one process in Node before 22: there, a thread that is ended while somebody connects to its socket takes
 * the process with it. Threads share their file descriptors, and those that a worker has opened are closed when it has ended; so a file
 * that is still open shows that its thread lives. Nobody tells when it is closed: those who wait look.
 */
import { closeSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { MessageChannel } from 'node:worker_threads';
import { codeOf } from './directory.js';

/** Milliseconds between two looks. */
const LOOK = 5;

/** Who looks, and at what; one timer for all. @type {Map<() => boolean, () => void>} */
const watched = new Map();
/** @type {NodeJS.Timeout | undefined} */
let timer;

const lookAtAll = () => {
  for (const [lives, onDeath] of [...watched]) {
    if (lives() || !watched.delete(lives)) continue;
    onDeath();
  }
  stopWhenIdle();
};

const stopWhenIdle = () => {
  if (watched.size) return;
  clearInterval(timer);
  timer = undefined;
};

/** @param {string} path @returns {() => boolean} whether its file is still open */
const lookAt = (path) => {
  try {
    const descriptor = Number(readFileSync(path, 'latin1'));
    const { dev, ino } = statSync(path);
    return () => {
      try {
        const found = fstatSync(descriptor);
        return found.ino === ino && found.dev === dev;
      } catch (error) {
        return codeOf(error) !== 'EBADF';
      }
    };
  } catch (error) {
    const gone = codeOf(error) === 'ENOENT';
    return () => !gone;
  }
};

/** @param {string} path @returns {Promise<{ref(): void, unref(): void, close(): void}>} */
export const holdAlive = async (path) => {
  const descriptor = openSync(path, 'wx', 0o600);
  writeSync(descriptor, String(descriptor));
  // Something that can keep the thread alive.
  const { port1 } = new MessageChannel();
  port1.on('message', () => {});
  port1.unref();
  return {
    ref: () => port1.ref(),
    unref: () => port1.unref(),
    close() {
      port1.close();
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
};

/** @param {string} path @param {() => void} onDeath @returns {() => void} stops caring */
export const watchAlive = (path, onDeath) => {
  const lives = lookAt(path);
  watched.set(lives, onDeath);
  timer = timer || setInterval(lookAtAll, LOOK).unref();
  return () => {
    watched.delete(lives);
    stopWhenIdle();
  };
};

/** @param {string} path @returns {Promise<boolean>} */
export const isAlive = async (path) => lookAt(path)();
