/**
 * A BroadcastChannel for browsers that have none (Safari before 15.4, Edge before 79), over IndexedDB. All messages stand in one store, in
 * the order of their keys, so that every context is delivered all of them in the same order. What a context has to know at once it is told
 * by a storage event, where it is a window and the sender too; the others look by themselves, often while something is going on.
 */

import { abort } from './browser.js';

/** One record a message, with the channel's name; and under FLOOR the key up to which messages have been deleted. */
const DATABASE = 'lockkeeper-messages';
const MESSAGES = 'messages';
const FLOOR = 'floor';
/** A message is kept for so long, in milliseconds: whoever was stopped for longer is told that it has missed some. */
const KEPT = 60000;
/** How often a context looks: within BUSY milliseconds of the last message, and later. */
const OFTEN = 10;
const BUSY = 1000;
const SELDOM = 250;
/** How often the old ones are deleted, in messages of one's own. */
const SWEEP = 200;

/** @typedef {{name: string, data: any, from: StorageChannel, time: number}} Outgoing */

/** This realm's one connection; opened with the first channel. */
class Hub {
  constructor() {
    /** @type {Set<StorageChannel>} */
    this.channels = new Set();
    /** @type {Outgoing[]} */
    this.outgoing = [];
    /** @type {IDBDatabase | undefined} */
    this.database = undefined;
    /** The key of the last message that was delivered here. */
    this.last = -1;
    this.at = 0;
    this.working = false;
    this.posted = 0;
    /** @type {any} */
    this.timer = undefined;
    /** @type {IDBTransaction | undefined} */
    this.transaction = undefined;
    self.addEventListener('storage', ({ key }) => key === DATABASE && this.work());
    // In WebKit the transactions of a page in its back-forward cache stay open, and keep everybody else's waiting.
    self.addEventListener('pagehide', () => this.pause());
  }

  /** @param {StorageChannel} channel */
  add(channel) {
    this.channels.add(channel);
    this.work();
  }

  /** @param {Outgoing} message */
  post(message) {
    this.outgoing.push(message);
    this.work();
  }

  open() {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open(DATABASE);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore(MESSAGES, { autoIncrement: true });
        opening.result.createObjectStore(FLOOR);
      };
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        this.database = database;
        // Cleared site data: the next access opens it anew, and whoever had heard some of it has missed the rest.
        database.onclose = () => this.lose();
        resolve(undefined);
      };
    });
  }

  /** Whoever has a channel yet will have missed something. */
  lose() {
    this.database = undefined;
    this.last = -1;
    this.each((channel) => channel.ongap && channel.ongap());
  }

  pause() {
    if (!this.database) return;
    if (this.transaction) abort(this.transaction);
    this.database.close();
    this.lose();
  }

  /** @param {(channel: StorageChannel) => void} tell what it throws is its own business */
  each(tell) {
    for (const channel of [...this.channels]) {
      try {
        tell(channel);
      } catch (error) {
        setTimeout(() => {
          throw error;
        });
      }
    }
  }

  /** Writes what is to be posted and reads what is new, until there is neither. */
  async work() {
    if (this.working) return;
    this.working = true;
    clearTimeout(this.timer);
    try {
      if (!this.database) await this.open();
      do await this.exchange(); while (this.outgoing.length);
    } catch {
      // Storage failed, or the connection was closed: again with the next look.
    }
    this.working = false;
    const wait = Date.now() - this.at < BUSY ? OFTEN : SELDOM;
    if (this.channels.size || this.outgoing.length) this.timer = setTimeout(() => this.work(), wait);
    else if (this.database) {
      this.database.close();
      this.database = undefined;
      this.last = -1;
    }
  }

  /** One transaction. */
  async exchange() {
    const sending = [...this.outgoing];
    const writes = sending.length > 0;
    const sweeps = writes && this.posted % SWEEP < sending.length;
    const transaction = /** @type {IDBDatabase} */ (this.database).transaction([MESSAGES, FLOOR], writes ? 'readwrite' : 'readonly');
    this.transaction = transaction;
    const [messages, floors] = [transaction.objectStore(MESSAGES), transaction.objectStore(FLOOR)];
    /** With what this realm has posted, and who did. @type {[number, any, StorageChannel?][]} */
    const incoming = [];
    /** @type {IDBValidKey[]} */
    const keys = [];
    const isNew = this.last < 0;
    let { last } = this;
    let floor = 0;

    floors.get(FLOOR).onsuccess = ({ target }) => {
      floor = /** @type {any} */ (target).result || 0;
    };
    // Before one's own are added: a channel that is new hears nothing that was posted before.
    const range = isNew ? null : IDBKeyRange.lowerBound(last, true);
    messages.openCursor(range, isNew ? 'prev' : 'next').onsuccess = ({ target }) => {
      const cursor = /** @type {any} */ (target).result;
      if (isNew) {
        last = Math.max(cursor ? cursor.key : 0, floor);
        addOwn();
      } else if (cursor) {
        incoming.push([cursor.key, cursor.value]);
        cursor.continue();
      } else addOwn();
    };
    const addOwn = () => {
      for (const { name, data, time } of sending) {
        messages.add({ name, data, time }).onsuccess = ({ target }) => void keys.push(/** @type {any} */ (target).result);
      }
      if (sweeps) sweep();
    };
    const sweep = () => {
      let deleted = floor;
      messages.openCursor().onsuccess = ({ target }) => {
        const cursor = /** @type {any} */ (target).result;
        if (cursor && Date.now() - cursor.value.time > KEPT) {
          deleted = cursor.key;
          cursor.delete();
          cursor.continue();
        } else floors.put(deleted, FLOOR);
      };
    };

    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    this.outgoing = this.outgoing.slice(sending.length);
    this.posted += sending.length;
    const missed = !isNew && floor > this.last;
    keys.forEach((key, index) => {
      const { name, data, from } = sending[index];
      incoming.push([/** @type {number} */ (key), { name, data }, from]);
    });
    if (missed) this.each((channel) => channel.ongap && channel.ongap());
    for (const [key, { name, data }, sender] of incoming) {
      last = key;
      this.at = Date.now();
      this.each((channel) => channel !== sender && channel.name === name && channel.deliver(data));
    }
    if (this.database) this.last = last;
    if (writes) ring();
  }
}

/** Tells the other windows to look. Workers have no such thing. */
const ring = () => {
  try {
    localStorage.setItem(DATABASE, String(Math.random()));
  } catch {
    // They look by themselves.
  }
};

/** @type {Hub | undefined} */
let hub;

/** As much of BroadcastChannel as a library needs: not an EventTarget. */
export class StorageChannel {
  /** @param {string} name */
  constructor(name) {
    this.name = String(name);
    this.closed = false;
    /** @type {((event: {data: any}) => void) | null} */
    this.onmessage = null;
    /** Called when messages were lost for this context: it was stopped for too long, or storage was cleared. @type {(() => void) | null} */
    this.ongap = null;
    hub = hub || new Hub();
    hub.add(this);
  }

  /** @param {any} data what can be cloned */
  postMessage(data) {
    if (this.closed) throw new DOMException('The channel is closed', 'InvalidStateError');
    /** @type {Hub} */ (hub).post({ name: this.name, data, from: this, time: Date.now() });
  }

  close() {
    this.closed = true;
    /** @type {Hub} */ (hub).channels.delete(this);
  }

  /** @param {any} data */
  deliver(data) {
    if (!this.closed && this.onmessage) this.onmessage({ data });
  }
}
