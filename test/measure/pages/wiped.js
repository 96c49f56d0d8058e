/**
 * One context of ../wipes.mjs, in a window or a worker: a connection to the register, one that shows its life, and a pending deletion of
 * every other context's. It notes what becomes of them. In the syntax of 2018, for old browsers.
 */
(function () {
  const REGISTER = 'measured-register';
  let round;

  function open(name, connection) {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onupgradeneeded = () => opening.result.createObjectStore('entries', { autoIncrement: true });
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        const { note } = round;
        database.onclose = () => note(connection + ' closed');
        resolve(database);
      };
    });
  }

  /** The action on a death: one entry, and all are read. Its outcome is the second sign. */
  function append(database, note) {
    try {
      const transaction = database.transaction('entries', 'readwrite');
      const store = transaction.objectStore('entries');
      store.add({});
      store.getAll();
      transaction.oncomplete = () => note('complete');
      transaction.onabort = () => note('abort');
      if (transaction.commit) transaction.commit();
    } catch (error) {
      note(error.name);
    }
  }

  const commands = {
    async start(name) {
      const notes = [];
      round = { notes, watches: {}, news: 0, note: (what) => notes.push([what, performance.now(), round.news++]) };
      round.register = await open(REGISTER, 'register');
      round.alive = await open(name, 'alive');
      const { register, alive, note } = round;
      register.onversionchange = ({ newVersion }) => {
        if (newVersion !== null) return;
        note('register closed');
        register.close();
        // When the register opens again, all have heard of this.
        open(REGISTER, 'new register').then((opened) => {
          opened.close();
          alive.close();
        });
      };
      return null;
    },

    watch(names) {
      const { register, watches } = round;
      for (const name of names) {
        const watch = watches[name] = {};
        const request = indexedDB.deleteDatabase(name);
        request.onerror = () => Object.assign(watch, { outcome: 'error', at: performance.now() });
        request.onsuccess = () => {
          Object.assign(watch, { outcome: 'success', at: performance.now() });
          append(register, (sign) => Object.assign(watch, { sign, signAt: performance.now(), news: round.news++ }));
        };
      }
      return null;
    },

    /** Keeps the event loop busy: what happens meanwhile is told in one go. */
    block(milliseconds) {
      setTimeout(() => {
        const end = performance.now() + milliseconds;
        while (performance.now() < end);
      });
      return null;
    },

    /** As test suites do, and applications where a user logs out. */
    async deleteAll() {
      const start = performance.now();
      const names = (await indexedDB.databases()).map((each) => each.name);
      await Promise.all(names.map((name) => new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name);
        request.onsuccess = resolve;
        request.onerror = () => reject(request.error);
      })));
      return performance.now() - start;
    },

    end() {
      const { notes, watches, register, alive } = round;
      register.close();
      alive.close();
      return { notes, watches };
    },
  };

  self.tell = (command, value) => Promise.resolve(commands[command](value));
  if (self.document === undefined) {
    self.onmessage = ({ data: [call, command, value] }) => {
      const answer = (result, error) => self.postMessage([call, result, error]);
      self.tell(command, value).then(answer, (error) => answer(null, String(error)));
    };
    return;
  }

  const worker = new Worker('/measure/wiped.js');
  const calls = new Map();
  worker.onmessage = ({ data: [call, result, error] }) => {
    const { resolve, reject } = calls.get(call);
    if (error) reject(new Error(error));
    else resolve(result);
  };
  self.tellWorker = (command, value) => new Promise((resolve, reject) => {
    const call = calls.size;
    calls.set(call, { resolve, reject });
    worker.postMessage([call, command, value]);
  });
})();
