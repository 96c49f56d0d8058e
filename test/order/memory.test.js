/** What stands in for IndexedDB, and the worker that keeps its data: glue/platform/browser-memory.js and browser-memory-worker.js. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { bundleParts } from './realms.js';

const bundle = (/** @type {string} */ file) =>
  bundleParts(fileURLToPath(new URL(`../../glue/platform/${file}`, import.meta.url)), '');
const [windows, workers] = await Promise.all(['browser-memory.js', 'browser-memory-worker.js'].map(bundle));
const loadWindow = new Function('self', 'BroadcastChannel', 'SharedWorker', `${windows}; return parts.Memory;`);
const loadWorker = new Function('BroadcastChannel', 'Date', `${workers}; return parts.serveMemory;`);

describe('a memory in the place of IndexedDB', () => {
  /** @type {Set<Channel>} */
  let channels;
  /** The worker that answers. @type {{id: string, scope: any} | undefined} */
  let worker;
  let workerCount = 0;
  const now = 1000;

  class Channel {
    constructor() {
      channels.add(this);
      this.onmessage = /** @type {(event: any) => void} */ (() => {});
    }

    postMessage(/** @type {any} */ data) {
      for (const channel of channels) if (channel !== this) channel.onmessage({ data });
    }
  }

  class Port {
    /** @type {Port | undefined} */
    other;
    onmessage = /** @type {(event: any) => void} */ (() => {});

    /** @param {any} message */
    postMessage(message) {
      const data = structuredClone(message);
      queueMicrotask(() => this.other && this.other.onmessage({ data }));
    }

    close() {}
  }

  class SharedWorker {
    constructor() {
      if (!worker) {
        worker = { id: `worker ${++workerCount}`, scope: {} };
        loadWorker(Channel, { now: () => now })(worker.scope, worker.id);
      }
      const [near, far] = [new Port(), new Port()];
      Object.assign(near, { other: far });
      Object.assign(far, { other: near });
      worker.scope.onconnect({ ports: [far] });
      this.port = near;
    }
  }

  const createWindow = () => {
    let leave = () => {};
    const self = { addEventListener: (/** @type {string} */ type, /** @type {() => void} */ listener) => { leave = listener; } };
    const memory = new (loadWindow(self, Channel, SharedWorker))('script');
    return { memory, leave: () => leave() };
  };
  /** The worker ends: it answers nothing more. @param {{memory: any}[]} those whose ports it had */
  const endWorker = (...those) => {
    for (const { memory } of those) memory.port.other.onmessage = () => {};
    worker = undefined;
  };
  const settled = () => new Promise((resolve) => { setImmediate(resolve); });
  /** @param {{memory: any}} window @param {string} name @returns {Promise<any>} the database */
  const open = ({ memory }, name) => new Promise((resolve) => {
    memory.open(name).onsuccess = (/** @type {any} */ { target }) => resolve(target.result);
  });
  /** @param {any} database @param {(entries: any) => any} act @returns {Promise<any>} */
  const transact = (database, act) => new Promise((resolve, reject) => {
    const transaction = database.transaction();
    const request = act(transaction.objectStore());
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
  const all = (/** @type {any} */ entries) => entries.getAll();

  beforeEach(() => {
    [channels, worker] = [new Set(), undefined];
  });

  it('keeps entries in the order of their keys, and begins a database that was deleted anew, above the keys of before', async () => {
    const window = createWindow();
    const database = await open(window, 'lockkeeper-list');
    const first = await transact(database, (each) => each.add({ at: 1 }));
    const second = await transact(database, (each) => each.add({ at: 2 }));
    assert.ok(first > now * 999);
    await transact(database, (each) => each.put({ key: first, at: 3 }));
    assert.deepEqual(await transact(database, all), [{ key: first, at: 3 }, { key: second, at: 2 }]);
    database.close();
    await new Promise((resolve) => { window.memory.deleteDatabase('lockkeeper-list').onsuccess = resolve; });
    assert.deepEqual(await transact(await open(window, 'lockkeeper-list'), all), []);
  });

  it('takes no transaction over a connection that is closed', async () => {
    const database = await open(createWindow(), 'lockkeeper-list');
    database.close();
    assert.throws(() => database.transaction(), { name: 'InvalidStateError' });
  });

  it('is told of a window that enters the back-forward cache; its connections are lost', async () => {
    const [one, two] = [createWindow(), createWindow()];
    const database = await open(one, 'lockkeeper-running-one');
    /** @type {string[]} */
    const told = [];
    database.onclose = () => told.push('closed');
    two.memory.deleteDatabase('lockkeeper-running-one').onsuccess = () => told.push('deleted');
    await settled();
    assert.deepEqual(told, []);
    one.leave();
    await settled();
    assert.deepEqual(told, ['closed', 'deleted']);
  });

  it('gives transactions and connections up when another worker starts, and asks that one for what opens alone', async () => {
    const [one, two] = [createWindow(), createWindow()];
    const database = await open(one, 'lockkeeper-list');
    const { port } = one.memory;
    endWorker(one);
    /** @type {string[]} */
    const told = [];
    database.onclose = () => told.push('closed');
    transact(database, all).catch(({ name }) => told.push(name));
    // Its context may live: the next worker only does not know it.
    one.memory.deleteDatabase('lockkeeper-running-two').onsuccess = () => told.push('deleted');
    void open(one, 'lockkeeper-other').then(() => told.push('opened'));
    await settled();
    assert.deepEqual(told, []);
    await open(two, 'lockkeeper-other');
    await settled();
    assert.deepEqual(told, ['closed', 'AbortError', 'opened']);
    // What the one before has said comes late.
    port.onmessage({ data: { memory: 'worker before', call: one.memory.calls + 1, results: [['of before']] } });
    assert.equal(one.memory.id, `worker ${workerCount}`);
    assert.deepEqual(await transact(await open(one, 'lockkeeper-list'), all), []);
  });
});
