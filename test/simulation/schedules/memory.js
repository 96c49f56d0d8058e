/** Memory is short for a moment. */
import assert from 'node:assert/strict';
import { hears, kinds, prompt } from '../stage.js';

const fail = () => {
  throw new RangeError('out of memory');
};

/** From now on this tab's core cannot show its state. @param {import('../stage.js').Tab} tab @returns {() => void} ends that */
const short = ({ core }) => {
  const { state, snapshot } = core;
  core.state = core.snapshot = fail;
  return () => void Object.assign(core, { state, snapshot });
};

/**
 * Once the tab is given a state, its core fails to show that state one time.
 * @param {import('../stage.js').Tab} tab
 * @param {number} [after] after how many looks
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
  async 'if a context has no memory to look at its state, it reads the register again later, and learns of deaths'(stage) {
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

  async 'a hidden context that has no memory to look at its state stays, since it may be needed'(stage) {
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

  async 'a joiner that is given the state early, and has no memory to look at it, joins anew'(stage) {
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

  async 'a context in doubt that cannot compare its requests with the state that it is given does not act on that state'(stage) {
    const { world } = stage;
    const [eldest, doubtful] = await stage.open(2);
    prompt(eldest, doubtful);
    await stage.run(3000);
    // The first look is for the list of members.
    failsOnce(doubtful, 1);
    doubtful.missesOne();
    // What is kept behind its hello is delivered before the answer.
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

  async 'a context that has no memory for its fresh log withdraws that log, and begins another one'(stage) {
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
