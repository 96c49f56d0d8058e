/** The part of IndexedDB that the register and the store of messages need: databases with one list of entries under increasing keys. */
import { indexedDB } from '../platform/browser-realm.js';
import { isKnownEngine } from '../platform/engine.js';

const ENTRIES = 'entries';

/**
 * @typedef {object} Work
 * @property {object} [put] an entry with its key
 * @property {IDBKeyRange} [remove] keys
 * @property {object} [add] an entry that gets the next key
 *
 * @typedef {object} Connection
 * @property {<T>(mode: IDBTransactionMode, act: (entries: IDBObjectStore) => T) => Promise<T>} transact runs one transaction. [act] makes
 *   all its requests at once. If the browser can commit it at that point, no other context waits for this one's thread. Resolves with the
 *   result of [act] when all is committed; rejects if that failed, or the connection was closed.
 * @property {(work: Work) => Promise<unknown[]>} update runs one transaction, as above. Resolves with all entries, in order, after [work]
 * @property {(hurried?: boolean) => void} close [hurried]: uncommitted transactions are aborted
 */

/** Creates the list of a new database. @param {IDBDatabase} database */
export const createEntries = (database) => database.createObjectStore(ENTRIES, { keyPath: 'key', autoIncrement: true });

/**
 * Opens a database, and creates it if necessary.
 * @param {string} name
 * @param {() => void} onLost the connection was closed from outside
 * @param {() => boolean} yields whether a deletion of the database closes the connection, as if the site's data had been cleared
 * @param {(database: IDBDatabase) => void} [onNew] may create its list; without it, only the database's name matters
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
    /** Running transactions, with the functions that reject their promises. @type {Map<IDBTransaction, (error: Error) => void>} */
    const running = new Map();
    let isOpen = true;
    // In WebKit, a commit() by a worker that is being terminated blocks the transactions of all contexts for ever.
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
        // The connection is closed, even if there was no event.
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
        // Chromium may freeze a worker in the middle of a task, at a call of a script's function or in a loop. There must be neither from
        // here to the commit, since others wait for an uncommitted transaction.
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
        // In WebKit the transactions of a page in the back-forward cache block those of all others.
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
 * In WebKit, makes the connection's updates begin one after another. Transactions that wait there while their worker is terminated block
 * those of all contexts for ever.
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
 * @returns {{result: unknown[]}} complete when the transaction is complete
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
