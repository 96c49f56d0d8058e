/** The shared worker that keeps the data of windows without IndexedDB (./browser-memory.js). It answers each message once. */
import { MEMORY } from './browser-memory.js';

/**
 * @typedef {{key: number}} Entry with the values added under that key
 *
 * @typedef {object} Database
 * @property {Set<string>} connections
 * @property {Entry[]} entries in the order of their keys
 * @property {number} last the last key used. The keys of a new database are above those of an earlier one: glue/order/store.js needs that
 * @property {(() => void)[]} deletions waiting until the last connection is closed
 */

/**
 * @param {object & {onconnect?: (event: MessageEvent) => void}} scope the worker's global object
 * @param {string} id of this worker; never used by another one
 */
export const serveMemory = (scope, id) => {
  /** @type {Map<string, Database>} */
  const databases = new Map();
  let ports = 0;

  /** @param {string} name */
  const databaseOf = (name) => {
    let database = databases.get(name);
    if (!database) databases.set(name, (database = { connections: new Set(), entries: [], last: Date.now() * 1000, deletions: [] }));
    return database;
  };

  /**
   * The operations of a transaction, by name. Each returns its result.
   * @type {Record<string, (database: Database, ...args: any) => any>}
   */
  const calls = {
    add(database, value) {
      const key = ++database.last;
      database.entries.push(Object.assign({}, value, { key }));
      return key;
    },
    put(database, value) {
      const rest = database.entries.filter(({ key }) => key !== value.key);
      database.entries = rest.concat(value).sort((one, other) => one.key - other.key);
    },
    getAll: ({ entries }, above = 0) => entries.filter(({ key }) => key > above),
    last: ({ last }) => ({ key: last }),
    delete(database, upper, upperOpen) {
      database.entries = database.entries.filter(({ key }) => key > upper || (upperOpen && key === upper));
    },
  };

  /** Deletes a database if a deletion waits and no connection is open. @param {string} name */
  const look = (name) => {
    const database = databaseOf(name);
    if (database.connections.size) return;
    const { deletions } = database;
    if (deletions.length) databases.delete(name);
    deletions.forEach((done) => done());
  };

  scope.onconnect = (/** @type {MessageEvent} */ { ports: [port] }) => {
    const number = ++ports;
    /** The names of the databases that this window is connected to. @type {Map<number, string>} */
    const connected = new Map();

    /** @param {number} connection */
    const disconnect = (connection) => {
      const name = connected.get(connection);
      if (name === undefined || !connected.delete(connection)) return;
      databaseOf(name).connections.delete(`${number} ${connection}`);
      look(name);
    };

    /**
     * What to do for each type of message. An answer may come later.
     * @type {Record<string, (message: any, answer: (more?: object) => void) => void>}
     */
    const tasks = {
      open({ database, connection }, answer) {
        connected.set(connection, database);
        databaseOf(database).connections.add(`${number} ${connection}`);
        answer();
      },
      close({ connection }, answer) {
        disconnect(connection);
        answer();
      },
      delete({ database }, answer) {
        databaseOf(database).deletions.push(answer);
        look(database);
      },
      run({ database, calls: all }, answer) {
        answer({ results: all.map((/** @type {[string, ...unknown[]]} */ [name, ...args]) => calls[name](databaseOf(database), ...args)) });
      },
    };

    port.onmessage = (/** @type {MessageEvent} */ { data }) => {
      if (data.type === 'leave') [...connected.keys()].forEach(disconnect);
      else tasks[data.type](data, (more) => port.postMessage(Object.assign({ memory: id, call: data.call }, more)));
    };
  };
  new BroadcastChannel(MEMORY).postMessage({ memory: id });
};
