/** The shared worker that keeps what windows have no IndexedDB for; see ./browser-memory.js. It answers each message once. */
import { MEMORY } from './browser-memory.js';

/**
 * @typedef {object} Database
 * @property {Set<string>} connections
 * @property {Map<IDBValidKey, {value: any, version: number}>} records
 * @property {(() => void)[]} deletions that wait until nobody is connected any more
 */

/** @param {any} scope the worker's global object @param {string} id this worker's, of all that there ever are */
export const serveMemory = (scope, id) => {
  /** @type {Map<string, Database>} */
  const databases = new Map();
  let versions = 0;
  let ports = 0;

  /** @param {string} name */
  const databaseOf = (name) => {
    let database = databases.get(name);
    if (!database) databases.set(name, (database = { connections: new Set(), records: new Map(), deletions: [] }));
    return database;
  };

  /** @param {string} name @param {IDBValidKey} key */
  const recordOf = (name, key) => databaseOf(name).records.get(key) || { value: undefined, version: 0 };

  /** Deletes a database that is to be deleted, once it can be. @param {string} name */
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

    /** By what is asked for. An answer may come later. @type {Record<string, (message: any, answer: (more?: any) => void) => void>} */
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
      get({ database, key }, answer) {
        answer(recordOf(database, key));
      },
      /** Writes only over what the writer has read; else it is told what there is. */
      put({ database, key, value, version }, answer) {
        const before = recordOf(database, key);
        if (before.version !== version) answer(before);
        else {
          databaseOf(database).records.set(key, { value, version: ++versions });
          answer({ done: true });
        }
      },
    };

    port.onmessage = (/** @type {MessageEvent} */ { data }) => {
      if (data.type === 'leave') [...connected.keys()].forEach(disconnect);
      else tasks[data.type](data, (more) => port.postMessage(Object.assign({ memory: id, call: data.call }, more)));
    };
  };
  new BroadcastChannel(MEMORY).postMessage({ memory: id });
};
