/**
 * The explainer's sketch: "Can we define Indexed DB transactions in terms of this primitive?" Here is one that does. Its stores live
 * wherever [storage] puts them; all that makes it a transaction is a scoped lock.
 *
 * @typedef {object} Storage what keeps the stores; it needs no transactions, but for writing several values at once
 * @property {(store: string, key: string) => Promise<any>} read
 * @property {(writes: {store: string, key: string, value: any}[]) => Promise<void>} write all or none
 */
import { requestAutoReleaseLock } from '../../dist/drafts.mjs';

/** The event loop's next turn; timers would be late in a hidden tab. @returns {Promise<void>} */
const nextTurn = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(undefined);
});

/** @param {string} name */
const exception = (name) => new DOMException('The transaction is not active any more', name);

export class LockedTransaction {
  /**
   * @param {string} database
   * @param {Storage} storage
   * @param {string[]} stores
   * @param {'readonly' | 'readwrite'} mode
   */
  constructor(database, storage, stores, mode) {
    this.storage = storage;
    this.stores = stores;
    this.mode = mode;
    /** @type {'waiting' | 'active' | 'committing' | 'finished'} */
    this.state = 'waiting';
    /** Written values that others may not see yet. @type {Map<string, {store: string, key: string, value: any}>} */
    this.writes = new Map();
    /** "…and holds a request queue which operations are appended to." @type {(() => void)[]} */
    this.queue = [];
    /** How many requests the active promise still waits for. */
    this.processing = 0;
    /** "The complete promise is resolved when the transaction successfully commits or aborts." @type {Promise<void>} */
    this.complete = new Promise((resolve, reject) => {
      this.finish = { resolve, reject };
    });
    this.complete.catch(() => {});

    // "The IDBTransaction requests a lock when created."
    requestAutoReleaseLock(stores.map((store) => `${database}/${store}`), { mode: mode === 'readonly' ? 'shared' : 'exclusive' }).then(
      (lock) => this.begin(lock),
      (error) => this.end(error),
    );
  }

  /**
   * "When the lock is acquired it is waited on complete promise. In addition an active promise is prepared. The request queue is then
   * processed."
   * @param {import('../../types/drafts.js').AutoReleaseLock} lock
   */
  begin(lock) {
    if (this.state === 'finished') return;
    // A transaction that fails is no failure of the lock; a lock that is lost is one of the transaction.
    lock.waitUntil(this.complete.catch(() => {})).catch((error) => this.end(error));
    this.state = 'active';
    this.processing = 1;
    this.queue.forEach((request) => request());
    this.queue = [];
    void this.processed();
  }

  /** @param {string} store @param {string} key @returns {Promise<any>} */
  get(store, key) {
    return this.request(store, async () => {
      const written = this.writes.get(`${store}/${key}`);
      return written ? written.value : this.storage.read(store, key);
    });
  }

  /** @param {string} store @param {string} key @param {any} value @returns {Promise<void>} */
  put(store, key, value) {
    if (this.mode === 'readonly') return Promise.reject(new DOMException('The transaction only reads', 'ReadOnlyError'));
    return this.request(store, async () => void this.writes.set(`${store}/${key}`, { store, key, value }));
  }

  abort() {
    if (this.state === 'finished') throw exception('InvalidStateError');
    this.end(new DOMException('The transaction was aborted', 'AbortError'));
  }

  /** @param {string} store @param {() => Promise<any>} work */
  request(store, work) {
    if (!this.stores.includes(store)) return Promise.reject(new DOMException(`Not in scope: ${store}`, 'NotFoundError'));
    if (this.state !== 'waiting' && this.state !== 'active') return Promise.reject(exception('TransactionInactiveError'));
    return new Promise((resolve, reject) => {
      // "A processed request gets a hidden promise that is resolved when the request is done."
      const process = () => {
        this.processing++;
        work().then((value) => {
          if (this.state === 'finished') reject(exception('AbortError'));
          else resolve(value);
        }, reject).then(() => this.processed());
      };
      // "Any new request is processed immediately."
      if (this.state === 'active') process();
      else this.queue.push(process);
    });
  }

  /** "The active promise is extended until one turn after every processed request has completed." */
  async processed() {
    await nextTurn();
    this.processing--;
    if (!this.processing && this.state === 'active') await this.commit();
  }

  /** "When the active promise resolves, there are no further requests, and the transaction attempts to commit." */
  async commit() {
    this.state = 'committing';
    try {
      if (this.writes.size) await this.storage.write([...this.writes.values()]);
      this.end();
    } catch (error) {
      this.end(error);
    }
  }

  /** @param {any} [error] */
  end(error) {
    if (this.state === 'finished') return;
    this.state = 'finished';
    if (error) this.finish?.reject(error);
    else this.finish?.resolve(undefined);
  }
}
