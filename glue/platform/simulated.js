/**
 * A simulated place: any number of contexts in one process, under a virtual clock and one seeded source of randomness. What the
 * log is given here is what ./place.js promises and not a bit more: every delay and every order that the promises leave open is drawn.
 *
 * @typedef {import('./place.js').Place} Place
 * @typedef {object} Happening
 * @property {number} time
 * @property {number} order
 * @property {SimulatedContext | undefined} context to whom it happens
 * @property {boolean} message whether a message is delivered, which a page that Chromium has frozen still is
 * @property {() => void} run
 */
import { nextTick } from 'node:process';

/**
 * What structuredClone does to a message, faster. All receivers are given the same copy, which nobody can change. A property `trace` of
 * bytes goes with them: a test's mark.
 * @param {any} value
 * @returns {any}
 */
const copy = (value) => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  if (value instanceof Uint8Array) return Object.assign(value.slice(), { trace: /** @type {any} */ (value).trace });
  /** @type {Record<string, any>} */
  const result = {};
  for (const key in value) result[key] = copy(value[key]);
  return Object.freeze(result);
};

/** Runs [callback] when no promise job is left: Node takes the next tick only then. @param {() => void} callback */
const afterJobs = (callback) => void Promise.resolve().then(() => nextTick(callback));

/** A small fast generator (mulberry32): the same seed gives the same world. @param {number} seed @returns {() => number} from 0 up to 1 */
export const createRandom = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

/** What happens, in the order of its time. */
class Agenda {
  constructor() {
    /** @type {Happening[]} a binary heap */
    this.heap = [];
  }

  /** @param {Happening} a @param {Happening} b */
  static before(a, b) {
    return a.time < b.time || (a.time === b.time && a.order < b.order);
  }

