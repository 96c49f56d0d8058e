/** The files of a journal, in one folder. A file's name begins with its number. ./journal.js says which files count. */
import { closeSync, constants, mkdirSync, openSync, readFileSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { HEAD } from './beginning.js';
import { codeOf } from './errors.js';

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

/** The name of the first. */
export const FIRST = '0';

/** @param {string} name */
export const numberOf = (name) => parseInt(name, 10);

/** @param {() => string} directory of the manager */
export const createFiles = (directory) => {
  const folder = () => join(directory(), 'log');
  const path = (/** @type {string} */ name) => join(folder(), name);
  const list = () => readdirSync(folder());

  /** @param {string} name @param {number} [flags] @returns {number} the descriptor, for appending */
  const open = (name, flags = 0) => openSync(path(name), flags | O_RDWR | O_APPEND, 0o600);

  return {
    get folder() {
      return folder();
    },
    path,

    /** Opens the first file, and makes it if it is missing. @returns {number} */
    openFirst() {
      try {
        mkdirSync(folder(), { mode: 0o700 });
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      return open(FIRST, O_CREAT);
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

    /** @param {number} descriptor */
    close(descriptor) {
      try {
        closeSync(descriptor);
      } catch {
        // The descriptor is free all the same, and may belong to another file by now.
      }
    },

    /** Makes a new one, empty. @param {string} name */
    create: (name) => closeSync(open(name, O_CREAT | O_EXCL)),

    /**
     * Whether the journal goes on in files with higher numbers. If so, and this file has no head, somebody has removed or emptied it.
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

    /** @param {string} name @returns {number} 0 if it is missing */
    inodeOf: (name) => statSync(path(name), { throwIfNoEntry: false })?.ino || 0,

    /**
     * Removes files that are no longer needed.
     * @param {string} current the file that is being written
     * @param {string} [unused] a file that was made to come next, but another writer's close came first
     */
    removeOld(current, unused) {
      const number = numberOf(current);
      for (const each of list()) {
        // If several writers make the next file, only one is named by a close. The others are never used.
        const unnamed = unused ? each === unused : numberOf(each) === number && each !== current;
        const old = numberOf(each) < number && each !== FIRST;
        if (unnamed || old) rmSync(path(each), { force: true });
      }
    },

    /** So that nobody takes them for forgotten ones. @param {string[]} names */
    touch(names) {
      const time = new Date();
      for (const each of names) utimesSync(path(each), time, time);
    },
  };
};
