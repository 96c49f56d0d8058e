/**
 * An order made by the keys of a store, as in browsers without BroadcastChannel. Each context reads at its own pace. Old messages are swept
 * away, and clearing the site's data empties the store. A context that may have missed messages is told of a gap.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 * @typedef {import('./world.js').World} World
 *
 * @typedef {object} Reader
 * @property {SimulatedContext} context
 * @property {(message: any, index: number) => void} onMessage
 * @property {() => void} onGap
 * @property {number | undefined} read the last key that it has read; undefined until it knows where the store ends
 * @property {boolean} connected
 * @property {boolean} hasGap whether it must be told of one before anything else is delivered
 * @property {any[]} unwritten
 * @property {number} lateUntil by then, what it could not write at once is written or lost, or has failed again
 * @property {number} failures how often its unwritten messages were lost: none that it posted before is written any more
 * @property {number} losses how often its connection was closed from outside: only the last loss opens another
 */
import { TransactionQueue } from './queue.js';

export class StoreOrder {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    this.queue = new TransactionQueue(world);
    /** How many messages have had a key. */
    this.count = 0;
    this.lastKey = 0;
    /** When everything was last deleted. */
    this.wipedAt = -Infinity;
    /** @type {{key: number, index: number, time: number, message: any}[]} */
    this.kept = [];
    /** @type {Set<Reader>} */
    this.readers = new Set();
  }

  /** @param {SimulatedContext} context @param {(message: any, index: number) => void} onMessage @param {() => void} onGap */
  open(context, onMessage, onGap) {
    /** @type {Reader} */
    const reader = {
      context, onMessage, onGap, read: undefined, connected: true, hasGap: false, unwritten: [], lateUntil: 0, failures: 0, losses: 0,
    };
    this.readers.add(reader);
    void this.world.storageEvent(context, 0.5, 5).then(() => this.begin(reader));
    return {
      append: (/** @type {any} */ message) => this.readers.has(reader) && this.post(reader, message),
      look() {},
      close: () => void this.readers.delete(reader),
    };
  }

  /** It reads what is written from here on. @param {Reader} reader */
  begin(reader) {
    if (reader.read === undefined) reader.read = this.lastKey;
  }

  /** @param {Reader} reader @param {any} message */
  post(reader, message) {
    const { failures } = reader;
    reader.unwritten.push(message);
    this.queue.add(reader.context, message, () => this.write(reader, failures));
  }

  /** Writes the oldest message that is not written yet. @param {Reader} reader @param {number} failures when it was posted */
  write(reader, failures) {
    const { world } = this;
    const { context, unwritten } = reader;
    if (!unwritten.length || failures < reader.failures) return;
    const fails = context.alive && (world.time < context.brokenUntil || world.storage.stumbles.take(context, 'post'));
    if (!reader.connected || fails) {
      reader.lateUntil = world.time + 60;
      if (world.random() < 0.2) this.fail(reader);
      else world.after(context, 10, 50, () => this.write(reader, failures));
      return;
    }
    this.begin(reader);
    this.deliver(unwritten.shift());
  }

  /** The message is written, and everybody will read it. @param {any} message */
  deliver(message) {
    this.kept.push({ key: ++this.lastKey, index: this.count++, time: this.world.time, message });
    for (const each of this.readers) this.ring(each);
  }

  /** Its unwritten messages are lost, and it is told of a gap. @param {Reader} reader */
  fail(reader) {
    this.forget(reader);
    reader.hasGap = true;
    this.world.after(reader.context, 0, 20, () => this.tellGap(reader), 'storage');
  }

  /** @param {Reader} reader */
  forget(reader) {
    reader.unwritten = [];
    reader.failures++;
  }

  /** @param {Reader} reader */
  tellGap(reader) {
    if (!reader.hasGap || !this.readers.has(reader)) return;
    reader.hasGap = false;
    reader.onGap();
  }

  /** Something was written. @param {Reader} reader */
  ring(reader) {
    const { world } = this;
    if (!reader.context.alive) {
      this.readers.delete(reader);
      return;
    }
    const begin = Math.max(world.time, this.queue.heldUntil);
    world.at(reader.context, begin + world.between(0.2, world.latency / 2) * reader.context.slowness(), () => this.read(reader), 'storage');
  }

  /** @param {Reader} reader */
  read(reader) {
    const { world } = this;
    if (!this.readers.has(reader) || !reader.connected) return;
    if (world.time < reader.context.brokenUntil || this.queue.heldUntil > world.time) {
      world.after(reader.context, 10, 50, () => this.read(reader));
      return;
    }
    this.begin(reader);
    this.tellGap(reader);
    let left = world.random() < 0.2 ? 1 : Infinity;
    for (const { key, index, message } of [...this.kept]) {
      const read = /** @type {number} */ (reader.read);
      if (key <= read) continue;
      if (!left--) {
        this.ring(reader);
        return;
      }
      reader.read = key;
      reader.hasGap = key > read + 1;
      this.tellGap(reader);
      if (this.readers.has(reader)) reader.onMessage(message, index);
      if (!this.readers.has(reader)) return;
    }
    if (/** @type {number} */ (reader.read) < this.lastKey) {
      reader.read = this.lastKey;
      reader.hasGap = true;
      this.tellGap(reader);
    }
  }

  /** Whether what it posts is written in its turn. @param {SimulatedContext} context */
  isConnected(context) {
    return [...this.readers].every((reader) => reader.context !== context || (reader.connected && reader.lateUntil < this.world.time));
  }

  /** Whether what it has posted since then may have been written late. @param {SimulatedContext} context @param {number} time */
  wasLate(context, time) {
    return [...this.readers].some((reader) => reader.context === context && reader.lateUntil >= time);
  }

  /** Sweeps older messages away. Nobody can do that while a stopped context holds everybody up. @param {number} milliseconds */
  sweep(milliseconds) {
    const since = this.world.time - milliseconds;
    // While the store was held up, nobody could read what was written.
    if (this.queue.heldUntil <= since) this.kept = this.kept.filter(({ time }) => time > since);
  }

  /** Its last messages may be lost. @param {SimulatedContext} context */
  died(context) {
    for (const reader of this.readers) {
      if (reader.context === context) reader.unwritten.length = Math.floor(this.world.random() * (reader.unwritten.length + 1));
    }
  }

  /** All is deleted, and keys begin anew. */
  wipe() {
    this.kept = [];
    this.lastKey = 0;
    this.wipedAt = this.world.time;
    for (const reader of this.readers) reader.read = 0;
  }

  /**
   * The browser closes this context's connection. It opens another, and is told of a gap if something may be lost.
   * @param {SimulatedContext} context
   * @param {boolean} wiped
   */
  lose(context, wiped) {
    for (const reader of this.readers) {
      if (reader.context !== context) continue;
      const fails = context.isStopped() || this.world.random() < 0.5;
      reader.hasGap = reader.hasGap || wiped || (fails && reader.unwritten.length > 0);
      reader.connected = false;
      const losses = ++reader.losses;
      if (fails) this.forget(reader);
      this.world.after(context, 0, 30, () => this.readers.has(reader) && losses === reader.losses && this.reconnect(reader));
    }
  }

  /** @param {Reader} reader */
  reconnect(reader) {
    reader.connected = true;
    this.tellGap(reader);
    this.ring(reader);
  }
}
