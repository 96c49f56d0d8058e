/**
 * One tab, frame or worker: what stops it, and the place that its log is given.
 *
 * @typedef {import('../../glue/platform/place.js').Place} Place
 * @typedef {import('../../glue/platform/place.js').OrderKind} OrderKind
 * @typedef {import('../../glue/platform/lifecycle.js').Lifecycle} Lifecycle
 * @typedef {import('./agenda.js').Happening} Happening
 *
 * @typedef {object} Loop the thread that contexts of one page share
 * @property {Set<SimulatedContext>} contexts
 * @property {number} busyFrom when its long task began
 * @property {number} busyUntil
 * @property {number} lastPost
 */
import { copy } from './copy.js';

/** How long others wait for a member that has not come back after a wipe, in milliseconds. */
const PATIENCE = 1000;

export class SimulatedContext {
  /** @param {import('./world.js').World} world @param {number} id @param {Loop} loop @param {OrderKind} kind */
  constructor(world, id, loop, kind) {
    this.world = world;
    this.id = id;
    this.loop = loop;
    loop.contexts.add(this);
    this.alive = true;
    /** @type {'' | 'all' | 'chromium'} in Chromium's way, messages are still delivered while timers and storage wait */
    this.frozen = '';
    this.frozenUntil = this.frozenAt = 0;
    /** When it last woke after so long that others may have continued the log without it (D10). */
    this.overslept = -1;
    /** Until when its storage fails, and until when its storage surely answers in time. */
    this.brokenUntil = this.promptUntil = 0;
    /** By then, the one call of its storage that has failed or is late is over. */
    this.stumbledUntil = 0;
    /** If not 0, its timers fire once in so many milliseconds, as in a page that has long been hidden. */
    this.throttled = 0;
    /** By which factor its messages are delivered later than those of others. */
    this.lag = 1;
    /** How many of the next messages it cannot read. */
    this.misses = 0;
    /** Messages that arrive before this time are lost. Nothing tells so before the next message. */
    this.pausedUntil = 0;
    this.clockOrigin = world.random() * 1e6;
    this.clockRate = 1;
    this.wallSkew = 0;
    /** @type {Happening[]} what waits until it runs again */
    this.backlog = [];
    /** How many orders it listens to. */
    this.listening = 0;
    /** @type {((state: Lifecycle) => void) | undefined} */
    this.onLifecycle = undefined;
    /** What the page was last told about itself, and when. @type {Lifecycle} */
    this.told = 'visible';
    this.toldAt = 0;
    this.ids = 0;
    /** Whether others can tell that a life of it has ended, and it can tell that of others. */
    this.showsEnd = id % 5 !== 2;
    /** @type {string[]} what the developer was told */
    this.warnings = [];
    this.place = this.createPlace(kind);
  }

  /** It does nothing more. Messages that it has posted, but nobody has received, may be lost, from some message on. */
  kill() {
    if (!this.alive) return;
    this.alive = false;
    this.loop.contexts.delete(this);
    for (const order of Object.values(this.world.orders)) order.died(this);
    this.world.storage.died(this);
  }

  /** A frozen context runs nothing. Its happenings wait, in order. @param {'all' | 'chromium'} way @param {number} [milliseconds] */
  freeze(way, milliseconds = Infinity) {
    this.frozen = way;
    this.frozenAt = this.world.time;
    this.frozenUntil = this.world.time + milliseconds;
  }

  thaw() {
    this.frozen = '';
    this.frozenUntil = this.world.time;
    this.goOn(this.world.time - this.frozenAt);
  }

  /**
   * Whether others may have continued without it, though it has acted: over a store, it was stopped for that long after data was cleared
   * (D10). It does not know that in the task in which it wakes. It is behind until it has the state again.
   * @param {boolean} hasState whether its state is right, as far as one can see from outside
   */
  mayBeLeftBehind(hasState) {
    if (this.overslept === this.world.time || (this.overslept >= 0 && !hasState)) return true;
    return this.frozen !== '' && this.world.time - this.frozenAt > PATIENCE && this.world.orders.store.wipedAt >= this.frozenAt;
  }

  /** One call of its storage fails or is late, or none may within so many milliseconds. @param {number} milliseconds */
  stumble(milliseconds) {
    this.stumbledUntil = Math.max(this.stumbledUntil, this.world.time + milliseconds);
  }

  /** A long task keeps all contexts of its thread busy. @param {number} milliseconds */
  stall(milliseconds) {
    if (this.loop.busyUntil <= this.world.time) this.loop.busyFrom = this.world.time;
    this.loop.busyUntil = Math.max(this.loop.busyUntil, this.world.time + milliseconds);
    for (const context of this.loop.contexts) this.world.at(undefined, this.loop.busyUntil, () => context.goOn(milliseconds));
  }

