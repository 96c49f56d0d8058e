/**
 * One context of ../stalls.mjs, in a window or a worker, with IndexedDB alone: it uses IndexedDB as Lockkeeper does
 * (glue/platform/browser.js), and notes which of its requests have had no answer.
 */
(function () {
  const parameters = new URLSearchParams(location.search);
  const without = (parameters.get('without') || '').split(',');
  const has = (what) => !without.includes(what);
  const REGISTER = 'measured-register';
  const ALIVE = 'measured-running-';
  /** @type {Map<IDBOpenDBRequest, [what: string, name: string, at: number]>} */
  const pending = new Map();
  const channel = new BroadcastChannel('measured');
  let count = 0;
  const newName = () => `${ALIVE}${Date.now()}-${Math.random().toString(36).slice(2)}`;

  const createEntries = (database) => database.createObjectStore('entries', { keyPath: 'key', autoIncrement: true });

  function ask(what, name) {
    const request = indexedDB[what](name);
    pending.set(request, [what, name, Date.now()]);
    const done = () => pending.delete(request);
    request.addEventListener('success', done);
    request.addEventListener('error', done);
    return request;
  }

  function open(name, isRegister, yields, onLost) {
    return new Promise((resolve, reject) => {
      const opening = ask('open', name);
      opening.onupgradeneeded = () => isRegister && createEntries(opening.result);
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        let isOpen = true;
        const lose = database.onclose = () => {
          if (!isOpen) return;
          isOpen = false;
          onLost();
        };
        database.onversionchange = ({ newVersion }) => {
          if (newVersion !== null || !yields()) return;
          database.close();
          lose();
        };
        resolve({ database, close: () => { isOpen = false; database.close(); } });
      };
    });
  }

  /** Adds an entry, if there is one, and reads all. */
  const append = (database, entry) => new Promise((resolve, reject) => {
    const transaction = database.transaction('entries', entry ? 'readwrite' : 'readonly');
    const entries = transaction.objectStore('entries');
    if (entry) entries.add(entry);
    const all = entries.getAll();
    if (transaction.commit) transaction.commit();
    transaction.oncomplete = () => resolve(all.result);
    transaction.onabort = () => reject(transaction.error);
  });

  /** The names that are being deleted. */
  const watches = new Set();

  function watch(name) {
    if (!has('watch') || watches.has(name)) return;
    watches.add(name);
    (function begin() {
      const deletion = ask('deleteDatabase', name);
      deletion.onerror = () => setTimeout(begin, 100);
      deletion.onsuccess = () => {
        watches.delete(name);
        if (life && life.register) append(life.register.database, { dead: name }).catch(() => {});
      };
    })();
    if (has('look')) setTimeout(() => ask('deleteDatabase', newName()), 50);
  }

  let life;

  function connect(previous) {
    const own = life = { name: newName(), alive: null, register: null };
    let isOpen = true;
    let announced = false;
    const release = () => {
      if (own.alive) {
        own.alive.close();
        ask('deleteDatabase', own.name);
        own.alive = null;
      }
      if (previous) previous();
      previous = undefined;
    };
    const lost = () => {
      if (!isOpen) return;
      isOpen = false;
      if (own.register) own.register.close();
      connect(release);
    };
    const show = () => !has('alive') ? Promise.resolve() : open(own.name, false, () => !announced, lost).then((opened) => {
      own.alive = opened;
      if (!isOpen) release();
    });
    // What is told to wait does not open the register again while its deletion waits.
    const pause = previous && !has('reopen') ? new Promise((resolve) => { setTimeout(resolve, 400); }) : Promise.resolve();
    const openRegister = () => pause.then(() => open(REGISTER, true, () => true, lost)).then((opened) => {
      own.register = opened;
      if (!isOpen) opened.close();
    });
    const isWorker = self.document === undefined;
    const opening = isWorker ? show().then(openRegister) : Promise.all([show(), openRegister()]);
    opening.then(async () => {
      if (!isOpen) return;
      announced = true;
      const entries = await append(own.register.database, { alive: own.name });
      count++;
      if (previous) previous();
      previous = undefined;
      look(entries);
      channel.postMessage('look');
    }).catch(() => {
      if (!isOpen) return;
      isOpen = false;
      setTimeout(() => connect(release), 500);
    });
  }

  function look(entries) {
    const dead = new Set(entries.map((entry) => entry.dead));
    for (const { alive } of entries) if (alive && alive !== life.name && !dead.has(alive)) watch(alive);
  }

  channel.onmessage = () => {
    if (life && life.register) append(life.register.database).then(look).catch(() => {});
  };

  if (has('hold')) connect();

  const commands = {
    async deleteAll() {
      const listed = await indexedDB.databases();
      for (const name of new Set([...listed.map((each) => each.name), REGISTER])) ask('deleteDatabase', name);
    },
    /** How many milliseconds it takes to open a fresh database, and the register; -1: longer than [limit]. */
    probe(limit) {
      const start = Date.now();
      const time = (name) => new Promise((resolve) => {
        const opening = indexedDB.open(name);
        opening.onupgradeneeded = () => name === REGISTER && createEntries(opening.result);
        opening.onsuccess = () => {
          opening.result.close();
          if (name !== REGISTER) indexedDB.deleteDatabase(name);
          resolve(Date.now() - start);
        };
        opening.onerror = () => resolve(Date.now() - start);
        setTimeout(() => resolve(-1), limit);
      });
      return Promise.all([time(`measured-probe-${Math.random()}`), time(REGISTER)]);
    },
    state: () => ({
      count, name: life && life.name, pending: [...pending.values()].map(([what, name, at]) => `${what} ${name} ${Date.now() - at} ms`),
    }),
  };
  self.tell = (command, value) => Promise.resolve(commands[command](value));

  if (self.document === undefined) {
    self.onmessage = ({ data: [call, command, value] }) => self.tell(command, value).then((result) => self.postMessage([call, result]));
    return;
  }

  let worker;
  let calls = 0;
  const waiting = new Map();
  self.startWorker = () => {
    worker = new Worker(`/measure/stalls.js${location.search}`);
    worker.onmessage = ({ data: [call, result] }) => waiting.get(call)(result);
  };
  self.endWorker = () => {
    if (worker) worker.terminate();
    worker = undefined;
  };
  self.tellWorker = (command, value) => worker ? new Promise((resolve) => {
    waiting.set(++calls, resolve);
    worker.postMessage([calls, command, value]);
  }) : null;
  if (has('workers')) self.startWorker();
})();
