/**
 * The transactions of one database, one after the other. None waits for its context's thread. But in some worlds (WebKit), a context that
 * stops inside its transaction holds the others up for a while.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 */

export class TransactionQueue {
  /** @param {import('./world.js').World} world */
  constructor(world) {
    this.world = world;
    this.last = 0;
    /** Until when a stopped context holds the others up. */
    this.heldUntil = 0;
  }

  /**
   * @param {SimulatedContext} context
   * @param {any} subject by which a test may know it
   * @param {() => void} run carries it out
   */
  add(context, subject, run) {
    const { world } = this;
    this.last = Math.max(this.last + 0.1, world.time + world.between(0.2, 2));
    world.at(undefined, this.last, () => this.carryOut(context, subject, run, true), 'storage', subject);
  }

  /** @param {SimulatedContext} context @param {any} subject @param {() => void} run @param {boolean} mayHold */
  carryOut(context, subject, run, mayHold) {
    const { world } = this;
    if (mayHold && world.holdsUp && context.alive && context.isStopped() && this.heldUntil <= world.time) {
      this.heldUntil = world.time + Math.min(world.between(50, world.holdsUp), context.stoppedFor());
      world.at(undefined, this.heldUntil, run, 'storage', subject);
    } else if (this.heldUntil > world.time) {
      world.at(undefined, this.heldUntil, () => this.carryOut(context, subject, run, mayHold), 'storage', subject);
    } else run();
  }
}
