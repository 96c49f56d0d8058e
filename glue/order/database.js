/** What the register and the store of messages need of IndexedDB: a database with one list of entries, each under the next key. */
import { isKnownEngine } from './broadcast.js';

const ENTRIES = 'entries';

/**
 * @typedef {object} Connection
 * @property {<T>(mode: IDBTransactionMode, act: (entries: IDBObjectStore) => T) => Promise<T>} transact one transaction, for which [act]
 *   makes all requests at once. Where that can be, it is committed then, so that no other context waits for this one's thread.
 *   Resolves with what [act] returned, when all is committed; rejects when that failed, and when the connection is closed.
 * @property {(hurried?: boolean) => void} close [hurried]: what is not committed is given up
 */

/** The list of a new database. @param {IDBDatabase} database */
export const createEntries = (database) => database.createObjectStore(ENTRIES, { keyPath: 'key', autoIncrement: true });

/**
 * A connection to a database, which is made if it is not there.
 * @param {string} name
 * @param {() => void} onLost closed from outside
 * @param {() => boolean} yields whether the page may delete the database: the connection is closed then, as if the site's data had been
 *   cleared
 * @param {(database: IDBDatabase) => void} [onNew] may make its list; without it, the database is there for its name alone
 * @returns {Promise<Connection>}
 */
export const openDatabase = (name, onLost, yields, onNew) => new Promise((resolve, reject) => {
  const opening = indexedDB.open(name);
  opening.onupgradeneeded = () => {
    if (onNew) onNew(opening.result);
  };
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const database = opening.result;
    /** Under way, with what rejects each. @type {Map<IDBTransaction, (error: Error) => void>} */
    const running = new Map();
    // In WebKit, what a worker commits while it is terminated stays in the way of everybody's transactions for ever.
    const commits = isKnownEngine();

    // A transaction that was being committed when its connection is closed from outside is told nothing at all, in Chromium and Firefox.
    const giveUp = () => {
      running.forEach((giveUpOne) => giveUpOne(new Error('The connection was closed')));
      running.clear();
    };
    const lose = database.onclose = () => {
      giveUp();
      onLost();
    };
    database.onversionchange = ({ newVersion }) => {
      if (newVersion !== null || !yields()) return;
      database.close();
      lose();
    };

    resolve({
      transact: (mode, act) => new Promise((settle, fail) => {
        const transaction = database.transaction(ENTRIES, mode);
        running.set(transaction, fail);
        const result = act(transaction.objectStore(ENTRIES));
        transaction.oncomplete = () => {
          running.delete(transaction);
          settle(result);
        };
        transaction.onabort = () => {
          running.delete(transaction);
          fail(transaction.error);
        };
        if (commits && transaction.commit) transaction.commit();
      }),

      close(hurried) {
        database.close();
        if (!hurried) return;
        // In WebKit the transactions of a page in the back-forward cache keep everybody else's waiting.
        running.forEach((_, transaction) => {
          try {
            transaction.abort();
          } catch {
            // It is being committed.
          }
        });
        giveUp();
      },
    });
  };
});

/**
 * The same connection, whose transactions begin one after another where the engine is WebKit's: there, those that wait while their worker
 * is terminated keep everybody's waiting for ever.
 * @param {Connection} connection
 * @returns {Connection}
 */
export const oneAfterAnother = (connection) => {
  if (isKnownEngine()) return connection;
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return {
    transact(mode, act) {
      const done = last.then(() => connection.transact(mode, act));
      last = done.catch(() => {});
      return done;
    },
    close: (hurried) => hurried ? connection.close(hurried) : void last.then(() => connection.close()),
  };
};

/**
 * All entries in [range], in order.
 * @param {IDBObjectStore} entries
 * @param {IDBKeyRange} [range]
 * @returns {{result: any[]}} complete when the transaction is
 */
export const readAll = (entries, range) => {
  if (entries.getAll) return entries.getAll(range);
  // Edge before 79.
  /** @type {{result: any[]}} */
  const read = { result: [] };
  entries.openCursor(range).onsuccess = ({ target }) => {
    const cursor = /** @type {any} */ (target).result;
    if (!cursor) return;
    read.result.push(cursor.value);
    cursor.continue();
  };
  return read;
};
