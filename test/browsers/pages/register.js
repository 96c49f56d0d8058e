/** What the library's register says: who leads, and who is there. In the syntax of 2018, for old browsers. */
self.readRegister = () => new Promise((resolve, reject) => {
  const opening = indexedDB.open('lockkeeper');
  // It must not be this that makes it.
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onerror = () => (opening.error.name === 'AbortError' ? resolve(null) : reject(opening.error));
  opening.onsuccess = () => {
    const database = opening.result;
    const reading = database.transaction('register').objectStore('register').getAll();
    reading.onsuccess = () => {
      database.close();
      resolve(reading.result[0]);
    };
  };
});
