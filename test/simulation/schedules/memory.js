/** Memory is short for a moment. */
import assert from 'node:assert/strict';
import { hears, kinds, prompt } from '../stage.js';

const fail = () => {
  throw new RangeError('out of memory');
};

/** From now on its core cannot show its state. @param {import('../stage.js').Tab} tab @returns {() => void} ends that */
const short = ({ core }) => {
  const { state, snapshot } = core;
  core.state = core.snapshot = fail;
  return () => void Object.assign(core, { state, snapshot });
};

/**
 * Once it is given a state, its core fails to show that one time.
 * @param {import('../stage.js').Tab} tab
 * @param {number} [after] so many looks
 */
const failsOnce = ({ core }, after = 0) => {
  const { restore, state } = core;
  core.restore = (bytes) => {
    restore(bytes);
    core.restore = restore;
    let left = after;
    core.state = () => {
      if (left--) return state();
      core.state = state;
      return fail();
    };
  };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const memory = {
  async 'who cannot look into its state when it reads the register reads it again, and learns of deaths'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const [eldest, waiter] = await again.open(2);
      prompt(eldest, waiter);
      await eldest.hold('a');
      const waiting = waiter.ask('a');
      await again.run(3000);
      const end = short(waiter);
      world.wipe();
      await again.run(200);
      end();
      await again.run(5000);
      await eldest.end();
      await again.until(() => waiting.told.length, 5000);
      waiter.drop(waiting);
      const holder = again.tab();
      await holder.hold('a');
      const next = waiter.ask('a');
      await again.run(3000);
      holder.kill();
      await again.until(() => next.told.length, 5000);
    }
  },

  async 'who cannot look into its state stays when it is hidden, for it may be needed'(stage) {
    const [eldest, hidden] = await stage.open(2);
    await stage.run(100);
    const end = short(hidden);
    hidden.context.tell('hidden');
    await stage.run(20000);
    assert.ok(hidden.context.listening);
    end();
    eldest.ask('a');
    await stage.until(() => !hidden.context.listening, 20000);
  },

  async 'who is given the state early, and cannot look into it, joins anew'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [eldest] = await again.open(1);
      prompt(eldest);
      const joiner = again.tab();
      prompt(joiner);
      failsOnce(joiner);
      await joiner.hold('a');
      await eldest.end();
      await again.tab().hold('b');
    }
  },

  async 'who is given the state, and cannot compare its own requests with it, does not act on it'(stage) {
    const { world } = stage;
    const [eldest, doubtful] = await stage.open(2);
    prompt(eldest, doubtful);
    await stage.run(3000);
    // The first look is for the members.
    failsOnce(doubtful, 1);
    doubtful.missesOne();
    // What is kept behind its hello comes before the answer.
    const deaf = world.hold(hears(doubtful));
    await stage.until(() => eldest.count('state') > 1, 2000);
    const held = await eldest.hold('a');
    await stage.run(10);
    const isState = (/** @type {import('../stage.js').Kept} */ { subject }) => Array.isArray(subject);
    const kept = deaf.kept.splice(0);
    [...kept.filter((each) => !isState(each)), ...kept.filter(isState)].forEach((each) => each.run());
    deaf.release();
    const waiting = doubtful.ask('a');
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    eldest.drop(held);
    await stage.until(() => waiting.told.includes('granted'), 3000);
  },

  async 'a fresh log that has no room is taken back, and begun again'(stage) {
    const tab = stage.tab();
    const { reset } = tab.core;
    tab.core.reset = () => {
      tab.core.reset = reset;
      fail();
    };
    const asked = tab.ask('a');
    await stage.until(() => asked.told.length, 3000);
    await stage.tab().hold('b');
  },
};
