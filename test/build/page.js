/**
 * As much of a browser as the script-tag build needs, in one process: pages of one origin whose messages and databases can be looked at.
 */
import vm from 'node:vm';

/**
 * @typedef {object} Database with one store
 * @property {any[]} entries
 * @property {number} last the highest key so far
 * @property {number} open how many connections it has
 * @property {(() => void)[]} waiting until it has none
 */

/** @param {() => void} callback */
const soon = (callback) => void setTimeout(callback, 0);

export class Origin {
  /** Everything that was posted. @type {any[]} */
  messages = [];
  /** @type {Map<string, Database>} by name */
  databases = new Map();
  /** @type {Set<any>} */
  #channels = new Set();

  /** @param {string} script @param {object} [members] of the page @returns {any} its global object, once the script has run */
  open(script, members = {}) {
    const page = vm.createContext({
      BroadcastChannel: this.#channelClass(), indexedDB: this.#storage(), navigator: Object.create({ userAgent: 'Chrome' }),
      performance, crypto, console, setTimeout, clearTimeout, AbortSignal, DOMException, Uint8Array, Uint32Array,
      ...members,
    });
    page.self = page;
    vm.runInContext(script, page);
    return page;
  }

  #channelClass() {
    const { messages } = this;
    const channels = this.#channels;
    return class {
      onmessage = (/** @type {{data: any}} */ event) => void event;

      /** @param {string} name */
      constructor(name) {
        this.name = name;
        channels.add(this);
      }

      /** @param {any} data */
      postMessage(data) {
        messages.push(structuredClone(data));
        for (const other of channels) {
          if (other === this || other.name !== this.name) continue;
          soon(() => channels.has(other) && other.onmessage({ data: structuredClone(data) }));
        }
      }

      close() {
        channels.delete(this);
      }
    };
  }

  #storage() {
    /** @param {string} name */
    const databaseOf = (name) => {
      const database = this.databases.get(name) ?? { entries: [], last: 0, open: 0, waiting: [] };
      this.databases.set(name, database);
      return database;
    };
    /** @param {any} result */
    const request = (result) => {
      const asked = { result, onsuccess: (/** @type {any} */ event) => void event };
      soon(() => asked.onsuccess({ target: asked }));
      return asked;
    };

    /** A store with keys of its own. Nothing comes between requests that are made at once. @param {Database} database */
    const storeOf = (database) => ({
      add: (/** @type {any} */ value) => {
        const key = value.key ?? database.last + 1;
        database.last = Math.max(database.last, key);
        database.entries.push({ ...structuredClone(value), key });
        return request(key);
      },
      getAll: () => request(structuredClone(database.entries)),
    });

    /** @param {Database} database */
    const connectionTo = (database) => ({
      createObjectStore: () => storeOf(database),
      transaction: () => {
        const made = { objectStore: () => storeOf(database), commit: () => void setTimeout(() => made.oncomplete(), 1), oncomplete() {} };
        return made;
      },
      close() {
        database.open--;
        if (!database.open) database.waiting.splice(0).forEach((done) => done());
      },
    });

    return {
      open: (/** @type {string} */ name) => {
        const isNew = !this.databases.has(name);
        const database = databaseOf(name);
        database.open++;
        const asked = { result: connectionTo(database), onupgradeneeded() {}, onsuccess() {} };
        soon(() => {
          if (isNew) asked.onupgradeneeded();
          asked.onsuccess();
        });
        return asked;
      },
      deleteDatabase: (/** @type {string} */ name) => {
        const asked = { onsuccess() {} };
        const database = databaseOf(name);
        const done = () => {
          this.databases.delete(name);
          soon(() => asked.onsuccess());
        };
        if (database.open) database.waiting.push(done);
        else done();
        return asked;
      },
    };
  }
}
