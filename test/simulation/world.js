/**
 * A simulated place: any number of contexts in one process, under a virtual clock and one seeded source of randomness. The log gets exactly
 * what glue/platform/place.js promises. Every delay that these promises leave open is random.
 *
 * @typedef {import('./agenda.js').Happening} Happening
 * @typedef {import('./agenda.js').Sort} Sort
 * @typedef {{context?: SimulatedContext, sort: Sort | 'post', subject: any, run: () => void}} Kept what a test may keep back
 */
import { nextTick } from 'node:process';
import { Agenda } from './agenda.js';
import { BroadcastOrder } from './broadcast.js';
import { SimulatedContext } from './context.js';
import { Lives } from './lives.js';
import { createRandom } from './random.js';
import { Storage } from './storage.js';
import { StoreOrder } from './store.js';

/** Runs [callback] when no promise job is left: only then does Node take the next tick. @param {() => void} callback */
const afterJobs = (callback) => void Promise.resolve().then(() => nextTick(callback));

export class World {
  /**
   * @param {{seed: number, kind?: import('../../glue/platform/place.js').OrderKind, latency?: number, timersEarly?: number,
   *   holdsUp?: number}} options [kind]: the maker of the order by default. The others are in milliseconds: [latency]: how long a message
   *   travels at most; [timersEarly]: how much too early a timer may fire, since some clocks are coarse; [holdsUp]: how long a context
   *   that stops in a transaction holds others up at most
   */
  constructor({ seed, kind = 'broadcast', latency = 5.5, timersEarly = 0, holdsUp = 0 }) {
    this.random = createRandom(seed);
    this.kind = kind;
    this.latency = latency;
    this.timersEarly = timersEarly;
    this.holdsUp = holdsUp;
    this.time = 0;
    this.turn = 0;
    this.wallClockBase = 1.7e12;
    this.agenda = new Agenda();
    /** @type {SimulatedContext[]} */
    this.contexts = [];
    /** By which factor storage answers later than usual. */
    this.slowStorage = 1;
    this.orders = { broadcast: new BroadcastOrder(this), store: new StoreOrder(this) };
    this.storage = new Storage(this);
    this.lives = new Lives(this);
    /** @type {Set<{filter: (happening: Kept) => boolean, kept: Kept[]}>} */
    this.holds = new Set();
  }

  /** What the register says. */
  get record() {
    return this.storage.record();
  }

  /**
   * @param {{kind?: import('../../glue/platform/place.js').OrderKind, opener?: SimulatedContext}} [options] [opener]: the context
   *   whose thread it shares
   * @returns {SimulatedContext}
   */
  createContext({ kind = this.kind, opener } = {}) {
    const loop = opener ? opener.loop : { contexts: new Set(), busyFrom: 0, busyUntil: 0, lastPost: 0 };
    const context = new SimulatedContext(this, this.contexts.length + 1, loop, kind);
    this.contexts.push(context);
    return context;
  }

  /** @param {number} from @param {number} to */
  between(from, to) {
    return from + this.random() * (to - from);
  }

  /**
   * @param {SimulatedContext | undefined} context @param {number} time @param {() => void} run
   * @param {Sort} [sort] @param {any} [subject]
   */
  at(context, time, run, sort = 'world', subject = undefined) {
    this.agenda.add({ time, turn: this.turn++, context, sort, subject, run });
  }

  /**
   * @param {SimulatedContext | undefined} context @param {number} from @param {number} to @param {() => void} run
   * @param {Sort} [sort] @param {any} [subject]
   */
  after(context, from, to, run, sort = 'world', subject = undefined) {
    this.at(context, this.time + this.between(from, to), run, sort, subject);
  }

  /** Most come in time, some late. @param {SimulatedContext} context @param {number} from @param {number} to @returns {Promise<void>} */
  storageEvent(context, from, to) {
    const late = this.slowStorage * (this.random() < 0.03 ? 5 : 1);
    const factor = this.time < context.promptUntil ? 1 : late;
    return new Promise((resolve) => this.after(context, from, to * factor, resolve, 'storage'));
  }

  /** The site's data is cleared. */
  wipe() {
    this.closeStorage(true);
    this.storage.wipe();
    this.orders.store.wipe();
  }

  /**
   * The browser closes all storage connections. What is stored stays, unless all is [wiped]. If it stays, the process that keeps storage
   * has ended. Then everything is lost that shows whether lives have ended.
   */
  closeStorage(wiped = false) {
    if (!wiped) this.lives.lose();
    for (const context of this.contexts) {
      if (!context.alive) continue;
      this.storage.lose(context, wiped);
      this.orders.store.lose(context, wiped);
    }
  }

  /** A page deletes all databases. */
  deleteAll() {
    for (const context of this.contexts) if (context.alive) this.orders.store.lose(context, true);
    this.orders.store.wipe();
    this.storage.deleteAll();
  }

  /**
   * From now on, a happening that passes [filter] is kept back. A `post` is a message that its order is about to take.
   * @param {(happening: Kept) => boolean} filter
   */
  hold(filter) {
    const hold = { filter, kept: /** @type {Kept[]} */ ([]) };
    this.holds.add(hold);
    return {
      kept: hold.kept,
      /** Lets the happenings that were kept back happen, in their order, and all later ones. */
      release: () => {
        this.holds.delete(hold);
        for (const { context, sort, subject, run } of hold.kept.splice(0)) {
          this.at(context, this.time, run, sort === 'post' ? 'world' : sort, subject);
        }
      },
    };
  }

  /** @param {Kept} happening @returns {boolean} */
  keepsBack(happening) {
    for (const hold of this.holds) {
      if (!hold.filter(happening)) continue;
      hold.kept.push(happening);
      return true;
    }
    return false;
  }

  /** Lets the next thing happen, with the promise jobs that follow. Returns false when nothing is left. */
  async step() {
    if (!this.agenda.next) return false;
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
    if (context && (context.mustWait(happening) || context.backlog.some(({ sort }) => sort === happening.sort))) {
      context.backlog.push(happening);
      if (!context.isStopped()) context.catchUp();
      return false;
    }
    if (this.holds.size && this.keepsBack(happening)) return false;
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
            const { next } = this.agenda;
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
