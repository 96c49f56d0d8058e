/**
 * What the contexts of one site store: the register, and databases that show who lives. All of it can be cleared, and the browser can close
 * all connections.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 * @typedef {import('../../glue/platform/place.js').StoredChange} StoredChange
 * @typedef {object} Connection
 * @property {SimulatedContext} context
 * @property {() => void} onLost
 * @property {boolean} open
 * @property {boolean} wiped
 * @property {boolean} isRegister
 * @property {boolean} isAnnounced whether others may know its name: then it stays open while the page deletes it
 * @typedef {{context: SimulatedContext, told: boolean, watchers: Map<(wasHeld: boolean) => void, boolean>, tell: () => void}} Watch
 * @typedef {{context: SimulatedContext, open: boolean, wiped: boolean, watches: Set<Watch>}} AliveName [open]: false once closed from
 *   outside; [wiped]: whether it was deleted, too
 */
import { recordOf } from '../../glue/log/register.js';
import { copy } from './copy.js';
import { TransactionQueue } from './queue.js';
import { Stumbles } from './stumbles.js';

/** A deletion that is pending for so many milliseconds shows that the name is held: here, that of a free name is faster. */
const PENDING = 100;
/** Within so many milliseconds, a context whose connections were closed is in the register under another name. */
const COME_BACK = 2000;

/** The record that changes make, by the last of them. @type {WeakMap<StoredChange, {first: StoredChange, count: number, record: any}>} */
const found = new WeakMap();

/** @param {StoredChange[]} changes @param {number} count @returns {any} the record that the first [count] of them make, if it was found */
const findRecord = (changes, count) => {
  const known = found.get(changes[count - 1]);
  return known && known.first === changes[0] && known.count === count ? known.record : undefined;
};

/** The record that changes make: what was found for earlier ones, and what the last one makes of it. @param {StoredChange[]} changes */
export const recordMadeBy = (changes) => {
  const count = changes.length;
  if (!count) return recordOf(changes);
  let record = findRecord(changes, count);
  if (record) return record;
  const earlier = count > 1 && findRecord(changes, count - 1);
  const before = /** @type {any} */ ({ type: 'record', record: earlier });
  record = recordOf(earlier ? [{ key: 0, value: before }, changes[count - 1]] : changes);
  found.set(changes[count - 1], { first: changes[0], count, record });
  return record;
};

export class Storage {
  /** @param {import('./world.js').World} world */
  constructor(world) {
    this.world = world;
    this.queue = new TransactionQueue(world);
    this.stumbles = new Stumbles(world);
    /** @type {StoredChange[]} the register */
    this.entries = [];
    this.lastKey = 0;
    /** @type {Map<string, AliveName>} */
    this.names = new Map();
    /** @type {Set<Connection>} */
    this.connections = new Set();
    /** Callbacks for the end of a deletion of everything; undefined while there is none. @type {(() => void)[] | undefined} */
    this.deletion = undefined;
  }

  record() {
    return recordMadeBy(this.entries);
  }

  /**
   * @param {SimulatedContext} context
   * @param {() => void} onLost
   * @param {boolean} [isRegister] it waits while the register is being deleted
   * @returns {Promise<Connection>}
   */
  async connect(context, onLost, isRegister = false) {
    const { world } = this;
    await world.storageEvent(context, 1, 15);
    const stumble = this.stumbles.take(context, isRegister ? 'open' : 'show');
    if (stumble && !stumble.late) throw new Error('storage does not open this time');
    if (stumble) await this.stumbles.wait(context, stumble);
    if (this.deletion && isRegister) await new Promise((resolve) => this.deletion?.push(() => resolve(undefined)));
    if (world.time < context.brokenUntil) throw new Error('storage does not open');
    // For a dead context, nothing opens any more.
    if (!context.alive) await new Promise(() => {});
    const connection = { context, onLost, open: true, wiped: false, isRegister, isAnnounced: false };
    this.connections.add(connection);
    return connection;
  }

  /** @param {Connection} connection */
  disconnect(connection) {
    connection.open = false;
    this.connections.delete(connection);
    this.proceed();
  }

  /** @param {SimulatedContext} context @param {() => void} onLost @returns {Promise<import('../../glue/platform/place.js').Register>} */
  async openRegister(context, onLost) {
    const connection = await this.connect(context, onLost, true);
    return {
      append: (entry) => this.transact(connection, entry, () => {
        if (entry) this.entries.push({ key: ++this.lastKey, value: copy(entry) });
        return this.entries.slice();
      }),
      compact: (key, value) => this.transact(connection, value, () => {
        this.entries = this.entries.filter((each) => each.key > key);
        this.entries.unshift({ key, value: copy(value) });
      }),
      close: () => this.disconnect(connection),
    };
  }

  /**
   * @template T
   * @param {Connection} connection
   * @param {any} subject
   * @param {() => T} change
   * @returns {Promise<T>}
   */
  transact(connection, subject, change) {
    const { world } = this;
    const { context } = connection;
    return new Promise((resolve, reject) => {
      // Once sent, a transaction may be carried out although its sender has died, or closed the connection, meanwhile.
      const orphan = world.random() < 0.5;
      const stumble = this.stumbles.take(context, 'append');
      const come = () => stumble && stumble.late ? this.stumbles.wait(context, stumble) : world.storageEvent(context, 0.1, 2);
      const answer = (/** @type {() => void} */ settle) => void come().then(settle);
      const fail = () => answer(() => reject(new Error('storage fails')));
      // A call that fails alone may have been carried out.
      const failsAlone = !!stumble && !stumble.late;
      if (!connection.open || world.time < context.brokenUntil || (failsAlone && world.random() < 0.5)) {
        fail();
        return;
      }
      const carryOut = () => {
        if (connection.wiped || ((!context.alive || !connection.open) && !orphan)) {
          fail();
          return;
        }
        const result = change();
        // A context that loses the connection just now may learn that the change was made, or not.
        const learns = () => !failsAlone && (connection.open || world.random() < 0.5);
        answer(() => learns() ? resolve(result) : reject(new Error('connection closed')));
      };
      this.queue.add(context, subject, carryOut);
    });
  }