  /** @param {Happening} happening */
  add(happening) {
    const { heap } = this;
    let index = heap.push(happening) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!Agenda.before(happening, heap[parent])) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = happening;
  }

  /** @returns {Happening | undefined} */
  take() {
    const { heap } = this;
    const first = heap[0];
    const last = /** @type {Happening} */ (heap.pop());
    if (!heap.length) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && Agenda.before(heap[child + 1], heap[child])) child++;
      if (!Agenda.before(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

/** One tab, frame or worker. */
class SimulatedContext {
  /** @param {World} world @param {number} id */
  constructor(world, id) {
    this.world = world;
    this.id = id;
    this.alive = true;
    /** @type {'' | 'all' | 'chromium'} in Chromium's way, messages are still delivered while timers and storage wait */
    this.frozen = '';
    this.busyUntil = 0;
    /** Until when its storage fails, and until when it surely answers in time. */
    this.brokenUntil = this.promptUntil = 0;
    /** Contexts of one process: on a channel without one order, they are delivered each other's messages first. */
    this.process = world.random() < 0.3 ? 0 : id;
    /** @type {Happening[]} what waits for a thaw */
    this.backlog = [];
    /** @type {((message: any) => void) | undefined} */
    this.onLog = undefined;
    /** @type {((message: any) => void) | undefined} */
    this.onOperations = undefined;
    this.listens = false;
    this.lastPost = 0;
    /** @type {Map<number, number>} by sender: when its last message arrives here */
    this.lastArrival = new Map();
    /** @type {Set<string>} alive names held */
    this.names = new Set();
    /** @type {Set<{onLost: () => void, lost: boolean}>} open storage connections */
    this.connections = new Set();
    /** @type {((state: import('./lifecycle.js').Lifecycle) => void) | undefined} */
    this.onLifecycle = undefined;
    this.clockOrigin = world.random() * 1e6;
    /** @type {string[]} what the developer was told */
    this.warnings = [];
    this.place = this.createPlace();
  }

  /** Nothing that it has not done yet will happen; what it has posted and nobody has seen may be lost, from some message on. */
  kill() {
    if (!this.alive) return;
    this.alive = false;
    this.world.dropPosted(this);
    for (const name of this.names) this.world.release(name);
  }

  /** @param {'all' | 'chromium'} way a frozen context runs nothing; what is for it waits, in order */
  freeze(way) {
    this.frozen = way;
  }

  thaw() {
    this.frozen = '';
    this.catchUp();
  }

  /** A long task. @param {number} milliseconds */
  stall(milliseconds) {
    this.busyUntil = Math.max(this.busyUntil, this.world.time + milliseconds);
    this.world.at(undefined, this.busyUntil, () => this.catchUp());
  }

  /** What has waited happens now, in its order, as far as it can. */
  catchUp() {
    const { backlog } = this;
    this.backlog = [];
    for (const happening of backlog) this.world.agenda.add({ ...happening, time: this.world.time });
  }

  /** @param {Happening} happening whether it has to wait */
  mustWait({ message }) {
    return this.busyUntil > this.world.time || (this.frozen && !(message && this.frozen === 'chromium'));
  }

  /** The page is told about itself. @param {import('./lifecycle.js').Lifecycle} state */
  tell(state) {
    if (this.alive && this.onLifecycle) this.onLifecycle(state);
  }

  /** The browser closes all of its storage connections. */
  closeStorage() {
    for (const name of this.names) this.world.release(name, this.world.random() < 0.5);
    this.names.clear();
    for (const connection of this.connections) {
      connection.lost = true;
      this.world.after(this, 0, 30, () => connection.onLost());
    }
    this.connections.clear();
  }

  /** @param {() => void} onLost */
  async connect(onLost) {
    const { world } = this;
    await world.storageEvent(this, 1, 15);
    if (world.time < this.brokenUntil) throw new Error('storage does not open');
    const connection = { onLost, lost: false };
    this.connections.add(connection);
    return connection;
  }

  /** @returns {Place} */
  createPlace() {
    const { world } = this;
    return {
      oneOrder: world.oneOrder,
      openChannel: (onLog, onOperations) => {
        this.onLog = onLog;
        this.onOperations = onOperations;
        return {
          postLog: (message) => world.post(this, message, false),
          postOperations: (message) => world.post(this, message, true),
          listenForOperations: (listening) => {
            this.listens = listening;
          },
          close: () => {
            this.onLog = this.onOperations = undefined;
            this.listens = false;
          },
        };
      },
      openRegister: async (onLost) => {
        const connection = await this.connect(onLost);
        return {
          transact: (change) => world.transact(this, connection, change),
          close: () => {
            connection.lost = true;
            this.connections.delete(connection);
          },
        };
      },
      holdAlive: async (name, onLost) => {
        const connection = await this.connect(onLost);
        this.names.add(name);
        world.names.set(name, new Set());
        return {
          close: () => {
            this.connections.delete(connection);
            if (this.names.delete(name)) world.release(name);
          },
        };
      },
      watchAlive: (name, onDeath) => {
        const tell = () => void world.storageEvent(this, 5, 300).then(onDeath);
        const watchers = world.names.get(name);
        if (watchers) watchers.add(tell);
        else tell();
      },
      onLifecycle: (listener) => {
        this.onLifecycle = listener;
      },
      sharesEventLoop: () => this.id % 4 === 0,
      now: () => world.time + this.clockOrigin,
      wallClock: () => Math.floor(world.wallClockBase + world.time),
      randomId: () => `${this.id}-${Math.floor(world.random() * 2 ** 48).toString(36)}`,
      setTimer: (callback, milliseconds) => {
        let wanted = true;
        // As in browsers: a delay that has no place in 31 bits is none.
        const delay = milliseconds < 2 ** 31 ? milliseconds : 0;
        world.after(this, Math.max(0, delay - world.timersEarly), delay + 2, () => wanted && callback());
        return () => {
          wanted = false;
        };
      },
      defer: (callback) => void Promise.resolve().then(() => this.alive && callback()),
      warn: (text) => {
        if (text !== this.warnings[this.warnings.length - 1]) this.warnings.push(text);
      },
    };
  }
}

/** The world in which simulated contexts live. */
export class World {
  /**
   * @param {{seed: number, oneOrder?: boolean, latency?: number, timersEarly?: number}} options [latency]: a message travels so many
   *   milliseconds at most; [timersEarly]: so many milliseconds earlier than the clock says may a timer fire, as where it is coarse
   */
  constructor({ seed, oneOrder = true, latency = 5.5, timersEarly = 0 }) {
    this.random = createRandom(seed);
    this.oneOrder = oneOrder;
    this.latency = latency;
    this.timersEarly = timersEarly;
    this.time = 0;
    this.order = 0;
    this.wallClockBase = 1.7e12;
    this.agenda = new Agenda();
    /** @type {SimulatedContext[]} */
    this.contexts = [];
    /** @type {any} the register's record */
    this.record = undefined;
    this.lastTransaction = 0;
    /** How much later than usual storage answers. */
    this.slowStorage = 1;
    /** @type {Map<string, Set<() => void>>} living alive names, and who wants to learn of their end */
    this.names = new Map();
    /** @type {Map<SimulatedContext, {lost: boolean}[]>} what a context has posted and the broker has not taken yet */
    this.underway = new Map();
  }

  /** @returns {SimulatedContext} */
  createContext() {
    const context = new SimulatedContext(this, this.contexts.length + 1);
    this.contexts.push(context);
    return context;
  }

  /** @param {number} from @param {number} to */
  between(from, to) {
    return from + this.random() * (to - from);
  }

  /** @param {SimulatedContext | undefined} context @param {number} time @param {() => void} run */
  at(context, time, run, message = false) {
    this.agenda.add({ time, order: this.order++, context, message, run });
  }

  /** @param {SimulatedContext | undefined} context @param {number} from @param {number} to @param {() => void} run */
  after(context, from, to, run) {
    this.at(context, this.time + this.between(from, to), run);
  }

  /** Most come in time, some late. @param {SimulatedContext} context @param {number} from @param {number} to @returns {Promise<void>} */
  storageEvent(context, from, to) {
    const late = this.slowStorage * (this.random() < 0.03 ? 5 : 1);
    const factor = this.time < context.promptUntil ? 1 : late;
    return new Promise((resolve) => this.after(context, from, to * factor, resolve));
  }

  /** @param {SimulatedContext} sender @param {any} message @param {boolean} forLeader */
  post(sender, message, forLeader) {
    if (!sender.alive || !sender.onLog) return;
    const posted = copy(message);
    const travelling = { lost: false };
    const list = this.underway.get(sender) || [];
    this.underway.set(sender, list);
    list.push(travelling);
    // A sender's messages stay in their order; the broker then makes one order of all.
    sender.lastPost = Math.max(sender.lastPost, this.time + this.between(0, this.latency / 2));
    this.at(undefined, sender.lastPost, () => {
      list.splice(list.indexOf(travelling), 1);
      if (!travelling.lost) this.deliver(sender, posted, forLeader);
    });
  }

  /** @param {SimulatedContext} sender @param {any} message @param {boolean} forLeader */
  deliver(sender, message, forLeader) {
    for (const receiver of this.contexts) {
      const listener = forLeader ? receiver.listens && receiver.onOperations : receiver.onLog;
      if (!receiver.alive || !listener) continue;
      // With one order all messages to a receiver come in the broker's; without, those of each sender alone do.
      const near = !this.oneOrder && receiver.process === sender.process;
      const key = this.oneOrder ? 0 : sender.id;
      const travel = near ? 0 : this.between(0, this.latency / 2);
      const arrival = Math.max(receiver.lastArrival.get(key) || 0, this.time + travel);
      receiver.lastArrival.set(key, arrival);
      this.at(receiver, arrival, () => {
        // Whoever has closed its channel hears no more, even where it has opened another one.
        if (listener === (forLeader ? receiver.listens && receiver.onOperations : receiver.onLog)) listener(message);
      }, true);
    }
  }

  /** From a point on that is drawn, what the dead context posted is lost. @param {SimulatedContext} context */
  dropPosted(context) {
    const list = this.underway.get(context) || [];
    const kept = Math.floor(this.random() * (list.length + 1));
    for (const travelling of list.slice(kept)) travelling.lost = true;
  }

  /** @param {SimulatedContext} context @param {{lost: boolean}} connection @param {(record: any) => any} change */
  transact(context, connection, change) {
    return new Promise((resolve, reject) => {
      this.lastTransaction = Math.max(this.lastTransaction + 0.1, this.time + this.between(0.3, 3));
      // Once sent, a transaction may be carried out even where its sender has died, or closed the connection, meanwhile.
      const orphan = this.random() < 0.5;
      const answer = (/** @type {() => void} */ settle) => void this.storageEvent(context, 0.1, 2).then(settle);
      const fail = () => answer(() => reject(new Error('storage fails')));
      if (connection.lost || this.time < context.brokenUntil) {
        fail();
        return;
      }
      const carryOut = () => {
        // A page that is frozen can do nothing about its transactions, so they must begin anew later and not stay in the others' way.
        if (context.alive && context.frozen === 'chromium') {
          context.backlog.push({ time: this.time, order: this.order++, context: undefined, message: false, run: carryOut });
          return undefined;
        }
        if ((!context.alive || connection.lost) && !orphan) return fail();
        const next = change(this.record);
        if (next !== undefined) this.record = copy(next);
        const committed = this.record;
        // Who loses the connection just now does not learn that it was done.
        return answer(() => connection.lost ? reject(new Error('connection closed')) : resolve(committed));
      };
      this.at(undefined, this.lastTransaction, carryOut);
    });
  }

  /**
   * The holder of [name] has ended or closed it.
   * @param {string} name
   * @param {boolean} [fails] the watchers' requests fail first, and succeed when they are repeated
   */
  release(name, fails = false) {
    const watchers = this.names.get(name);
    this.names.delete(name);
    for (const tell of watchers || []) {
      if (fails) this.after(undefined, 100, 130, tell);
      else tell();
    }
  }

  /** The site's data is cleared. */
  wipe() {
    this.record = undefined;
    for (const context of this.contexts) if (context.alive) context.closeStorage();
  }

  /** Lets the next thing happen, with the promise jobs that follow. Returns false when nothing is left. */
  async step() {
    if (!this.agenda.heap.length) return false;
    this.happen();
    await new Promise((resolve) => afterJobs(() => resolve(undefined)));
    return true;
  }

  /** Returns whether promise jobs may follow. */
  happen() {
    const happening = /** @type {Happening} */ (this.agenda.take());
    const { context } = happening;
    this.time = Math.max(this.time, happening.time);
    if (context && !context.alive) return false;
    if (context && context.mustWait(happening)) {
      context.backlog.push(happening);
      return false;
    }
    happening.run();
    return true;
  }

  /**
   * Lets happen what happens up to a time, each with the promise jobs that follow.
   * @param {number} until
   * @param {() => void} [check] after every step
   * @returns {Promise<void>}
   */
  run(until, check) {
    return new Promise((resolve, reject) => {
      const go = () => {
        try {
          for (;;) {
            if (check) check();
            const next = this.agenda.heap[0];
            if (!next || next.time > until) break;
            if (this.happen()) {
              afterJobs(go);
              return;
            }
          }
          this.time = Math.max(this.time, until);
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      afterJobs(go);
    });
  }
}
