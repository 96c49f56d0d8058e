/** What the library's register has: its entries, in order; null where there is none. In the syntax of 2018, for old browsers. */
self.readRegister = async () => {
  const name = 'lockkeeper-register';
  // Whoever opens a database that is not there makes it; better not to begin. (Firefox may list only the others of ours.)
  if (indexedDB.databases && !(await indexedDB.databases()).some((each) => /^lockkeeper-/.test(each.name))) return null;
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onerror = () => (opening.error.name === 'AbortError' ? resolve(null) : reject(opening.error));
    opening.onsuccess = () => {
      const database = opening.result;
      try {
        const reading = database.transaction('entries').objectStore('entries').getAll();
        reading.onsuccess = () => {
          database.close();
          resolve(reading.result);
        };
        // Where data is cleared just now.
        reading.transaction.onabort = () => reject(reading.transaction.error || new Error('the register was closed'));
      } catch (error) {
        database.close();
        reject(error);
      }
    };
  });
};
