/** No member is current, and no member continues yet, since another one may have got farther (D10). */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { answersNobody, answersOnly, hears, isAnswered, missesOperationsOf, posts, sleepsThroughSteal, writes } from '../stage.js';

/** @type {Record<string, import('../stage.js').Schedule>} */
export const waiting = {
  async 'D10: a member does not continue beside another one that said how far it was, and was then given the state'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, first, second] = await again.open(3);
    const held = await first.hold('a');
    first.context.freeze('all');
    second.context.freeze('all');
    await again.run(50);
    const thief = leader.ask('a', { steal: true });
    await again.until(() => thief.told.length, 1000);
    const asked = second.ask('a');
    leader.drop(thief);
    await again.run(50);
    world.orders.store.sweep(0);
    // Only the second tab is given the state, and late. Then the leader dies, and the second tab, which holds the lock, stops.
    leader.speaks = answersNobody;
    first.context.thaw();
    second.context.thaw();
    await again.until(() => second.count('hello') > 3 && first.count('hello') > 3, 3000);
    leader.speaks = answersOnly(second.id);
    await again.until(() => asked.told.length && first.says.acting === false, 3000);
    leader.kill();
    second.context.freeze('all');
    await again.run(5000);
    assert.equal(first.count('resume'), 0);
    second.context.thaw();
    await again.run(5000);
    assert.deepEqual([held.told, asked.told], [['granted', 'broken'], ['granted']]);
    assert.equal(first.core.hash(), second.core.hash());
  },

  async 'D10: a member does not continue because of what another one said before it was given the state'(stage) {
    const { world } = stage;
    const [elder, other] = await stage.open(2);
    const held = await other.hold('a');
    const answer = world.hold(hears(other, 'state'));
    other.missesOne();
    await stage.until(() => answer.kept.length, 1000);
    // The other one asks once more. The elder hears that only when it has missed messages itself.
    elder.context.freeze('all');
    await stage.run(30);
    answer.release();
    await stage.until(() => other.says.acting, 1000);
    other.context.freeze('all');
    elder.context.thaw();
    elder.missesOne();
    await stage.run(500);
    assert.equal(elder.count('resume'), 0);
    other.context.thaw();
    await stage.run(2000);
    assert.equal(elder.core.hash(), other.core.hash());
    assert.deepEqual(held.told, ['granted']);
  },

  async 'D10: a member does not continue because of what another one said while the state was on its way to it'(stage) {
    for (const isMissed of [false, true]) {
      const again = stage.with('broadcast');
      const [leader, elder, other] = await again.open(3);
      leader.speaks = answersNobody;
      elder.missesOne();
      other.missesOne();
      await again.until(() => other.count('hello') > 2, 1000);
      leader.speaks = answersOnly(other.id);
      elder.hears = (message) => {
        if (!isMissed || !Array.isArray(message)) return [message];
        elder.missesOne();
        return [];
      };
      const answer = again.world.hold(hears(other, 'state'));
      await again.until(() => answer.kept.length, 1000);
      leader.kill();
      const said = other.count('hello');
      await again.until(() => other.count('hello') > said + 1, 1000);
      elder.hears = (message) => [message];
      other.speaks = () => [];
      answer.release();
      await again.until(() => other.says.acting, 1000);
      other.context.freeze('all');
      await again.run(3000);
      assert.equal(elder.count('resume'), 0);
      other.speaks = (message) => [message];
      other.context.thaw();
      await again.until(() => elder.says.acting, 3000);
      await again.run(100);
      assert.equal(elder.core.hash(), other.core.hash());
    }
  },

  async 'D10: a member does not continue beside a joiner that was given the state in a message that the member has missed'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const { leader, sleeper, held } = await sleepsThroughSteal(again, 'a');
    const stateful = world.hold(writes('stateful'));
    const joiner = again.latecomer();
    const waiting = joiner.ask('a');
    await again.until(() => stateful.kept.length, 1000);
    await again.run(50);
    world.orders.store.sweep(0);
    leader.kill();
    sleeper.context.thaw();
    const raised = world.hold(writes('raise'));
    await again.until(() => raised.kept.length, 3000);
    const resumed = world.hold(posts(sleeper, 'resume'));
    raised.release();
    await again.until(() => resumed.kept.length, 1000);
    stateful.release();
    await again.run(100);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    resumed.release();
    await again.run(20000);
    assert.equal(sleeper.core.hash(), joiner.core.hash());
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D10: a `resume` is void if the state is given to another member before it; its sender continues when that member is dead'(stage) {
    const { world } = stage;
    const [leader, one, other] = await stage.open(3);
    /** @type {any} */
    let given = '';
    leader.speaks = other.speaks = (message) => answersOnly(given)(message);
    one.missesOne();
    await stage.run(60);
    other.missesOne();
    await stage.run(2000);
    const hellos = one.count('hello');
    await stage.until(() => one.count('hello') > hellos, 600);
    await stage.run(15);
    const deaf = world.hold(hears(one));
    given = other.id;
    await stage.until(() => other.says.acting, 1000);
    leader.kill();
    other.context.freeze('all');
    await stage.until(() => one.count('resume'), 2000);
    deaf.release();
    await stage.run(2000);
    assert.equal(one.says.acting, false);
    other.kill();
    await stage.until(() => one.says.acting, 5000);
    await one.hold('a');
  },

  async 'D10: a member does not continue beside another one that has acted since it said how far it was'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    const answer = world.hold(hears(other, 'state'));
    other.missesOne();
    await stage.until(() => answer.kept.length, 1000);
    // Now [one] asks, and [other] asks again before the answer is delivered to it. It does not answer [one], but it acts.
    const hellos = other.count('hello');
    other.speaks = answersNobody;
    one.missesOne();
    await stage.until(() => other.count('hello') > hellos, 1000);
    const raised = world.hold(writes('raise'));
    await stage.run(5);
    answer.release();
    const held = await other.hold('a');
    await stage.run(50);
    other.context.freeze('all');
    raised.release();
    await stage.run(5000);
    assert.equal(one.count('resume'), 0);
    other.speaks = (message) => [message];
    other.context.thaw();
    const waiting = one.ask('a');
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told, one.says.acting], [['granted'], [], true]);
  },

  async 'D10: a member that is about to continue does not, if another one shows in the meantime that it is current'(stage) {
    const { world } = stage;
    const [one, sleeper] = await stage.open(2);
    sleeper.context.freeze('all');
    world.wipe();
    one.missesOne();
    const resume = world.hold(posts(one, 'resume'));
    await stage.until(() => resume.kept.length, 5000);
    // The sleeper's answers are lost, but it acts.
    sleeper.speaks = answersNobody;
    sleeper.context.thaw();
    const held = await sleeper.hold('a');
    resume.release();
    await stage.run(50);
    assert.ok(!one.says.acting);
    sleeper.speaks = (message) => [message];
    const waiting = one.ask('a');
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    assert.equal(one.core.hash(), sleeper.core.hash());
  },

  async 'D10: after a wipe, a member waits for another one that is not back yet, though it has missed the `join` of that member'(stage) {
    const { world } = stage;
    const [one] = await stage.open(1);
    const joiner = stage.tab();
    const stateful = world.hold(writes('stateful'));
    const deaf = world.hold(({ context, sort, subject }) => sort === 'message' && context === one.context && /operations/.test(subject));
    const asked = joiner.ask('a');
    await stage.until(() => deaf.kept.length, 1000);
    stateful.release();
    await stage.until(() => asked.told.length, 1000);
    joiner.context.freeze('all');
    world.wipe();
    // The joiner's `join` is among the messages that [one] misses.
    deaf.kept.length = 0;
    deaf.release();
    one.missesOne();
    await stage.run(500);
    const own = one.ask('a');
    joiner.context.thaw();
    await stage.run(3000);
    assert.deepEqual([asked.told, own.told, one.count('resume')], [['granted'], [], 0]);
    joiner.drop(asked);
    await stage.until(() => own.told.length, 1000);
  },

  async 'D10: a member that misses messages before its own `resume` is delivered does not continue'(stage) {
    const { world } = stage;
    const [sleeper, one, other] = await stage.open(3);
    const held = await one.hold('c');
    await stage.run(100);
    for (const tab of [one, other]) tab.hears = missesOperationsOf(tab, sleeper);
    const thief = sleeper.ask('c', { steal: true });
    sleeper.speaks = answersNobody;
    await stage.until(() => thief.told.length, 1000);
    sleeper.drop(thief);
    await stage.until(() => !sleeper.core.state().held.length, 1000);
    await stage.run(20);
    sleeper.context.freeze('all');
    other.hears = (message) => [message];
    world.wipe();
    const resume = world.hold(posts(one, 'resume'));
    await stage.until(() => resume.kept.length, 5000);
    // [one] misses that the other one is given the state after all, and acts on it.
    one.hears = (message) => {
      if (fromMessage(message)?.kind === 'resume') return [message];
      one.missesOne();
      return [];
    };
    sleeper.speaks = answersOnly(other.id);
    sleeper.context.thaw();
    const asked = await other.hold('c');
    sleeper.speaks = other.speaks = answersNobody;
    resume.release();
    await stage.run(30);
    assert.equal(one.says.acting, false);
    one.hears = (message) => [message];
    one.missesOne();
    sleeper.speaks = other.speaks = (message) => [message];
    await stage.run(5000);
    assert.deepEqual([held.told, asked.told], [['granted', 'broken'], ['granted']]);
    assert.ok([sleeper, one].every((tab) => tab.core.hash() === other.core.hash()));
  },

  async 'D10: a member does not continue beside a joiner that a dead member has given the state, and that enters after the `raise`'(stage) {
    for (const misses of [false, true]) {
      const again = stage.with('broadcast');
      const { world } = again;
      const [leader, one] = await again.open(2);
      const held = await one.hold('c');
      await again.run(100);
      const deaf = world.hold(hears(one));
      const thief = leader.ask('c', { steal: true });
      await again.until(() => thief.told.length, 1000);
      leader.drop(thief);
      await again.until(() => !leader.core.state().held.length, 1000);
      const adds = world.hold(writes('add'));
      const joiner = again.tab();
      // The joiner is given the state while its storage opens.
      const opens = world.hold(isAnswered(joiner));
      const asked = joiner.ask('c');
      let isGiven = false;
      joiner.hears = (message) => {
        isGiven = isGiven || (Array.isArray(message) && message[3] === joiner.id);
        return [message];
      };
      await again.until(() => isGiven, 1000);
      opens.release();
      await again.until(() => adds.kept.length, 1000);
      // [one] misses the steal.
      one.hears = missesOperationsOf(one, leader);
      leader.kill();
      deaf.release();
      const raises = world.hold(writes('raise'));
      await again.until(() => raises.kept.length, 5000);
      one.hears = misses ? missesOperationsOf(one, joiner) : (message) => [message];
      const answers = world.hold(isAnswered(one));
      raises.release();
      await again.run(1);
      adds.release();
      await again.until(() => asked.told.length, 1000);
      joiner.context.freeze('all');
      await again.run(10);
      one.hears = (message) => [message];
      answers.release();
      await again.run(3000);
      assert.ok(!one.says.acting || held.told.includes('broken'), 'it still acts as the holder');
      joiner.context.thaw();
      await again.until(() => held.told.includes('broken'), 3000);
      assert.deepEqual(asked.told, ['granted']);
      joiner.drop(asked);
      await one.hold('c');
    }
  },

  async 'D10: a member does not continue because of a read from before it was current once more'(stage) {
    const { world } = stage;
    const [one] = await stage.open(1);
    await stage.until(() => one.says.alone, 5000);
    const raises = world.hold(writes('raise'));
    one.missesOne();
    await stage.until(() => raises.kept.length === 2, 1000);
    const isOfOne = isAnswered(one);
    let answers = 0;
    const late = world.hold((happening) => isOfOne(happening) && ++answers > 1);
    raises.release();
    await stage.until(() => one.says.acting, 1000);
    const joiner = stage.tab();
    one.hears = missesOperationsOf(one, joiner);
    const asked = joiner.ask('a');
    await stage.until(() => asked.told.length, 5000);
    joiner.context.freeze('all');
    one.hears = (message) => [message];
    await stage.run(200);
    late.release();
    const own = one.ask('a');
    await stage.run(900);
    assert.deepEqual([asked.told, own.told, one.count('resume')], [['granted'], [], 1]);
    joiner.context.thaw();
    await stage.run(3000);
    assert.deepEqual([asked.told, own.told], [['granted'], []]);
  },

  async 'D10: a member that is about to continue waits for another one that has come back to the register meanwhile'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    one.hears = missesOperationsOf(one, other);
    other.speaks = answersNobody;
    const held = await other.hold('a');
    await stage.until(() => one.says.acting === false, 1000);
    one.hears = (message) => [message];
    const returns = world.hold((happening) => writes('return')(happening) && /** @type {any} */ (happening.subject).client === other.id);
    const raises = world.hold(writes('raise'));
    world.wipe();
    await stage.until(() => returns.kept.length, 1000);
    other.context.freeze('all');
    await stage.until(() => raises.kept.length, 5000);
    returns.release();
    await stage.run(10);
    raises.release();
    const waiting = one.ask('a');
    await stage.run(1000);
    assert.equal(one.count('resume'), 0);
    other.speaks = (message) => [message];
    other.context.thaw();
    await stage.until(() => one.says.acting, 5000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    other.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D10: a member does not continue at once beside another one that is not back yet, though the register is complete'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    const returns = world.hold((happening) => writes('return')(happening) && /** @type {any} */ (happening.subject).client === other.id);
    world.wipe();
    await stage.until(() => other.id in world.record.members && !world.record.incomplete, 1000);
    one.hears = missesOperationsOf(one, other);
    other.speaks = answersNobody;
    const held = await other.hold('a');
    await stage.until(() => one.says.acting === false, 1000);
    one.hears = (message) => [message];
    await stage.run(300);
    other.speaks = (message) => [message];
    returns.release();
    const waiting = one.ask('a');
    await stage.until(() => one.says.acting, 1000);
    assert.equal(one.count('resume'), 0);
    await stage.run(100);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D10: a member that is not back in the register yet does not continue, however long it has asked before'(stage) {
    const { world } = stage;
    const [one, other, third] = await stage.open(3);
    other.speaks = answersNobody;
    for (const tab of [one, third]) tab.hears = missesOperationsOf(tab, other);
    const held = await other.hold('a');
    for (const tab of [one, third]) {
      await stage.until(() => tab.says.acting === false, 1000);
      tab.hears = (message) => [message];
    }
    await stage.run(1500);
    const ids = [one, other].map(({ id }) => id);
    const returns = world.hold((happening) => writes('return')(happening) && ids.includes(/** @type {any} */ (happening.subject).client));
    world.wipe();
    await stage.run(900);
    assert.equal(one.count('resume'), 0);
    other.speaks = (message) => [message];
    returns.release();
    const waiting = one.ask('a');
    await stage.until(() => one.says.acting && third.says.acting, 3000);
    await stage.run(100);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D10: all connections are closed: a newcomer that then misses messages does not continue without a busy holder'(stage) {
    const { world } = stage;
    const [other, holder] = await stage.open(2);
    const held = await holder.hold('a');
    const { alive } = world.record.members[other.id];
    holder.context.stall(700);
    world.closeStorage();
    await stage.until(() => world.record.members[other.id].alive !== alive, 100);
    await stage.run(20);
    const newcomer = stage.tab();
    // The newcomer is given the state while its storage opens.
    const opens = world.hold(isAnswered(newcomer));
    const waiting = newcomer.ask('a');
    await stage.run(15);
    opens.release();
    await stage.until(() => newcomer.says.acting, 150);
    other.kill();
    newcomer.missesOne();
    await stage.run(2500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },
};
