/** The hunt for deadlocks in simulated worlds. ACQUISITIONS=100000 is the whole run; SEED=… another world. */
import assert from 'node:assert/strict';
import { createRandom } from '../simulation/random.js';
import { huntIn, Referee } from './hunt.js';
import { createWorld } from './worlds.js';

const acquisitions = Number(process.env.ACQUISITIONS ?? 5000);
const seed = Number(process.env.SEED ?? 1);
const CONTEXTS = 8;

describe('no deadlock', function () {
  this.timeout(0);

  it(`${acquisitions} acquisitions in ${CONTEXTS} contexts, seed ${seed}`, async () => {
    const scene = createWorld(seed, CONTEXTS);
    const referee = new Referee();
    const random = createRandom(seed);
    const hunts = scene.contexts.map((face, index) => huntIn({
      face,
      random,
      acquisitions: Math.floor(acquisitions / CONTEXTS) + (index < acquisitions % CONTEXTS ? 1 : 0),
      atOnce: 2,
      entered: (scope, mode) => referee.enter(scope, mode),
      left: (token) => referee.leave(token),
      pause: () => new Promise((resolve) => scene.world.after(face.context, 0, random() < 0.5 ? 0 : 10, () => resolve(undefined))),
    }));
    const began = performance.now();
    await scene.settled(Promise.all(hunts), 100 * acquisitions + 60000);
    const seconds = (performance.now() - began) / 1000;
    assert.equal(referee.grants, acquisitions);
    assert.equal(referee.inside.size, 0);
    assert.ok(referee.most > 1, 'nothing was held at the same time');
    await scene.pass(100);
    const { held, pending } = await scene.settled(scene.contexts[0].queryState());
    assert.deepEqual([held, pending], [[], []]);
    await scene.pass(100);
    const states = new Set(scene.contexts.map(({ observation }) => JSON.stringify(observation.state())));
    assert.equal(states.size, 1, 'the copies differ');
    console.log(`      ${referee.grants} acquisitions granted, none overlapping, at most ${referee.most} held at once: ` +
      `${seconds.toFixed(1)} s, ${Math.round(scene.world.time / 1000)} s of the world's`);
  });
});