  /** The long task of its thread, if any, ends now. */
  endStall() {
    const { loop, world } = this;
    if (loop.busyUntil <= world.time) return;
    loop.busyUntil = world.time;
    for (const context of loop.contexts) context.goOn(world.time - loop.busyFrom);
  }

  /** Its page stands in a debugger. @param {number} milliseconds */
  pause(milliseconds) {
    this.stall(milliseconds);
    for (const context of this.loop.contexts) context.pausedUntil = this.loop.busyUntil;
  }

  isStopped() {
    return this.loop.busyUntil > this.world.time || this.frozen !== '';
  }

  stoppedFor() {
    return Math.max(this.loop.busyUntil, this.frozen ? this.frozenUntil : 0) - this.world.time;
  }

  slowness() {
    const late = this.world.random() < 0.02 ? 10 : 1;
    // A context that must not seem to be stopped is not late either, since newcomers listen no longer than that.
    return this.world.time < this.promptUntil ? Math.min(this.lag, 2) : this.lag * late;
  }

  /** @param {number} slept for so many milliseconds */
  goOn(slept) {
    if (slept > PATIENCE) this.overslept = this.world.time;
    this.catchUp();
  }

  /** What has waited happens now, in order, as far as possible. */
  catchUp() {
    const { backlog } = this;
    this.backlog = [];
    for (const happening of backlog) this.world.agenda.add({ ...happening, time: this.world.time });
  }

  /** @param {Happening} happening whether it has to wait */
  mustWait({ sort }) {
    return this.loop.busyUntil > this.world.time || (this.frozen && !(sort === 'message' && this.frozen === 'chromium'));
  }

  /** The page is told about itself. @param {Lifecycle} state */
  tell(state) {
    this.told = state;
    this.toldAt = this.world.time;
    if (this.alive && this.onLifecycle) this.onLifecycle(state);
  }

  /** When a timer that is set now fires. @param {number} delay */
  timerAt(delay) {
    const { world, throttled } = this;
    const soonest = world.time + Math.max(0, delay - world.timersEarly);
    const time = world.between(soonest, Math.max(soonest, world.time + delay + 2));
    return throttled ? Math.ceil(time / throttled) * throttled + this.id : time;
  }

  /** @param {OrderKind} kind @param {(message: any, index: number) => void} onMessage @param {() => void} onGap */
  openOrder(kind, onMessage, onGap) {
    const order = this.world.orders[kind].open(this, onMessage, onGap);
    let open = true;
    this.listening++;
    return {
      append: (/** @type {any} */ message) => {
        if (!this.alive || !open) return;
        const copied = copy(message);
        // A test may keep a message back.
        if (!this.world.keepsBack({ context: this, sort: 'post', subject: message, run: () => order.append(copied) })) order.append(copied);
      },
      close: () => {
        if (open) this.listening--;
        open = false;
        order.close();
      },
      look: () => order.look(),
    };
  }

  /** @param {OrderKind} kind @returns {Place} */
  createPlace(kind) {
    const { world } = this;
    const { storage } = world;
    const wallClock = () => Math.floor(world.wallClockBase + this.wallSkew + world.time);
    const randomId = () => `${this.id}-${(++this.ids).toString(36)}${Math.floor(world.random() * 2 ** 24).toString(36)}`;
    return {
      order: kind,
      openOrder: (...values) => this.openOrder(...values),
      openRegister: (onLost) => storage.openRegister(this, onLost),
      createAliveName: () => world.lives.begin(this, `${wallClock()}-${randomId()}`),
      endLife: () => world.lives.end(this),
      isLiving: (name) => world.lives.isLiving(this, name),
      hasEnded: (name, own) => world.lives.hasEnded(this, name, own),
      holdAlive: (name, onLost) => storage.holdAlive(this, name, onLost),
      watchAlive: (name, onDeath) => storage.watchAlive(this, name, onDeath),
      onLifecycle: (listener) => {
        this.onLifecycle = listener;
      },
      sharesEventLoop: () => this.loop.contexts.size > 1,
      now: () => this.clockOrigin + world.time * this.clockRate,
      wallClock,
      randomId,
      setTimer: (callback, milliseconds) => {
        let wanted = true;
        // As in browsers: a delay that does not fit into 31 bits counts as none.
        const delay = milliseconds < 2 ** 31 ? milliseconds : 0;
        world.at(this, this.timerAt(delay), () => wanted && callback(), 'timer', milliseconds);
        return () => {
          wanted = false;
        };
      },
      defer: (callback) => void Promise.resolve().then(() => this.alive && callback()),
      afterTask: (callback) => world.after(this, 0, 0.2, callback),
      warn: (text) => {
        if (text !== this.warnings[this.warnings.length - 1]) this.warnings.push(text);
      },
    };
  }
}
