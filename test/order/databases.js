/**
 * IndexedDB, BroadcastChannel and storage events of the contexts of a simulated world (test/simulation/world.js): as much of them as
 * glue/order needs.
 *
 * @typedef {import('../simulation/context.js').SimulatedContext} SimulatedContext
 * @typedef {import('../simulation/world.js').World} World
 * @typedef {{key: number, message?: any}} Entry
 *
 * @typedef {object} Database one that was created, until it is deleted
 * @property {Entry[]} entries
 * @property {Entry[]} added all that have ever been added, in order
 * @property {number} lastKey
 * @property {Set<Connection>} connections
 *
 * @typedef {object} Connection
 * @property {SimulatedContext} context
 * @property {Database} database
 * @property {boolean} isOpen
 * @property {boolean} isLost it was closed from outside: its transactions get no more events
 * @property {number} lastEvent
 * @property {(() => void) | undefined} onclose
 * @property {((event: {newVersion: number | null}) => void) | undefined} onversionchange
 */

/** @param {string} name */
const errorOf = (name) => Object.assign(new Error(name), { name });

export class Databases {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    /** @type {Map<string, Database>} */
    this.byName = new Map();
    /** All that there have been. @type {Database[]} */
    this.all = [];
    /** When the last transaction is carried out. */
    this.last = 0;
    /** How often a transaction fails. */
    this.failures = 0;
    /** @type {Map<string, (() => void)[]>} callbacks that wait until that database has been deleted */
    this.deletions = new Map();
  }

  /** @param {SimulatedContext} context @param {string} name */
  open(context, name) {
    const { world } = this;
    /** @type {any} */
    const request = {};
    const proceed = () => {
      if (this.deletions.has(name)) {
        this.deletions.get(name)?.push(proceed);
        return;
      }
      // Requests of the dead open nothing any more.
      if (!context.alive) return;
      if (world.time < context.brokenUntil) {
        request.error = errorOf('UnknownError');
        request.onerror();
        return;
      }
      const database = this.byName.get(name) || { entries: [], added: [], lastKey: 0, connections: new Set() };
      /** @type {Connection} */
      const connection = { context, database, isOpen: true, isLost: false, lastEvent: 0, onclose: undefined, onversionchange: undefined };
      database.connections.add(connection);
      request.result = this.handleOf(connection);
      if (!this.byName.has(name)) {
        this.byName.set(name, database);
        this.all.push(database);
        request.onupgradeneeded();
      }
      world.after(context, 0, 1, () => {
        if (connection.isOpen) request.onsuccess();
        else {
          request.error = errorOf('AbortError');
          request.onerror();
        }
      }, 'storage');
    };
    world.after(context, 0.5, 8, proceed, 'storage');
    return request;
  }

  /** @param {Connection} connection @returns {any} an IDBDatabase */
  handleOf(connection) {
    const { database } = connection;
    const handle = {
      createObjectStore: () => ({
        add: (/** @type {Entry} */ entry) => {
          database.lastKey = entry.key;
          database.entries.push(entry);
        },
      }),
      transaction: (/** @type {string} */ _, /** @type {IDBTransactionMode} */ mode) => this.begin(connection, mode),
      close: () => this.close(connection),
    };
    for (const event of /** @type {const} */ (['onclose', 'onversionchange'])) {
      Object.defineProperty(handle, event, { get: () => connection[event], set: (listener) => { connection[event] = listener; } });
    }
    return handle;
  }

  /** @param {Connection} connection */
  close(connection) {
    connection.isOpen = false;
    connection.database.connections.delete(connection);
    this.proceed();
  }

  /** @param {Connection} connection @param {IDBTransactionMode} mode */
  begin(connection, mode) {
    const { world } = this;
    const { context, database } = connection;
    if (!connection.isOpen) throw errorOf('InvalidStateError');
    /** @type {(() => void)[]} */
    const steps = [];
    /** @type {any[]} what the requests have as their results, once that is told */
    const results = [];
    let state = 'asked';
    const ask = (/** @type {() => any} */ step) => {
      /** @type {any} */
      const request = {};
      steps.push(() => results.push([request, step()]));
      return request;
    };
    const write = (/** @type {() => any} */ step) => {
      if (mode === 'readonly') throw errorOf('ReadOnlyError');
      return ask(step);
    };
    const entries = {
      add: (/** @type {{message: any}} */ { message }) => write(() => {
        const entry = { key: ++database.lastKey, message };
        database.entries.push(entry);
        database.added.push(entry);
        return entry.key;
      }),
      openCursor: () => ask(() => database.entries[database.entries.length - 1]),
      getAll: (/** @type {(key: number) => boolean} */ isWanted) => ask(() => database.entries.filter(({ key }) => isWanted(key))),
      delete: (/** @type {(key: number) => boolean} */ isUnwanted) => write(() => {
        database.entries = database.entries.filter(({ key }) => !isUnwanted(key));
      }),
    };
    const transaction = {
      objectStore: () => entries,
      commit() {},
      abort() {
        if (state !== 'asked') throw errorOf('InvalidStateError');
        state = 'aborted';
      },
      error: /** @type {any} */ (undefined),
      oncomplete() {},
      onabort() {},
    };
    const tell = (/** @type {() => void} */ event) => {
      connection.lastEvent = Math.max(connection.lastEvent + 0.01, world.time + world.between(0.1, 2));
      world.at(context, connection.lastEvent, () => {
        if (!connection.isLost) event();
      }, 'storage');
    };
    this.last = Math.max(this.last + 0.1, world.time + world.between(0.1, 1));
    // Once it was sent, it may be carried out though its sender has died or lost the connection meanwhile.
    const orphan = world.random() < 0.5;
    const fails = world.random() < this.failures;
    world.at(undefined, this.last, () => {
      if (state !== 'asked') return;
      if ((connection.isLost || !context.alive) && !orphan) return;
      if (fails || world.time < context.brokenUntil) {
        state = 'failed';
        transaction.error = errorOf('QuotaExceededError');
        tell(() => transaction.onabort());
        return;
      }
      state = 'done';
      for (const step of steps) step();
      tell(() => {
        for (const [request, result] of results) request.result = result;
        transaction.oncomplete();
      });
    }, 'storage');
    return transaction;
  }

  /** The browser closes this context's connections. @param {SimulatedContext} context */
  lose(context) {
    for (const { connections } of this.all) {
      for (const connection of [...connections]) {
        if (connection.context !== context) continue;
        connection.isLost = true;
        this.close(connection);
        this.world.after(context, 0, 30, () => connection.onclose && connection.onclose(), 'storage');
      }
    }
  }

  /** The site's data is cleared. */
  wipe() {
    // A context that waits for a deletion opens new ones at once.
    this.byName.clear();
    for (const context of this.world.contexts) this.lose(context);
  }

  /** A page deletes it: it is deleted when all have closed it. @param {string} name */
  delete(name) {
    const database = this.byName.get(name);
    if (!database || this.deletions.has(name)) return;
    this.deletions.set(name, []);
    for (const connection of database.connections) {
      const tell = () => this.world.after(connection.context, 0, 30, () => {
        if (!connection.isOpen) return;
        if (connection.onversionchange) connection.onversionchange({ newVersion: null });
        else tell();
      }, 'storage');
      tell();
    }
    this.proceed();
  }

  proceed() {
    for (const [name, waiting] of this.deletions) {
      const database = this.byName.get(name);
      if (database && database.connections.size) continue;
      this.byName.delete(name);
      this.deletions.delete(name);
      for (const each of waiting) each();
    }
  }

  /** @param {SimulatedContext} context */
  isConnected(context) {
    return this.all.some(({ connections }) => [...connections].some((connection) => connection.context === context));
  }

  /** @param {SimulatedContext} context */
  died(context) {
    for (const { connections } of this.all) for (const each of [...connections]) if (each.context === context) this.close(each);
  }
}

/** What a bound of keys is here: whether a key is within. */
export const keyRange = {
  lowerBound: (/** @type {number} */ bound) => (/** @type {number} */ key) => key > bound,
  upperBound: (/** @type {number} */ bound) => (/** @type {number} */ key) => key <= bound,
};
