/**
 * One call of a context's storage fails, or is answered late by seconds, while all else works.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 * @typedef {'open' | 'show' | 'append' | 'watch' | 'post'} Call [open]: opens the register; [show]: shows that the context lives; [append]:
 *   changes or reads the register; [watch]: tells of a death; [post]: writes to the store that makes the order
 * @typedef {{call: Call, late: number, mayHappen: (context: SimulatedContext) => boolean}} Stumble [late]: by so many milliseconds; 0 if
 *   the call fails
 */

/** Within so many milliseconds, a context has tried a failed call again. */
const AGAIN = 1000;

export class Stumbles {
  /** @param {import('./world.js').World} world */
  constructor(world) {
    this.world = world;
    /** @type {Stumble[]} */
    this.planned = [];
    /** Each one lets a late answer come. @type {Set<() => void>} */
    this.late = new Set();
  }

  /** Says what happens to the next such call of a context to which it may happen. @param {Stumble} stumble */
  plan(stumble) {
    this.planned.push(stumble);
  }

  /** @param {SimulatedContext} context @param {Call} call @returns {Stumble | undefined} what happens to this call */
  take(context, call) {
    const { planned } = this;
    const at = planned.findIndex((each) => each.call === call && each.mayHappen(context));
    if (at < 0) return undefined;
    const [stumble] = planned.splice(at, 1);
    context.stumble(stumble.late || AGAIN);
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

  /** No call fails any more, and late answers come now. */
  end() {
    this.planned = [];
    for (const come of this.late) come();
  }
}
