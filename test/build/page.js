/** As much of a browser as the script-tag build needs, in one process: pages of one origin whose messages and records can be looked at. */
import vm from 'node:vm';

/** @param {() => void} callback */
const soon = (callback) => void setTimeout(callback, 0);

export class Origin {
  /** Everything that was posted. @type {any[]} */
  messages = [];
  /** The register, by manager. @type {Map<string, any>} */
  records = new Map();
  /** @type {Set<any>} */
  #channels = new Set();
  /** How many connections a database has, and who waits until it has none. @type {Map<string, {open: number, waiting: (() => void)[]}>} */
  #databases = new Map();

  /** @param {string} script @returns {any} the page's global object, once the script has run */
  open(script) {
    const page = vm.createContext({
      BroadcastChannel: this.#channelClass(), indexedDB: this.#storage(), navigator: Object.create({ userAgent: 'Chrome' }),
      performance, crypto, console, setTimeout, clearTimeout, AbortSignal, DOMException, Uint8Array, Uint32Array,
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
    const { records } = this;
    /** @param {string} name */
    const databaseOf = (name) => {
      const database = this.#databases.get(name) ?? { open: 0, waiting: [] };
      this.#databases.set(name, database);
      return database;
    };
    /** @param {any} result */
    const request = (result) => {
      const asked = { result, onsuccess: () => {} };
      soon(() => asked.onsuccess());
      return asked;
    };
    const transaction = () => {
      const made = {
        oncomplete: () => {},
        objectStore: () => ({
          get: (/** @type {string} */ key) => {
            const reading = request(structuredClone(records.get(key)));
            setTimeout(() => made.oncomplete(), 1);
            return reading;
          },
          put: (/** @type {any} */ value, /** @type {string} */ key) => void records.set(key, structuredClone(value)),
        }),
      };
      return made;
    };
    return {
      open: (/** @type {string} */ name) => {
        const database = databaseOf(name);
        database.open++;
        return request({
          transaction,
          close() {
            database.open--;
            if (!database.open) database.waiting.splice(0).forEach((done) => done());
          },
        });
      },
      deleteDatabase: (/** @type {string} */ name) => {
        const asked = { onsuccess: () => {} };
        const database = databaseOf(name);
        const done = () => soon(() => asked.onsuccess());
        if (database.open) database.waiting.push(done);
        else done();
        return asked;
      },
    };
  }
}
