/**
 * One call of a context's storage fails, or is answered late by seconds, while all else works.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 * @typedef {'open' | 'show' | 'append' | 'watch' | 'post'} Call opens the register, shows that the context lives, changes or reads the
 *   register, tells of a death; writes to the store that makes the order
 * @typedef {{call: Call, late: number, mayHappen: (context: SimulatedContext) => boolean}} Stumble [late]: by so many milliseconds; 0 where
 *   the call fails
 */

/** After so many milliseconds a context has tried again what has failed. */
const AGAIN = 1000;

export class Stumbles {
  /** @param {import('./world.js').World} world */
  constructor(world) {
    this.world = world;
    /** @type {Stumble[]} */
    this.planned = [];
    /** Each lets an answer come that is late. @type {Set<() => void>} */
    this.late = new Set();
  }

  /** What becomes of the next such call of a context to which that may happen. @param {Stumble} stumble */
  plan(stumble) {
    this.planned.push(stumble);
  }

  /** @param {SimulatedContext} context @param {Call} call @returns {Stumble | undefined} what becomes of this one */
  take(context, call) {
    const { planned, world } = this;
    const at = planned.findIndex((each) => each.call === call && each.mayHappen(context));
    if (at < 0) return undefined;
    const [stumble] = planned.splice(at, 1);
    context.stumbledUntil = Math.max(context.stumbledUntil, world.time + (stumble.late || AGAIN));
    return stumble;
  }

  /** Resolves when the answer comes. @param {SimulatedContext} context @param {Stumble} stumble @returns {Promise<void>} */
  wait(context, { late }) {
    const { world } = this;
    return new Promise((resolve) => {
      const come = () => {
        if (this.late.delete(come)) resolve();
      };
      this.late.add(come);
      world.at(context, world.time + late, come, 'storage');
    });
  }

  /** Nothing goes wrong any more, and what is late comes. */
  end() {
    this.planned = [];
    for (const come of this.late) come();
  }
}
