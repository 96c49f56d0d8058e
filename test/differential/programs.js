/** Random lock programs: steps for several contexts, each finished before the next begins, so that the order is determined. */
import { createRandom } from '../simulation/random.js';

/**
 * @typedef {{context: string, command: string, parameters: any}} Step
 *
 * @param {number} seed
 * @param {string[]} contexts
 * @returns {Step[]}
 */
export const createProgram = (seed, contexts) => {
  const random = createRandom(seed);
  /** @template T @param {T[]} list */
  const pick = (list) => list[Math.floor(random() * list.length)];
  const names = ['a', 'b', `c ${seed}`];
  /** @type {{context: string, tag: string, signalled: boolean}[]} */
  const asked = [];
  const steps = [];
  const count = 6 + Math.floor(random() * 8);
  for (let index = 0; index < count; index++) {
    const kind = random();
    if (kind < 0.6 || !asked.length) {
      const request = { context: pick(contexts), tag: `#${index + 1}`, signalled: false };
      const options = /** @type {Record<string, any>} */ ({});
      if (random() < 0.4) options.mode = pick(['shared', 'shared', 'exclusive', 'other']);
      const extra = random();
      if (extra < 0.2) options.ifAvailable = true;
      else if (extra < 0.3) options.steal = true;
      request.signalled = random() < 0.5;
      const name = random() < 0.05 ? '-reserved' : pick(names);
      asked.push(request);
      const parameters = { tag: request.tag, name, options, signalled: request.signalled };
      steps.push({ context: request.context, command: 'request', parameters });
    } else {
      const { context, tag, signalled } = pick(asked);
      const command = signalled && random() < 0.5 ? 'abort' : pick(['release', 'release', 'release', 'fail']);
      const parameters = command === 'abort' && random() < 0.5 ? { tag, reason: 'a reason' } : { tag };
      steps.push({ context, command, parameters });
    }
  }
  return steps;
};