  /**
   * @param {SimulatedContext} context
   * @param {string} name
   * @param {() => void} onLost
   * @returns {Promise<{announced(): void, close(): void}>}
   */
  async holdAlive(context, name, onLost) {
    const connection = await this.connect(context, onLost);
    const known = this.names.get(name);
    const watches = known ? known.watches : new Set();
    this.names.set(name, { context, open: true, wiped: false, watches });
    return {
      announced: () => {
        connection.isAnnounced = true;
        this.releaseOld(context);
      },
      close: () => {
        const held = this.names.get(name);
        if (connection.wiped && held) Object.assign(held, { open: false, wiped: true });
        else if (held && held.open) this.release(name);
        this.disconnect(connection);
      },
    };
  }

  /**
   * Tells that the holder of a name has ended. If the name was closed from outside, it may tell so although the holder lives.
   * @param {SimulatedContext} context @param {string} name @param {(wasHeld: boolean) => void} onDeath @returns {() => void} ends it
   */
  watchAlive(context, name, onDeath) {
    const { world } = this;
    const held = this.names.get(name);
    const watch = this.watchOf(context, held);
    // The browser says only to the first context that the deletion is blocked, once, and only if the holder is neither busy nor frozen.
    const isBlocked = held && held.open && held.watches.size < 2 && !watch.watchers.size;
    watch.watchers.set(onDeath, !!isBlocked && !held.context.frozen && held.context.loop.busyUntil <= world.time);
    void world.storageEvent(context, PENDING, PENDING + 15).then(() => {
      if (!watch.told && held && held.open && watch.watchers.has(onDeath)) watch.watchers.set(onDeath, true);
    });
    if (!held || (!held.open && !held.wiped)) watch.tell();
    return () => void watch.watchers.delete(onDeath);
  }

  /** A context watches a name once, even if it asks often. @param {SimulatedContext} context @param {AliveName | undefined} held */
  watchOf(context, held) {
    for (const each of held ? held.watches : []) if (each.context === context && !each.told) return each;
    /** @type {Watch} */
    const watch = {
      context, told: false, watchers: new Map(),
      tell: () => {
        if (watch.told) return;
        watch.told = true;
        const stumble = this.stumbles.take(context, 'watch');
        const come = stumble && stumble.late ? this.stumbles.wait(context, stumble) : this.world.storageEvent(context, 2, 80);
        void come.then(() => watch.watchers.forEach((wasHeld, onDeath) => onDeath(wasHeld)));
      },
    };
    if (held) held.watches.add(watch);
    return watch;
  }

  /** The holder of the name has ended, or closed it. @param {string} name */
  release(name) {
    const held = this.names.get(name);
    this.names.delete(name);
    for (const watch of held ? held.watches : []) watch.tell();
  }

  /**
   * Data was cleared, which closed the name. Some watchers are told so before they learn that their own connections were closed, too.
   * @param {AliveName} held
   */
  deceive(held) {
    for (const watch of held.watches) if (this.world.random() < 0.5) watch.tell();
  }

  /**
   * The browser has closed names of this context. They can be deleted, and watchers are told, when the context has had time to come back
   * under another name.
   * @param {SimulatedContext} context
   */
  releaseOld(context) {
    const old = [...this.names].filter(([, held]) => held.context === context && !held.open);
    this.world.at(undefined, this.world.time + COME_BACK, () => old.forEach(([name]) => this.release(name)));
  }

  /** @param {SimulatedContext} context */
  died(context) {
    for (const [name, held] of [...this.names]) if (held.context === context) this.release(name);
    for (const connection of [...this.connections]) if (connection.context === context) this.disconnect(connection);
  }

  /** The browser closes this context's connections. @param {SimulatedContext} context @param {boolean} wiped whether all is deleted, too */
  lose(context, wiped) {
    const { world } = this;
    for (const connection of [...this.connections]) {
      if (connection.context !== context) continue;
      connection.wiped = wiped;
      world.after(context, 0, 30, () => connection.onLost());
      this.disconnect(connection);
    }
    for (const held of this.names.values()) {
      if (held.context !== context) continue;
      Object.assign(held, { open: false, wiped });
      if (wiped) {
        this.deceive(held);
        continue;
      }
      // Some watchers are told at once. The deletions of others fail, and succeed when they are repeated.
      for (const watch of held.watches) {
        if (world.random() < 0.5) watch.tell();
        else world.after(undefined, 100, 130, watch.tell);
      }
    }
  }

  /** All is deleted. */
  wipe() {
    this.entries = [];
    this.lastKey = 0;
  }

  /** A page deletes all databases. Contexts that are awake close the register. One that is not keeps everybody waiting. */
  deleteAll() {
    this.deletion = this.deletion || [];
    for (const connection of this.connections) {
      if (!connection.isAnnounced) this.world.after(connection.context, 0, 30, () => connection.open && connection.onLost());
    }
    this.proceed();
  }

  /** The waiting contexts open the register. It is the old one if the page has given the deletion up. */
  endDeletion() {
    const waiting = this.deletion || [];
    this.deletion = undefined;
    for (const each of waiting) each();
  }

  /** Deletes the register once nobody is connected to it any more. */
  proceed() {
    const { deletion, connections } = this;
    if (!deletion || [...connections].some(({ isRegister }) => isRegister)) return;
    this.wipe();
    this.endDeletion();
  }
}
