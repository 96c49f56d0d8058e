/** The promises that IndexedDB lacks, as far as combining it with locks needs them. */

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export const result = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** The explainer's `tx.complete`: fulfils after the commit. @param {IDBTransaction} transaction @returns {Promise<void>} */
export const complete = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error || new DOMException('The transaction was aborted', 'AbortError'));
});

/**
 * The explainer's `tx.waitUntil(promise)`: the transaction does not commit before [promise] is fulfilled, and aborts if it rejects. A
 * transaction lives from request to request, so this makes one cheap request after the other while it waits.
 * @param {IDBTransaction} transaction
 * @param {Promise<any>} promise
 * @returns {() => Promise<void>} requests can be made only in reaction to one that has succeeded. Code that runs after a lock or a timer
 *   calls this, and makes its requests when the promise is fulfilled
 */
export const waitUntil = (transaction, promise) => {
  let open = true;
  let failed = false;
  promise.then(() => { open = false; }, () => { failed = true; });
  const store = transaction.objectStore(transaction.objectStoreNames[0]);
  /** @type {(() => void)[]} */
  let waiting = [];
  const next = () => {
    if (failed) return transaction.abort();
    if (open) store.get(-Infinity).onsuccess = next;
    waiting.forEach((resolve) => resolve());
    waiting = [];
  };
  next();
  return () => new Promise((resolve) => void waiting.push(resolve));
};

/**
 * @param {string} name
 * @param {string[]} stores
 * @returns {Promise<IDBDatabase>}
 */
export const openDatabase = (name, stores) => {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => stores.forEach((store) => void opening.result.createObjectStore(store));
  return result(opening);
};
