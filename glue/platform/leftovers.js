/**
 * Deletes the databases of contexts that the register does not list. Such a context ended within moments of its first request, in WebKit
 * nearly always (docs/browsers.md), or its page entered the back-forward cache just then. Nobody watches these databases, so nobody else
 * would delete them.
 */
import { toJson } from '../log/json.js';
import { indexedDB, readClock, readWallClock, setTimeout } from './browser-realm.js';

/**
 * A database that the register does not list counts as left behind once it is this old, in milliseconds. A context checks this often. No
 * context takes so long to join, unless its page is frozen; then it notices that its database was deleted, and joins anew.
 */
const OLD = 3600000;
/** The check waits so many milliseconds, so as not to delay the first request. A deletion without any event is given up after as long. */
const SOON = 1000;

/** Deletes a database. A held one stays until its holder has ended; it may belong to another manager. @param {string} name */
const remove = (name) => new Promise((settle) => {
  const deletion = indexedDB.deleteDatabase(name);
  deletion.onsuccess = deletion.onerror = deletion.onblocked = settle;
  // The `blocked` event may never come (docs/browsers.md).
  setTimeout(settle, SOON);
});

/** When the context made its database. @param {string} alive */
const timeOf = (alive) => Number(alive.split('-')[0]);

/**
 * Begins to delete the databases of all earlier contexts. If such a context is a worker whose page is in the back-forward cache, Chromium
 * drops that page. A member ignores the deletion. A context that is still joining joins anew.
 * @param {string} prefix see createLeftovers()
 * @param {string} alive this context's alive name
 */
export const deleteOlder = async (prefix, alive) => {
  for (const { name = '' } of await indexedDB.databases()) {
    if (name.startsWith(prefix) && timeOf(name.slice(prefix.length)) < timeOf(alive)) indexedDB.deleteDatabase(name);
  }
};

/**
 * @param {string} prefix how the names of these databases begin, before the time at which the context made it and a hyphen
 * @param {() => Promise<object>} readRegister
 * @returns {() => void} call it whenever the register is used: it deletes leftovers from time to time
 */
export const createLeftovers = (prefix, readRegister) => {
  let due = 0;

  const look = async () => {
    const listed = await indexedDB.databases();
    // Read the register after the list, so that it shows every listed context that has joined.
    const register = toJson(await readRegister());
    for (const { name = '' } of listed) {
      const alive = name.slice(prefix.length);
      const isOld = name.startsWith(prefix) && readWallClock() - timeOf(alive) > OLD;
      // One after another, since every context's storage waits meanwhile.
      if (isOld && !register.includes(alive)) await remove(name);
    }
  };

  return () => {
    // Browsers from before 2020, and Firefox before 126, do not list databases.
    if (readClock() < due || !('databases' in indexedDB)) return;
    due = readClock() + OLD;
    // The next check retries what has failed.
    setTimeout(() => void look().catch(() => {}), SOON);
  };
};
