/** The entries of the library's register, in order; null if there is none. In the syntax of 2018, for old browsers. */
self.readRegister = async () => {
  const name = 'lockkeeper-register';
  // Chromium may never answer while data is cleared (docs/browsers.md); then it answers the next time.
  const listDatabases = () => Promise.race([
    indexedDB.databases(),
    new Promise((resolve) => setTimeout(resolve, 1000)),
  ]).then((list) => list || listDatabases());
  // Opening a missing database would make it, so this does not. (Firefox may list only the others of ours.)
  if (indexedDB.databases && !(await listDatabases()).some((each) => /^lockkeeper-/.test(each.name))) return null;
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
        // If data is cleared just now.
        reading.transaction.onabort = () => reject(reading.transaction.error || new Error('the register was closed'));
      } catch (error) {
        database.close();
        reject(error);
      }
    };
  });
};
