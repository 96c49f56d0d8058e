import { createLockManager } from '../../glue/api/lock-manager.js';
import { createFace } from './face.js';
import { Witness } from './witness.js';

/**
 * What the user of one context does: requests locks of every kind, holds them for a while, and aborts some requests. Everything is
 * drawn from the world's own randomness.
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 *
 * @typedef {object} Asked a request as its user sees it
 * @property {string} key `client/number`, once granted
 * @property {string} first the key when it was asked for
 * @property {'exclusive' | 'shared'} mode
 * @property {string[]} names
 * @property {'open' | 'held' | 'ended'} state
 * @property {any} handle the log's, or the face's
 * @property {boolean} byFace
 * @property {any} description
 * @property {boolean} repeated
 * @property {boolean} waitedFor whether somebody waited for its first name when it was asked for
 */

const NAMES = ['a', 'b', 'c'];

export class Program {
  /**
   * @param {Simulation} simulation
   * @param {import('./context.js').SimulatedContext} context
   * @param {number} version of the protocol
   */
  constructor(simulation, context, version) {
    this.simulation = simulation;
    this.context = context;
    /** @type {Set<Asked>} */
    this.asked = new Set();
    this.waiting = 0;
    /** When it last did anything, or had something left to do. */
    this.busyAt = 0;
    this.repetitions = 0;
    /** Whether it is stopped at the end of the world, until it goes on. */
    this.stopped = false;
    /** Whether it may be told that its locks are lost, as when it has left or was out of memory. */
    this.mayLose = false;
    this.copy = {
      place: undefined,
      current: false,
      lives: () => context.alive && context.listening > 0,
      isMember: () => this.core.last(this.log.clientId()) >= 0,
      mayHaveActed: () => this.copy.isMember() && this.witness.actedAs === this.log.clientId()
        && !context.mayBeLeftBehind(this.copy.current),
      outOfMemory: false,
    };
    this.witness = new Witness(simulation, this);
    this.core = simulation.checker.watch(simulation.createCore(), this.copy);
    this.log = simulation.logs[version](simulation.placeFor(this), () => this.core);
    this.version = version;
    this.face = createFace(this.log, createLockManager);
  }

  random() {
    return this.simulation.world.random();
  }

  /** @param {number} from @param {number} to */
  between(from, to) {
    return this.simulation.world.between(from, to);
  }

  /** @param {number} milliseconds @param {() => void} run */
  later(milliseconds, run) {
    this.simulation.world.after(this.context, milliseconds, milliseconds, run);
  }

  /** Does [left] things, one after the other. @param {number} left */
  run(left) {
    if (!left || this.simulation.ending) return;
    this.act();
    // Contexts that share its thread may act in the same task.
    for (const other of this.simulation.programs) {
      const { loop, alive, frozen } = other.context;
      if (other !== this && loop === this.context.loop && alive && !frozen && this.random() < 0.3) {
        other.act();
        this.act();
      }
    }
    this.later(this.random() < 0.25 ? 0 : this.between(0, 400), () => this.run(left - 1));
  }

  act() {
    this.busyAt = this.simulation.world.time;
    const drawn = this.random();
    if (drawn < 0.72) this.request(this.drawRequest());
    else if (drawn < 0.84) this.abort();
    else if (drawn < 0.88) this.await(this.log.forceRelease(this.drawNames()));
    else if (drawn < 0.95) this.await(this.log.query());
    else if (drawn < 0.98) this.join();
    else this.leave();
  }

  drawNames() {
    const first = NAMES[Math.floor(this.random() ** 2 * NAMES.length)];
    const second = NAMES[Math.floor(this.random() * NAMES.length)];
    return this.random() < 0.15 && second !== first ? [first, second] : [first];
  }

  drawRequest() {
    /** @type {any} */
    const description = { names: this.drawNames(), mode: this.random() < 0.3 ? 'shared' : 'exclusive' };
    const drawn = this.random();
    if (drawn < 0.1) description.ifAvailable = true;
    else if (drawn < 0.16) Object.assign(description, { mode: 'exclusive', steal: true });
    if (this.random() < 0.1 && !description.ifAvailable) description.wait = Math.floor(this.between(0, 600));
    if (this.random() < 0.1) description.hold = Math.floor(this.between(0, 500));
    return description;
  }

  join() {
    if (this.log.join) this.log.join();
  }

