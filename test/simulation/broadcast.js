/**
 * An order made by a broker, as BroadcastChannel's in Chromium and Firefox. Every context that listens receives all messages in the same
 * order, its own included. Nothing is kept for contexts that come later.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 * @typedef {import('./world.js').World} World
 * @typedef {{context: SimulatedContext, onMessage: (message: any, index: number) => void, onGap: () => void, last: number,
 *   lost: number, hasMissed: boolean}} Listener [last]: when its last message arrives; [lost]: messages below this index that
 *   have not arrived are lost; [hasMissed]: whether some were lost, and it does not know yet
 */

export class BroadcastOrder {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    /** How many messages the broker has taken. */
    this.count = 0;
    /** @type {Set<Listener>} */
    this.listeners = new Set();
    /** What a context has posted and the broker has not taken yet. @type {Map<SimulatedContext, {lost: boolean}[]>} */
    this.underway = new Map();
  }

  /** @param {SimulatedContext} context @param {(message: any, index: number) => void} onMessage @param {() => void} onGap */
  open(context, onMessage, onGap) {
    const listener = { context, onMessage, onGap, last: 0, lost: 0, hasMissed: false };
    this.listeners.add(listener);
    return {
      append: (/** @type {any} */ message) => this.listeners.has(listener) && this.post(context, message),
      look: () => this.look(listener),
      close: () => void this.listeners.delete(listener),
    };
  }

  /** @param {Listener} listener */
  look(listener) {
    if (!listener.hasMissed) return;
    listener.hasMissed = false;
    listener.onGap();
  }

  /** Whether messages to it were lost, and it does not know yet. @param {SimulatedContext} context */
  hasMissed(context) {
    return [...this.listeners].some((listener) => listener.context === context && listener.hasMissed);
  }

  lookAll() {
    for (const listener of this.listeners) {
      if (listener.context.alive) this.world.at(listener.context, this.world.time, () => this.look(listener));
    }
  }

  /** @param {SimulatedContext} sender @param {any} message */
  post(sender, message) {
    const { world } = this;
    if (!sender.alive) return;
    const travelling = { lost: false };
    const list = this.underway.get(sender) || [];
    this.underway.set(sender, list);
    list.push(travelling);
    // What one thread posts stays in its order; the broker then makes one order of all.
    const { loop } = sender;
    loop.lastPost = Math.max(loop.lastPost, world.time + world.between(0, world.latency / 2));
    world.at(undefined, loop.lastPost, () => {
      list.splice(list.indexOf(travelling), 1);
      if (!travelling.lost) this.deliver(message);
    });
  }

  /** @param {any} message */
  deliver(message) {
    const { world } = this;
    const index = this.count++;
    for (const listener of this.listeners) {
      if (!listener.context.alive) {
        this.listeners.delete(listener);
        continue;
      }
      // Its page stands in a debugger.
      if (listener.context.pausedUntil > world.time) {
        listener.hasMissed = true;
        listener.lost = index + 1;
        continue;
      }
      listener.last = Math.max(listener.last, world.time + world.between(0, world.latency / 2) * listener.context.slowness());
      const hear = () => {
        if (!this.listeners.has(listener) || index < listener.lost) return;
        this.look(listener);
        // As where memory is short, or where it cannot read the message.
        const isMissed = listener.context.misses > 0 && listener.context.misses--;
        if (isMissed) listener.onGap();
        else listener.onMessage(message, index);
      };
      world.at(listener.context, listener.last, hear, 'message', message);
    }
  }

  /** Whether all messages taken by now arrive everywhere within so many milliseconds. @param {number} milliseconds */
  isPrompt(milliseconds) {
    return [...this.listeners].every(({ context, last }) => !context.alive || last < this.world.time + milliseconds);
  }

  /** What it has posted and the broker has not taken yet may be lost, from some message on. @param {SimulatedContext} context */
  died(context) {
    const list = this.underway.get(context) || [];
    const kept = Math.floor(this.world.random() * (list.length + 1));
    for (const travelling of list.slice(kept)) travelling.lost = true;
  }

  /** This order does not use storage. */
  wipe() {}

  lose() {}
}
