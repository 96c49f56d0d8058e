/** The files of a journal, in one folder. A file's name begins with its number. ./journal.js explains which files count. */
import { Buffer } from 'node:buffer';
import {
  closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, rmSync, statSync, utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { HEAD } from './beginning.js';
import { codeOf } from './errors.js';

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

/** The name of the first file. */
export const FIRST = '0';

/** How many first bytes identify a file: they contain the id of its head. */
const START = 128;

/** @param {string} name */
export const numberOf = (name) => parseInt(name, 10);

/** @param {() => string} directory of the manager */
export const createFiles = (directory) => {
  /** The first file's inode. New contexts open that file by its name, so it must stay the same file. */
  let firstInode = 0;
  /** The first bytes of that file when this context left it. */
  let firstStart = '';
  const folder = () => join(directory(), 'log');
  const path = (/** @type {string} */ name) => join(folder(), name);
  const list = () => readdirSync(folder());

  /** @param {string} name @param {number} [flags] @returns {number} the descriptor, for appending */
  const open = (name, flags = 0) => openSync(path(name), flags | O_RDWR | O_APPEND, 0o600);

  /** @param {number} descriptor */
  const close = (descriptor) => {
    try {
      closeSync(descriptor);
    } catch {
      // The descriptor is free nevertheless, and may already belong to another file.
    }
  };

  /** The first bytes of the file. @param {number} descriptor */
  const startOf = (descriptor) => {
    const bytes = Buffer.alloc(START);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, START, 0));
  };

  return {
    get folder() {
      return folder();
    },
    path,

    /** Opens the first file, and creates it if it is missing. @returns {number} */
    openFirst() {
      try {
        mkdirSync(folder(), { mode: 0o700 });
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      const descriptor = open(FIRST, O_CREAT);
      firstInode = fstatSync(descriptor).ino;
      return descriptor;
    },

    /** @param {string} name @returns {number} -1 if it is missing */
    open(name) {
      try {
        return open(name);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        return -1;
      }
    },

    close,
    startOf,

    /** Call it before leaving the first file for another one. @param {number} descriptor */
    leaveFirst(descriptor) {
      firstStart = startOf(descriptor);
    },

    isFirstRemoved: () => statSync(path(FIRST), { throwIfNoEntry: false })?.ino !== firstInode,

    /** Whether the first file, since left, was emptied, and another journal was begun there. An empty file does no harm. */
    isBegunAnew() {
      const first = open(FIRST);
      try {
        const start = startOf(first);
        return start !== '' && (firstStart === '' || !start.startsWith(firstStart));
      } finally {
        close(first);
      }
    },

    /** @param {string} name */
    has: (name) => !!statSync(path(name), { throwIfNoEntry: false }),

    /** Creates a new, empty file. @param {string} name */
    create: (name) => closeSync(open(name, O_CREAT | O_EXCL)),

    /**
     * Whether the journal goes on in files with higher numbers. If so, and this file has no head, it was removed or emptied.
     * @param {string} name
     * @returns {boolean}
     */
    goesOnAfter: (name) => list().some((each) => {
      try {
        return numberOf(each) > numberOf(name) && readFileSync(path(each), 'latin1').includes(`\n${HEAD}`);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        return false;
      }
    }),

    /** @returns {string[]} their names, the newest last */
    list: () => list().sort((a, b) => numberOf(a) - numberOf(b)),

    /**
     * Removes files that are no longer needed.
     * @param {string} current the file that is being written
     * @param {string} [unused] a file that was created as the next one, but another writer's close came first
     */
    removeOld(current, unused) {
      const number = numberOf(current);
      for (const each of list()) {
        // If several writers create the next file, a close names only one of them. The others are never used.
        const unnamed = unused ? each === unused : numberOf(each) === number && each !== current;
        const old = numberOf(each) < number && each !== FIRST;
        if (unnamed || old) rmSync(path(each), { force: true });
      }
    },

    /** Touches the files, so that no other context takes them for leftovers. @param {string[]} names */
    touch(names) {
      const time = new Date();
      for (const each of names) utimesSync(path(each), time, time);
    },
  };
};
