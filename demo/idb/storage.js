/** Stores for LockedTransaction in IndexedDB. Each call is its own transaction, so IndexedDB protects nothing between two calls. */
import { complete, openDatabase, result } from './promises.js';

/**
 * @param {string} database
 * @returns {Promise<import('./transaction.js').Storage>}
 */
export const openStorage = async (database) => {
  const opened = await openDatabase(database, ['values']);
  return {
    read: (store, key) => result(opened.transaction('values').objectStore('values').get([store, key])),
    write(writes) {
      const transaction = opened.transaction('values', 'readwrite');
      for (const { store, key, value } of writes) transaction.objectStore('values').put(value, [store, key]);
      return complete(transaction);
    },
  };
};