  /** @param {any} description @param {boolean} [repeated] it is released at once */
  request(description, repeated = false) {
    const { simulation } = this;
    const { checker } = simulation;
    const byFace = this.face.canAsk(description) && this.random() < 0.4;
    /** @type {Asked} */
    const asked = {
      key: '', first: '', mode: description.mode, names: description.names, state: 'open', handle: undefined, byFace, description, repeated,
      waitedFor: repeated && this.core.state().pending.some(({ names }) => names.includes(description.names[0])),
    };
    const mustBe = (/** @type {string} */ what, /** @type {string[]} */ ...states) => {
      if (!states.includes(asked.state)) checker.fail(`S2: ${what} told to a request that is ${asked.state}: ${asked.key}`);
    };
    this.asked.add(asked);
    const through = byFace ? this.face : this.log;
    const granted = (/** @type {number} */ fence) => {
      mustBe('granted', 'open');
      asked.state = 'held';
      asked.key = this.key(asked);
      this.witness.entered(asked.key);
      simulation.note(this.context, `enters ${asked.key} ${asked.names} ${asked.mode}`);
      checker.entered(asked, fence, () => this.core.state().pending, this.copy, byFace || repeated);
      this.hold(asked);
    };
    const unavailable = () => {
      mustBe('unavailable', 'open');
      // Maybe it was granted, and ended, while its context did not hear. Or it was refused to a client that this context was before.
      if (!this.endsOf(asked).length) checker.fail(`${this.key(asked)} was available`);
      this.ended(asked);
    };
    const taken = (/** @type {string} */ outcome) => {
      if (!['broken', 'expired', 'lost'].includes(outcome)) checker.fail(`S2: ${outcome} is no outcome`);
      mustBe(outcome, 'open', 'held');
      simulation.note(this.context, `is told that ${asked.key || this.key(asked)} is ${outcome}`);
      const ends = this.endsOf(asked);
      const mayLose = this.mayLose || this.witness.mayBeMisled();
      const right = outcome === 'lost' ? mayLose
        : ends.includes(outcome) || (outcome === 'broken' && (ends.includes('expired') || (mayLose && asked.state === 'held')));
      if (!right) checker.fail(`${asked.key || this.key(asked)} is told ${outcome}, and was ${ends.join(', ') || 'let alone'}`);
      // A lock that was entered early, and then stolen, is released by its context.
      if (outcome === 'broken' && asked.key) checker.dropped.add(asked.key);
      this.ended(asked);
    };
    asked.handle = through.request(description, (/** @type {string} */ outcome, /** @type {number} */ fence) => {
      if (outcome === 'granted') granted(fence);
      else if (outcome === 'unavailable') unavailable();
      else taken(outcome);
    });
    asked.first = this.key(asked);
    simulation.note(this.context, `asks ${asked.first} ${JSON.stringify(description)}`);
    if (asked.state !== 'open') checker.fail('a listener was called from inside request()');
    const { loop } = this.context;
    const { time, orders } = simulation.world;
    const isWritten = !simulation.isSlow(this) && orders.store.isConnected(this.context);
    const isSteady = () => this.witness.disturbed < time && !orders.store.wasLate(this.context, time);
    if (loop.contexts.size > 1 && this.witness.acting && isWritten) {
      checker.calls.set(this.key(asked), { loop, turn: ++simulation.calls, isSteady });
    }
    this.witness.asked(() => asked.handle.number, () => asked.state === 'open', description.ifAvailable ? 2 : 1);
  }

  /**
   * How it may have ended. If its context has left, and is another client now, it may be any request of that context.
   * @param {Asked} asked
   * @returns {string[]}
   */
  endsOf(asked) {
    const { outcomes } = this.simulation.checker;
    const key = asked.key || this.key(asked);
    const known = outcomes.get(key);
    if (known && known.end) return [known.end];
    if (key === asked.first) return [];
    return [...outcomes].filter(([each]) => each.startsWith(`${this.context.id}-`)).map(([, { end }]) => end).filter(Boolean);
  }

  /** @param {Asked} asked */
  key(asked) {
    return `${this.log.clientId()}/${asked.handle.number}`;
  }

  /** @param {Asked} asked */
  hold(asked) {
    const drawn = this.random();
    if (drawn < 0.25 || asked.repeated || this.simulation.closing) this.dropAndAsk(asked);
    // Some locks are held until their lease or the world ends.
    else if (drawn < 0.92) this.later(this.between(0, drawn < 0.8 ? 80 : 800), () => this.drop(asked));
    else if (this.simulation.ending) this.later(50, () => this.drop(asked));
  }

  /** @param {Asked} asked */
  drop(asked) {
    if (asked.state === 'ended') return;
    this.simulation.note(this.context, `releases ${this.key(asked)}`);
    this.simulation.checker.dropped.add(this.key(asked));
    this.ended(asked);
    if (asked.byFace) this.face.drop(asked.handle);
    else this.log.drop(asked.handle);
  }

  /** Releases it, and may ask for the same again in the same task, at once or in a promise job. @param {Asked} asked */
  dropAndAsk(asked) {
    this.drop(asked);
    const { names, mode, ifAvailable = false } = asked.description;
    const { repeats, ending } = this.simulation;
    if (!repeats || ending || !(this.repetitions++ % 8)) return;
    const ask = () => this.context.alive && this.request({ names: [names[0]], mode, ifAvailable, steal: false }, true);
    if (this.repetitions % 2) ask();
    else void Promise.resolve().then(ask);
  }

  /** @param {Asked} asked */
  ended(asked) {
    this.busyAt = this.simulation.world.time;
    asked.state = 'ended';
    this.asked.delete(asked);
    this.simulation.checker.left(asked);
  }

  abort() {
    const open = [...this.asked];
    if (open.length) this.drop(open[Math.floor(this.random() * open.length)]);
  }

  /** @param {Promise<any>} promise */
  await(promise) {
    this.waiting++;
    void promise.then(() => {
      this.waiting--;
      this.busyAt = this.simulation.world.time;
    });
  }

  leave() {
    if (this.simulation.isProtected(this)) return;
    this.mayLose = true;
    this.simulation.note(this.context, 'leaves');
    this.log.leave();
  }

  /** Kills its context, which then holds nothing. */
  kill() {
    if (!this.context.alive) return;
    this.context.kill();
    this.died();
  }

  died() {
    for (const asked of this.asked) this.simulation.checker.left(asked);
    this.asked.clear();
    this.waiting = 0;
  }

  /** Stops until goOn(). */
  stop() {
    this.stopped = true;
    this.simulation.note(this.context, 'stops');
    this.context.freeze('all');
  }

  goOn() {
    if (!this.stopped) return;
    this.stopped = false;
    this.simulation.note(this.context, 'goes on');
    this.context.thaw();
  }

  /** The program ends, and releases what it holds. */
  finish() {
    for (const asked of this.asked) if (asked.state === 'held') this.drop(asked);
  }

  done() {
    return !this.context.alive || (!this.asked.size && !this.waiting);
  }
}
