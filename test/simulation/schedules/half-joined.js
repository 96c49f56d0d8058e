/** A joiner that was given the state ends before the register shows that it has the state: D2, D3, D10. */
import assert from 'node:assert/strict';
import { answersAllBut, answersNobody, isAnswered, kinds, prompt, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */

/**
 * A joiner has posted its join, and asks for `a`.
 * @param {Stage} stage
 */
const joins = async (stage) => {
  const joiner = stage.latecomer();
  const slow = stage.world.hold(writes('stateful'));
  joiner.ask('a');
  await stage.until(() => slow.kept.length && joiner.count('operations'), 3000);
  await stage.run(20);
  const dies = () => {
    joiner.kill();
    slow.kept.length = 0;
    slow.release();
  };
  return { joiner, dies };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const halfJoined = {
  async 'D10: a joiner dies before the register shows that it has the state: the last member, in doubt, continues the log'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [eldest, doubtful] = await again.open(2);
      await again.run(1500);
      prompt(eldest, doubtful);
      const { joiner, dies } = await joins(again);
      assert.ok(doubtful.core.last(joiner.id) >= 0);
      eldest.speaks = answersNobody;
      doubtful.missesOne();
      eldest.kill();
      dies();
      const asked = doubtful.ask('b');
      await again.until(() => asked.told.length, 8000);
    }
  },

  async 'D3: a member in doubt remembers the death of a joiner that had posted its join, and tells it after data was cleared'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [eldest, doubtful] = await again.open(2);
      await again.run(1500);
      prompt(eldest, doubtful);
      eldest.speaks = answersAllBut(doubtful.id);
      doubtful.missesOne();
      const { joiner, dies } = await joins(again);
      await again.until(() => eldest.core.state().held.some(({ client }) => client === joiner.id), 500);
      eldest.context.freeze('all');
      dies();
      await again.run(3000);
      again.world.wipe();
      eldest.speaks = (message) => [message];
      eldest.context.thaw();
      const waiting = doubtful.ask('a');
      await again.until(() => waiting.told.length, 20000);
    }
  },

  async 'D2: a joiner whose early state is confirmed too late to be taken joins anew'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const joiner = stage.tab();
    const opens = world.hold(isAnswered(joiner));
    const asked = joiner.ask('a');
    await stage.until(() => member.count('state'), 50);
    await stage.run(20);
    const added = world.hold(writes('add'));
    opens.release();
    await stage.until(() => added.kept.length, 100);
    // More operations than the joiner keeps for a state.
    for (let each = 0; each < 150; each++) other.drop(await other.hold('b'));
    added.release();
    await stage.until(() => asked.told.length, 3000);
  },

  async 'D12: a joiner that leaves just as the register shows that it has the state does not join again'(stage) {
    for (let jobs = 0; jobs < 12; jobs++) {
      const again = stage.with('broadcast');
      const { world } = again;
      await again.open(1);
      const joiner = again.latecomer();
      const stateful = world.hold(writes('stateful'));
      joiner.ask('a');
      await again.until(() => stateful.kept.length, 1000);
      const answers = world.hold(isAnswered(joiner));
      stateful.release();
      await again.until(() => answers.kept.length, 100);
      // The joiner leaves this many promise jobs after storage has answered.
      for (const { run } of answers.kept.splice(0)) run();
      for (let left = jobs; left; left--) await undefined;
      joiner.log.leave();
      answers.release();
      await again.run(100);
      assert.equal(joiner.context.listening, 0);
    }
  },
};
