/** What breaks while something else is being mended: two faults at once, one within the other's moments. */
import assert from 'node:assert/strict';
import { PROTOCOL } from '../../../glue/log/register.js';
import { hears, isAnswered, posts, sleepsThroughSteal, writes } from '../stage.js';

/** @type {Record<string, import('../stage.js').Schedule>} */
export const again = {
  async 'D10: nobody goes on beside a member that was given the state after it had said how far it was'(stage) {
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
    // Only the second one is given the state; then the leader dies, and the second one, that holds the lock, stops.
    leader.speaks = (message) => (Array.isArray(message) && message[3] !== second.id ? [] : [message]);
    first.context.thaw();
    second.context.thaw();
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

  async 'D10: nobody goes on because of what another has said before it was given the state'(stage) {
    const { world } = stage;
    const [elder, other] = await stage.open(2);
    const held = await other.hold('a');
    const answer = world.hold(hears(other, 'state'));
    other.missesOne();
    await stage.until(() => answer.kept.length, 1000);
    // It asks once more, and the elder hears that when it has missed messages itself.
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

  async 'D10: nobody goes on beside a joiner that was given the state in a message that it has missed'(stage) {
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

  async 'D10: nobody goes on where somebody is given the state before that is delivered; and later, where nobody is left'(stage) {
    const { world } = stage;
    const [leader, one, other] = await stage.open(3);
    /** @type {any} */
    let given = '';
    leader.speaks = other.speaks = (message) => (Array.isArray(message) && message[3] !== given ? [] : [message]);
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

  async 'D10: nobody goes on beside a member that has acted since it said how far it had got'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    const answer = world.hold(hears(other, 'state'));
    other.missesOne();
    await stage.until(() => answer.kept.length, 1000);
    // Now this one asks; and the other asks again, before it is delivered the answer. It does not answer this one, but it acts.
    const hellos = other.count('hello');
    other.speaks = (message) => (Array.isArray(message) ? [] : [message]);
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

  async 'D10: who has asked to go on does not, where another one shows in the meantime that it is current'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    other.missesOne();
    const deaf = world.hold(hears(other, 'state'));
    await stage.until(() => deaf.kept.length, 1000);
    one.missesOne();
    const resume = world.hold(posts(one, 'resume'));
    await stage.until(() => resume.kept.length, 5000);
    const answers = world.hold(posts(other, 'state'));
    deaf.release();
    const held = await other.hold('a');
    resume.release();
    await stage.run(50);
    assert.ok(!one.says.acting);
    answers.release();
    const waiting = one.ask('a');
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    assert.equal(one.core.hash(), other.core.hash());
  },

  async 'D10: a joiner takes no state from before somebody went on, though it has read the register since'(stage) {
    const { world } = stage;
    const [one] = await stage.open(1);
    const joiner = stage.tab();
    const deaf = world.hold(hears(joiner));
    const late = joiner.ask('a');
    await stage.until(() => one.count('state') > 1, 1000);
    one.missesOne();
    const raised = world.hold(writes('raise'));
    await stage.until(() => raised.kept.length, 5000);
    const answers = world.hold(isAnswered(one));
    raised.release();
    // By then it has asked so often that it looks at the register.
    await stage.run(2000);
    deaf.release();
    await stage.run(50);
    one.missesOne();
    const deafAgain = world.hold(hears(joiner));
    answers.release();
    await stage.until(() => one.says.acting, 5000);
    const held = await one.hold('a');
    assert.deepEqual(late.told, []);
    deafAgain.release();
    await stage.run(5000);
    assert.deepEqual([held.told, late.told], [['granted'], []]);
    assert.equal(one.core.hash(), joiner.core.hash());
    one.drop(held);
    await stage.until(() => late.told.length, 1000);
  },

  async 'D10: who was current while others went on without it is in doubt when it hears of that'(stage) {
    const { world } = stage;
    const [one, sleeper] = await stage.open(2);
    const held = await sleeper.hold('a');
    await stage.run(100);
    sleeper.context.freeze('all');
    world.wipe();
    one.missesOne();
    await stage.until(() => one.count('resume') && one.says.acting, 5000);
    const early = await one.hold('b');
    one.drop(early);
    await stage.run(100);
    sleeper.context.thaw();
    await stage.run(3000);
    assert.equal(one.core.hash(), sleeper.core.hash());
    assert.deepEqual(held.told, ['granted']);
    sleeper.drop(held);
    const later = await sleeper.hold('b');
    assert.ok(later.handle.fence > early.handle.fence);
  },

  async 'D10: nobody goes on beside a member whose joining it has missed, and that has not come back after a wipe'(stage) {
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
    // Its `join` is among what was missed.
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

  async 'D10: nobody waits for a member that asks again and again, and cannot come back to the register'(stage) {
    const { world } = stage;
    const [one, other, third] = await stage.open(3);
    third.context.brokenUntil = Infinity;
    const returns = world.hold(writes('return'));
    world.wipe();
    await stage.until(() => returns.kept.length === 2, 1000);
    for (const tab of [one, other, third]) tab.missesOne();
    await stage.run(5);
    returns.release();
    const deadline = world.time + 3000;
    while (!one.says.acting || !other.says.acting) {
      assert.ok(world.time < deadline, 'the others wait for it');
      third.missesOne();
      await stage.run(10);
    }
  },

  async 'D3: a `gone` that was lost is posted again'(stage) {
    const [leader, other] = await stage.open(2);
    await leader.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    other.speaks = (message) => (/"gone"/.test(message) ? [] : [message]);
    leader.kill();
    await stage.until(() => other.count('gone'), 1000);
    other.speaks = (message) => [message];
    other.missesOne();
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'fences go on with the clock, however many logs there have been, though data is cleared then'(stage) {
    const { world } = stage;
    let fence = 0;
    for (let each = 0; each < 8; each++) {
      const tab = stage.tab();
      const { handle } = await tab.hold('a');
      assert.ok(handle.fence > fence);
      ({ fence } = handle);
      tab.kill();
      await stage.run(100);
      if (each === 6) world.wipe();
    }
  },

  async 'D10: who was alone goes on at once after a wipe of the store'(stage) {
    const again = stage.with('store');
    const [one] = await again.open(1);
    const visitor = again.tab();
    visitor.drop(await visitor.hold('a'));
    await again.run(100);
    visitor.log.leave();
    await again.until(() => one.says.alone, 5000);
    const held = await one.hold('a');
    again.world.wipe();
    await again.until(() => !one.says.acting, 1000);
    const own = one.ask('b');
    await again.until(() => own.told.length, 600);
    assert.deepEqual([held.told, own.told], [['granted'], ['granted']]);
  },

  async 'D11: fences go on above those of another version, of which a member knows nothing, that came after a wipe'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    world.wipe();
    const stranger = stage.stranger();
    const { handle } = await stranger.hold('b');
    stranger.kill();
    member.context.thaw();
    await stage.until(() => member.count('back'), 2000);
    const later = await member.hold('b');
    assert.deepEqual(held.told, ['granted']);
    assert.ok(later.handle.fence > handle.fence);
  },

  async 'a forged generation leaves fences, and keeps nobody from joining'(stage) {
    const [one, other] = await stage.open(2);
    const { log } = stage.world.record;
    for (const generation of [8.9e12, 9.1e12, Number.MAX_SAFE_INTEGER]) {
      other.speaks = (message) => [message, JSON.stringify([PROTOCOL, 'anew', other.id, log, generation])];
      other.drop(await other.hold('a'));
      await stage.run(200);
    }
    other.speaks = (message) => [message];
    const joiner = stage.tab();
    one.drop(await one.hold('a'));
    await joiner.hold('a');
    await stage.run(100);
    assert.deepEqual([other.says.acting, one.core.hash()], [true, joiner.core.hash()]);
  },

  async 'a core that cannot be made at first, for want of memory, is made later'(stage) {
    const tab = stage.tab();
    tab.openCore = () => {
      tab.openCore = () => tab.core;
      throw new RangeError('out of memory');
    };
    const asked = tab.ask('a');
    await stage.until(() => asked.told.length, 1500);
  },

  async 'a database that opens late is not opened twice'(stage) {
    const { world } = stage;
    const [tab] = await stage.open(1);
    const other = stage.tab();
    const late = world.hold(isAnswered(other));
    other.ask('a');
    await stage.until(() => late.kept.length === 2, 100);
    // One of the two fails, and is tried again while the other one is on its way.
    other.context.brokenUntil = world.time + 5;
    const [failing, slow] = late.kept.splice(0);
    late.release();
    const opens = world.hold(isAnswered(other));
    failing.run();
    await stage.run(700);
    slow.run();
    opens.release();
    await stage.run(1000);
    assert.equal([...world.storage.connections].filter(({ context }) => context === other.context).length, 2);
    assert.equal(tab.says.alone, false);
  },
};
