/** What the register and the store of messages need of IndexedDB: a database with one list of entries, each under the next key. */

const ENTRIES = 'entries';

/**
 * A connection to a database, which is made if it is not there.
 * @param {string} name
 * @param {() => void} onLost closed from outside
 * @param {(entries: IDBObjectStore) => void} [onNew] may fill it
 * @returns {Promise<IDBDatabase>}
 */
export const openDatabase = (name, onLost, onNew = () => {}) => new Promise((resolve, reject) => {
  const opening = indexedDB.open(name);
  opening.onupgradeneeded = () => onNew(opening.result.createObjectStore(ENTRIES, { keyPath: 'key', autoIncrement: true }));
  opening.onsuccess = () => {
    opening.result.onclose = onLost;
    resolve(opening.result);
  };
  opening.onerror = () => reject(opening.error);
});

/**
 * Lets the page delete the database: the connection is closed then, as if the site's data had been cleared.
 * @param {IDBDatabase} database
 */
export const yieldToDeletion = (database) => {
  database.onversionchange = ({ newVersion }) => {
    if (newVersion !== null) return;
    database.close();
    /** @type {() => void} */ (database.onclose)();
  };
};

/**
 * One transaction. It is committed at once, so that no other context waits for this one's thread; some browsers cannot do that.
 * @template T
 * @param {IDBDatabase} database
 * @param {IDBTransactionMode} mode
 * @param {Set<IDBTransaction>} running it is in there while it is under way
 * @param {(entries: IDBObjectStore) => T} act makes all of its requests
 * @returns {Promise<T>} what [act] returned, when all is committed
 */
export const transact = (database, mode, running, act) => new Promise((resolve, reject) => {
  const transaction = database.transaction(ENTRIES, mode);
  running.add(transaction);
  const result = act(transaction.objectStore(ENTRIES));
  transaction.oncomplete = () => {
    running.delete(transaction);
    resolve(result);
  };
  transaction.onabort = () => {
    running.delete(transaction);
    reject(transaction.error || new Error('The transaction was aborted'));
  };
  if (transaction.commit) transaction.commit();
});

/**
 * Ends what is under way. In WebKit the transactions of a page in the back-forward cache keep everybody else's waiting.
 * @param {Set<IDBTransaction>} running
 */
export const abortAll = (running) => running.forEach((transaction) => {
  try {
    transaction.abort();
  } catch {
    // It is being committed.
  }
});

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
