/**
 * The part of IndexedDB that Lockkeeper needs, for windows that lack it. One shared worker (./browser-memory-worker.js) keeps the data in
 * memory, as long as any window of the origin is open. A connection ends only when it is closed. So a window that has crashed counts as
 * alive: it looks like one that is silent.
 *
 * @typedef {object} MemoryMessage
 * @property {'open' | 'close' | 'delete' | 'run'} type
 * @property {string} [database] its name
 * @property {number} [connection]
 * @property {unknown[][]} [calls] of a 'run', each with its arguments
 * @property {number} [call] the number of this message; its answer has the same
 *
 * @typedef {{results: unknown[]}} MemoryAnswer [results] of a 'run'
 */

/** The name of the shared worker, and of the channel on which a worker announces its start. */
export const MEMORY = 'lockkeeper-memory';

/** The names of Lockkeeper's databases. Other databases are refused. */
const OURS = /^lockkeeper/;

/** A request, with the handlers that its owner sets. */
class MemoryRequest {
  constructor() {
    /** @type {unknown} */
    this.result = undefined;
    /** @type {DOMException | null} */
    this.error = null;
  }

  /** @param {string} type */
  tell(type) {
    const handler = /** @type {Record<string, (event: {target: MemoryRequest}) => void>} */ (/** @type {unknown} */ (this))[`on${type}`];
    if (handler) handler({ target: this });
  }
}

const closed = () => new DOMException('The connection was closed', 'AbortError');

/** The operations of one task. The worker does all of them at once. */
class MemoryTransaction extends MemoryRequest {
  /** @param {MemoryDatabase} database */
  constructor(database) {
    super();
    this.database = database;
    this.over = false;
    /** Each with its arguments. @type {unknown[][]} */
    this.calls = [];
    /** @type {MemoryRequest[]} */
    this.requests = [];
    database.transactions.add(this);
    void Promise.resolve().then(() => this.run());
  }

  objectStore() {
    const call = (/** @type {unknown[]} */ ...all) => {
      const request = new MemoryRequest();
      this.calls.push(all);
      this.requests.push(request);
      return request;
    };
    return {
      add: (/** @type {object} */ value) => call('add', value),
      put: (/** @type {object} */ value) => call('put', value),
      getAll: (/** @type {IDBKeyRange} */ range) => call('getAll', range && range.lower),
      // Lockkeeper opens a cursor only to find the last entry.
      openCursor: () => call('last'),
      delete: (/** @type {IDBKeyRange} */ { upper, upperOpen }) => call('delete', upper, upperOpen),
    };
  }

  run() {
    const { database, calls, over } = this;
    if (over) return;
    database.memory.ask({ type: 'run', database: database.name, calls }, ({ results }) => {
      results.forEach((/** @type {unknown} */ result, /** @type {number} */ index) => {
        this.requests[index].result = result;
      });
      this.end('complete');
    });
  }

  abort() {
    this.error = closed();
    this.end('abort');
  }

  /** @param {string} type */
  end(type) {
    if (this.over) return;
    this.over = true;
    this.database.transactions.delete(this);
    this.tell(type);
  }
}

class MemoryDatabase extends MemoryRequest {
  /** @param {Memory} memory @param {string} name @param {number} connection */
  constructor(memory, name, connection) {
    super();
    this.memory = memory;
    this.name = name;
    this.connection = connection;
    /** @type {Set<MemoryTransaction>} */
    this.transactions = new Set();
  }

  createObjectStore() {}

  transaction() {
    if (!this.memory.opened.has(this.connection)) throw new DOMException('The connection was closed', 'InvalidStateError');
    return new MemoryTransaction(this);
  }

  close() {
    if (this.memory.opened.delete(this.connection)) this.memory.ask({ type: 'close', connection: this.connection }, () => {});
  }

  /** The worker has ended, and its data is lost. */
  lose() {
    this.transactions.forEach((transaction) => transaction.abort());
    this.tell('close');
  }
}

