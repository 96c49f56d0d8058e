/** The benchmark's measures inside a page: rates a second, unless stated otherwise. */
'use strict';

self.measures = {
  /** When the lock that wait() asked for was granted. */
  granted: 0,

  /** Holds a lock for ever. */
  hold: () => new Promise((resolve) => {
    navigator.locks.request('victim', () => new Promise(() => resolve(true)));
  }),

  /** Queues for that lock; resolves once it is queued. */
  async wait() {
    self.measures.granted = 0;
    navigator.locks.request('victim', () => {
      self.measures.granted = Date.now();
    });
    await navigator.locks.query();
  },

  /** One request after the other, each released at once. @param {number} milliseconds @param {boolean} [different] names */
  async sequential(milliseconds, different) {
    const began = performance.now();
    let count = 0;
    while (performance.now() - began < milliseconds) {
      for (let i = 0; i < 10; i++) await navigator.locks.request(different ? `bench ${i}` : 'bench', () => {});
      count += 10;
    }
    return count / (performance.now() - began) * 1000;
  },

  /** So many requests at once, queued on one name. */
  async queued(count) {
    const began = performance.now();
    await Promise.all(Array.from({ length: count }, () => navigator.locks.request('bench', () => {})));
    return count / (performance.now() - began) * 1000;
  },

  /** So many requests at once, each of a name of its own. */
  async names(count) {
    const began = performance.now();
    await Promise.all(Array.from({ length: count }, (_, i) => navigator.locks.request(`bench ${i}`, () => {})));
    return count / (performance.now() - began) * 1000;
  },

  /** Milliseconds from here to the first grant. */
  async first() {
    const began = performance.now();
    await navigator.locks.request('first', () => {});
    return performance.now() - began;
  },

  /** Asks for a lock at that time, and holds it for so many milliseconds. Resolves with when it asked, and when it was granted. */
  async turn(at, milliseconds) {
    const now = () => performance.timeOrigin + performance.now();
    await new Promise((resolve) => setTimeout(resolve, at - now()));
    const times = { asked: now(), granted: 0 };
    await navigator.locks.request('turn', async () => {
      times.granted = now();
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    });
    return times;
  },

  /** Milliseconds that two new databases, and a transaction in one of them, take: what no first grant can do without. */
  async databases() {
    const began = performance.now();
    /** @param {string} name @returns {Promise<IDBDatabase>} */
    const open = (name) => new Promise((resolve) => {
      const opening = indexedDB.open(name);
      opening.onupgradeneeded = () => opening.result.createObjectStore('store');
      opening.onsuccess = () => resolve(opening.result);
    });
    const [database] = await Promise.all([open('one'), open('other')]);
    await new Promise((resolve) => {
      const transaction = database.transaction('store', 'readwrite');
      const store = transaction.objectStore('store');
      store.get('key').onsuccess = () => store.put(1, 'key');
      transaction.oncomplete = resolve;
    });
    return performance.now() - began;
  },

  /**
   * Runs tasks of [task] milliseconds for half of the time, or one after the other where [always], until [milliseconds] have passed. The
   * event loop goes round between them.
   */
  async work(task, always, milliseconds) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      const until = performance.now() + task;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, always ? 0 : task));
    }
    return true;
  },

  /** Asks for a lock of a new name every 25 ms; resolves with how many milliseconds each grant took. */
  async latencies(milliseconds) {
    const times = [];
    const asked = [];
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      const began = performance.now();
      const name = `new ${performance.timeOrigin} ${began}`;
      asked.push(navigator.locks.request(name, () => { times.push(performance.now() - began); }));
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await Promise.all(asked);
    return times;
  },

  /** Releases a lock that it has held for 200 ms, and computes for [task] milliseconds at once. Resolves with when it released. */
  async releaseAndCompute(task) {
    await navigator.locks.request('left', () => new Promise((resolve) => setTimeout(resolve, 200)));
    const released = performance.timeOrigin + performance.now();
    const until = performance.now() + task;
    while (performance.now() < until);
    return released;
  },

  /** Takes that lock. Resolves with when it was granted. */
  takeLeft: () => navigator.locks.request('left', () => performance.timeOrigin + performance.now()),

  /** The page's own worker; see ./worker.js. Resolves once it is there. */
  async startWorker() {
    const worker = new Worker('/bench/worker.js');
    const ask = (...call) => new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage(call);
    });
    self.measures.inWorker = ask;
    await ask('nothing');
    return true;
  },

  nothing: () => true,

  /** Starts a measure in the worker, and works meanwhile. */
  async besideWorker(task, always, milliseconds, ...call) {
    const answer = self.measures.inWorker(...call);
    await self.measures.work(task, always, milliseconds);
    return answer;
  },

  /** Takes the lock again and again, and always queues again before it releases, so that it alternates between the pages that do so. */
  async handOver(milliseconds) {
    let grants = 0;
    const end = Date.now() + milliseconds;
    let current = navigator.locks.request('hand-over', async () => { grants++; });
    while (Date.now() < end) {
      const following = navigator.locks.request('hand-over', async () => { grants++; });
      await current;
      current = following;
    }
    await current;
    return grants / milliseconds * 1000;
  },
};
