/** The files of a journal, in one folder; their names begin with their numbers. ./journal.js says which of them count. */
import { closeSync, constants, mkdirSync, openSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './directory.js';

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

/** The name of the first. */
export const FIRST = '0';

/** @param {string} name */
export const numberOf = (name) => parseInt(name, 10);

/** @param {string} directory of the manager */
export const createFiles = (directory) => {
  const folder = join(directory, 'log');
  const path = (/** @type {string} */ name) => join(folder, name);
  const list = () => readdirSync(folder);

  /** @param {string} name @param {number} [flags] @returns {number} the descriptor; what is written goes to the end */
  const open = (name, flags = 0) => openSync(path(name), flags | O_RDWR | O_APPEND, 0o600);

  return {
    folder,
    path,

    /** Opens the first file, which it makes where there is none. @returns {number} */
    openFirst() {
      try {
        mkdirSync(folder, { mode: 0o700 });
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      return open(FIRST, O_CREAT);
    },

    /** @param {string} name @returns {number} -1 where it is not there */
    open(name) {
      try {
        return open(name);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        return -1;
      }
    },

    /** Makes a new one, empty. @param {string} name */
    create: (name) => closeSync(open(name, O_CREAT | O_EXCL)),

    /** @returns {string[]} their names, the newest last */
    list: () => list().sort((a, b) => numberOf(a) - numberOf(b)),

    /** @param {string} name @returns {number} 0 where it is not there */
    inodeOf: (name) => statSync(path(name), { throwIfNoEntry: false })?.ino || 0,

    /**
     * Removes what nobody needs any more.
     * @param {string} current the file in which the journal goes on
     * @param {string} [vain] one that was made to come next, where another writer's close has come first
     */
    removeOld(current, vain) {
      const number = numberOf(current);
      for (const each of list()) {
        // Files that would have come next, had their makers been the first, end up unnamed.
        const unnamed = vain ? each === vain : numberOf(each) === number && each !== current;
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