/** The replacement of indexedDB in a window. */
export class Memory {
  /** @param {string} address the worker's script */
  constructor(address) {
    this.address = address;
    this.calls = 0;
    this.connections = 0;
    /** The id of the worker that answers; a worker that starts later has another id. Empty before the first answer. */
    this.id = '';
    /** @type {MessagePort | undefined} */
    this.port = undefined;
    /**
     * Messages without an answer yet, by number.
     * @type {Map<number, {message: MemoryMessage, onAnswer: (answer: MemoryAnswer) => void}>}
     */
    this.waiting = new Map();
    /** Open databases, by connection. @type {Map<number, MemoryDatabase>} */
    this.opened = new Map();
    /** The channel on which a worker announces its start. @type {BroadcastChannel | undefined} */
    this.news = undefined;
  }

  start() {
    if (!this.news) {
      this.news = new BroadcastChannel(MEMORY);
      this.news.onmessage = ({ data }) => data.memory === this.id || this.renew();
      // A page in the back-forward cache receives nothing, so it starts anew when it comes back.
      self.addEventListener('pagehide', () => this.stop());
    }
    if (this.port) return;
    const { port } = new SharedWorker(this.address, MEMORY);
    this.port = port;
    port.onmessage = ({ data }) => {
      if (port !== this.port) return;
      this.id = data.memory;
      const call = this.waiting.get(data.call);
      this.waiting.delete(data.call);
      if (call) call.onAnswer(data);
    };
  }

  /** Loses every open connection. */
  stop() {
    if (!this.port) return;
    this.port.postMessage({ type: 'leave' });
    this.port.close();
    this.port = undefined;
    this.id = '';
    const lost = [...this.opened.values()];
    this.opened.clear();
    lost.forEach((database) => database.lose());
  }

  /** A worker has started: either the first one, or one that replaces a worker that has ended. */
  renew() {
    if (!this.port) return;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.stop();
    // Repeat only `open`. The other messages belong to lost connections, and alive names of the earlier worker would seem dead to this one.
    for (const { message, onAnswer } of waiting) if (message.type === 'open') this.ask(message, onAnswer);
  }

  /** @param {MemoryMessage} message @param {(answer: MemoryAnswer) => void} onAnswer */
  ask(message, onAnswer) {
    this.start();
    message.call = ++this.calls;
    this.waiting.set(message.call, { message, onAnswer });
    /** @type {MessagePort} */ (this.port).postMessage(message);
  }

  /** @param {string} name @param {MemoryRequest} [request] @returns {any} */
  open(name, request = new MemoryRequest()) {
    if (!OURS.test(name)) {
      request.error = new DOMException('There is no IndexedDB here', 'InvalidStateError');
      void Promise.resolve().then(() => request.tell('error'));
      return request;
    }
    const connection = ++this.connections;
    this.ask({ type: 'open', database: name, connection }, () => {
      request.result = new MemoryDatabase(this, name, connection);
      this.opened.set(connection, /** @type {MemoryDatabase} */ (request.result));
      request.tell('success');
    });
    return request;
  }

  /** @param {string} name @returns {any} succeeds when no connection to it is open */
  deleteDatabase(name) {
    const request = new MemoryRequest();
    this.ask({ type: 'delete', database: name }, () => request.tell('success'));
    return request;
  }
}

/**
 * In private windows of Firefox before 115, IndexedDB exists and refuses everything. There, Lockkeeper's databases are opened in [memory]
 * instead. IndexedDB refuses all windows of a kind alike, so all of them use the same place.
 * @param {IDBFactory} factory
 * @param {Memory} memory
 */
export const openInMemoryWhereRefused = (factory, memory) => {
  let refused = false;
  const open = factory.open.bind(factory);
  const deleteDatabase = factory.deleteDatabase.bind(factory);

  /** @param {string} name @param {number} [version] @returns {any} */
  factory.open = (name, version) => {
    const opening = version === undefined ? open(name) : open(name, version);
    if (!OURS.test(name)) return opening;
    const request = new MemoryRequest();
    for (const type of ['upgradeneeded', 'success']) {
      opening.addEventListener(type, () => {
        request.result = opening.result;
        request.tell(type);
      });
    }
    opening.onerror = (event) => {
      const { error } = opening;
      refused = /** @type {DOMException} */ (error).name === 'InvalidStateError';
      event.preventDefault();
      request.error = error;
      if (refused) memory.open(name, request);
      else request.tell('error');
    };
    return request;
  };
  factory.deleteDatabase = (name) => (refused && OURS.test(name) ? memory : { deleteDatabase }).deleteDatabase(name);
};
