/** What the register and the store of messages need of IndexedDB: a database with one list of entries, each under the next higher key. */
import { indexedDB } from '../platform/browser-realm.js';
import { isKnownEngine } from './broadcast.js';

const ENTRIES = 'entries';

/**
 * @typedef {object} Work
 * @property {object} [put] an entry with its key
 * @property {IDBKeyRange} [remove] keys
 * @property {object} [add] an entry that gets the next key
 *
 * @typedef {object} Connection
 * @property {<T>(mode: IDBTransactionMode, act: (entries: IDBObjectStore) => T) => Promise<T>} transact one transaction. [act] makes all
 *   its requests at once. If the browser can commit it then, no other context waits for this one's thread. Resolves with what [act]
 *   returned, when all is committed; rejects if that failed, or the connection was closed.
 * @property {(work: Work) => Promise<unknown[]>} update one transaction, as above. Resolves with all entries, in order, after [work]
 * @property {(hurried?: boolean) => void} close [hurried]: transactions that are not committed are aborted
 */

/** The list of a new database. @param {IDBDatabase} database */
export const createEntries = (database) => database.createObjectStore(ENTRIES, { keyPath: 'key', autoIncrement: true });

/**
 * Opens a database, and creates it if necessary.
 * @param {string} name
 * @param {() => void} onLost the connection was closed from outside
 * @param {() => boolean} yields whether the page may delete the database; then the connection is closed, as if the site's data had been
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
    /** Running transactions, with what rejects their promises. @type {Map<IDBTransaction, (error: Error) => void>} */
    const running = new Map();
    let isOpen = true;
    // In WebKit, a commit() by a worker that is being terminated blocks everybody's transactions for ever.
    const commits = isKnownEngine();

    // In Chromium and Firefox a transaction gets no event if its connection is closed from outside while it is being committed.
    const giveUp = () => {
      running.forEach((giveUpOne) => giveUpOne(new Error('The connection was closed')));
      running.clear();
    };
    const lose = database.onclose = () => {
      giveUp();
      if (!isOpen) return;
      isOpen = false;
      onLost();
    };
    database.onversionchange = ({ newVersion }) => {
      if (newVersion !== null || !yields()) return;
      database.close();
      lose();
    };

    /** @param {IDBTransactionMode} mode */
    const begin = (mode) => {
      try {
        return database.transaction(ENTRIES, mode);
      } catch (error) {
        // It is closed, whether an event has told so or not.
        if (/** @type {Error} */ (error).name === 'InvalidStateError') lose();
        throw error;
      }
    };

    /** @param {IDBTransaction} transaction @param {() => void} settle @param {(error: unknown) => void} fail */
    const follow = (transaction, settle, fail) => {
      running.set(transaction, fail);
      transaction.oncomplete = () => {
        running.delete(transaction);
        settle();
      };
      transaction.onabort = () => {
        running.delete(transaction);
        fail(transaction.error);
      };
    };

    resolve({
      transact: (mode, act) => new Promise((settle, fail) => {
        const transaction = begin(mode);
        const result = act(transaction.objectStore(ENTRIES));
        if (commits && transaction.commit) transaction.commit();
        follow(transaction, () => settle(result), fail);
      }),

      update: ({ put, remove, add }) => new Promise((settle, fail) => {
        const transaction = begin(put || add ? 'readwrite' : 'readonly');
        // Chromium may freeze a worker in the middle of a task: where it enters a function of a script, or repeats a loop. From here to the
        // commit there is none, for others wait for a transaction that has begun and is not committed.
        const entries = transaction.objectStore(ENTRIES);
        if (put) entries.put(put);
        if (remove) entries.delete(remove);
        if (add) entries.add(add);
        const all = entries.getAll ? entries.getAll() : readAll(entries);
        if (commits && transaction.commit) transaction.commit();
        follow(transaction, () => settle(all.result), fail);
      }),

      close(hurried) {
        isOpen = false;
        database.close();
        if (!hurried) return;
        // In WebKit the transactions of a page in the back-forward cache block those of everybody else.
        running.forEach((_, transaction) => {
          try {
            transaction.abort();
          } catch {
            // It is being committed already.
          }
        });
        giveUp();
      },
    });
  };
});

/**
 * In WebKit: the same connection, but its updates begin one after another. There, transactions that wait while their worker is terminated
 * block everybody's for ever.
 * @param {Connection} connection
 * @returns {Pick<Connection, 'update' | 'close'>}
 */
export const oneAfterAnother = (connection) => {
  if (isKnownEngine()) return connection;
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return {
    update(work) {
      const done = last.then(() => connection.update(work));
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
 * @returns {{result: unknown[]}} complete when the transaction is
 */
export const readAll = (entries, range) => {
  if (entries.getAll) return entries.getAll(range);
  // Edge before 79.
  /** @type {{result: unknown[]}} */
  const read = { result: [] };
  entries.openCursor(range).onsuccess = ({ target }) => {
    const cursor = /** @type {IDBRequest<IDBCursorWithValue | null>} */ (target).result;
    if (!cursor) return;
    read.result.push(cursor.value);
    cursor.continue();
  };
  return read;
};
