/**
 * The databases of contexts that the register does not show: they ended within moments of their first request, in WebKit nearly always
 * (docs/browsers.md). Nobody watches those, so nobody else would delete them. Or their page entered the back-forward cache just then.
 */
import { toJson } from '../log/json.js';
import { indexedDB, readClock, readWallClock, setTimeout } from './browser-realm.js';

/**
 * A database that the register does not show counts as left behind once it is this old, in milliseconds; and this often a context looks.
 * Nobody takes so long to join, unless its page is frozen. Such a context finds that its database was deleted, and joins anew.
 */
const OLD = 3600000;
/** It looks so many milliseconds later: the first request does not wait for it. A deletion that says nothing is waited for as long. */
const SOON = 1000;

/** Deletes a database. One that is held stays until its holder has ended; it may be that of another manager. @param {string} name */
const remove = (name) => new Promise((settle) => {
  const deletion = indexedDB.deleteDatabase(name);
  deletion.onsuccess = deletion.onerror = deletion.onblocked = settle;
  // That it is blocked may never be said (docs/browsers.md).
  setTimeout(settle, SOON);
});

/** When a context has made its database. @param {string} alive */
const timeOf = (alive) => Number(alive.split('-')[0]);

/**
 * Begins to delete the databases of all contexts that were there first. If a worker has one open, and its page is in the back-forward
 * cache, Chromium drops that page. A member is not disturbed. A context that is still joining joins anew.
 * @param {string} prefix see createLeftovers()
 * @param {string} alive this context's
 */
export const deleteOlder = async (prefix, alive) => {
  for (const { name = '' } of await indexedDB.databases()) {
    if (name.startsWith(prefix) && timeOf(name.slice(prefix.length)) < timeOf(alive)) indexedDB.deleteDatabase(name);
  }
};

/**
 * @param {string} prefix how the names of these databases begin. The time at which a context has made its database follows, and a hyphen
 * @param {() => Promise<object>} readRegister
 * @returns {() => void} call it whenever the register is used: from time to time deletes what was left behind
 */
export const createLeftovers = (prefix, readRegister) => {
  let due = 0;

  const look = async () => {
    const listed = await indexedDB.databases();
    // It is read after that, so it shows all of those whose context has joined.
    const register = toJson(await readRegister());
    for (const { name = '' } of listed) {
      const alive = name.slice(prefix.length);
      const isOld = name.startsWith(prefix) && readWallClock() - timeOf(alive) > OLD;
      // One after another: everybody's storage waits meanwhile.
      if (isOld && !register.includes(alive)) await remove(name);
    }
  };

  return () => {
    // Browsers from before 2020, and Firefox before 126, do not list them.
    if (readClock() < due || !('databases' in indexedDB)) return;
    due = readClock() + OLD;
    // The next look tries again what has failed.
    setTimeout(() => void look().catch(() => {}), SOON);
  };
};
