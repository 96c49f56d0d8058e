/** Data is cleared while members live: D11, D16. */
import assert from 'node:assert/strict';
import { hears, isAnswered, isGone, isLost, misses, posts, prompt, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */

/** Whether all copies are equal. @param {import('../stage.js').Tab[]} tabs */
const areEqual = (tabs) => new Set(tabs.map(({ core }) => core.hash())).size === 1;

/**
 * Data is cleared while one member holds a lock and two wait. Both are served in their turn.
 * @param {Stage} stage @param {() => void} clear
 */
const clears = async (stage, clear) => {
  const [first, second, third] = await stage.open(3);
  const held = await second.hold('a');
  const next = first.ask('a');
  await stage.run(50);
  const last = third.ask('a');
  await stage.run(50);
  clear();
  await stage.run(3000);
  assert.deepEqual([held.told, next.told, last.told], [['granted'], [], []]);
  second.drop(held);
  await stage.until(() => next.told.length, 1000);
  first.drop(next);
  await stage.until(() => last.told.length, 1000);
  await stage.run(100);
  assert.ok(areEqual([first, second, third]));
  return [first, second, third];
};

/**
 * A context has written a log, and data is cleared before its `begin` is delivered. The context is not told of the clearing.
 * @param {Stage} stage @returns {Promise<() => void>} delivers that `begin`
 */
const beginsBeforeWipe = async (stage) => {
  const { world } = stage;
  const writer = stage.tab();
  const begins = world.hold(posts(writer, 'begin'));
  writer.ask('x');
  await stage.until(() => begins.kept.length, 1000);
  world.hold(isLost(writer));
  world.wipe();
  return () => {
    for (const { run } of begins.kept.splice(0)) run();
    begins.release();
  };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const wipes = {
  async 'D11: data is cleared: the holder keeps its lock, and the waiters keep their places'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      await clears(again, () => again.world.wipe());
    }
  },

  async 'D16: a page deletes all databases: all of them are deleted, and nobody loses anything'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      await clears(again, () => again.world.deleteAll());
      assert.equal(again.world.storage.deletion, undefined);
      await again.tab().hold('b');
    }
  },

  async 'D11: a holder that was frozen while data was cleared keeps its lock'(stage) {
    const [leader, other] = await stage.open(3);
    const held = await leader.hold('a');
    leader.context.freeze('all');
    const waiting = other.ask('a');
    stage.world.wipe();
    await stage.run(5000);
    assert.deepEqual(waiting.told, []);
    leader.context.thaw();
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    leader.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D11: a member that an incomplete register lacks is not declared dead'(stage) {
    const { world } = stage;
    const [leader, other, late] = await stage.open(3);
    const held = await late.hold('a');
    const waiting = other.ask('a');
    await stage.run(50);
    const incomplete = world.hold(writes('complete'));
    late.context.brokenUntil = world.time + 400;
    world.wipe();
    await stage.run(300);
    assert.ok(world.record.incomplete && !world.record.members[late.id]);
    assert.deepEqual([...leader.buried(), ...other.buried()], []);
    incomplete.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    assert.equal(world.record.incomplete, false);
    late.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D11: a member that dies while the register is incomplete is marked as dead, and its lock is released'(stage) {
    const { world } = stage;
    const [, other, third] = await stage.open(3);
    await third.hold('a');
    const waiting = other.ask('a');
    await stage.run(50);
    const incomplete = world.hold(writes('complete'));
    world.wipe();
    await stage.until(() => world.record.members[third.id] && world.record.members[other.id], 1000);
    await stage.run(50);
    third.kill();
    await stage.until(() => waiting.told.length, 1000);
    incomplete.release();
    await stage.run(500);
    assert.ok(!world.record.incomplete && !world.record.members[third.id]);
  },

  async 'D11: one member comes back, the other dies before it has, then the first dies: a visitor is served'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    other.context.freeze('all');
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    assert.equal(world.record.members[other.id].alive, '');
    other.kill();
    await stage.run(100);
    one.kill();
    const visitor = stage.tab();
    const asked = visitor.ask('a');
    await stage.until(() => asked.told.length, 4000);
  },

  async 'D11: a member that leaves before it has come back leaves no record behind'(stage) {
    for (const leavesFirst of [true, false]) {
      const again = stage.with('broadcast');
      const { world } = again;
      const [leader, other, leaver] = await again.open(3);
      const completing = world.hold(writes('complete'));
      leaver.context.brokenUntil = world.time + 500;
      world.wipe();
      await again.until(() => completing.kept.length, 400);
      if (leavesFirst) leaver.log.leave();
      await again.run(20);
      completing.release();
      await again.run(50);
      if (!leavesFirst) leaver.log.leave();
      await again.run(100);
      assert.deepEqual(Object.keys(world.record.members).sort(), [leader.id, other.id].sort());
    }
  },

  async 'D7: a context that was alone while data was cleared is alone again'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      const [tab] = await again.open(1);
      const held = await tab.hold('a');
      again.world.wipe();
      await again.run(1500);
      const posted = tab.posted.length;
      tab.drop(await tab.hold('b'));
      assert.deepEqual([tab.posted.length, held.told], [posted, ['granted']]);
    }
  },

  async 'D11: a death that members have learned of is not forgotten when data is cleared again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, holder, other] = await again.open(3);
    const { id } = holder;
    await holder.hold('a');
    const waiting = other.ask('a');
    await again.run(100);
    const raised = world.hold(writes('raise'));
    world.wipe();
    await again.until(() => [leader, holder, other].every((tab) => (world.record.members[tab.id] || {}).alive), 2000);
    await again.until(() => raised.kept.length, 3000);
    holder.kill();
    await again.until(() => !world.record.members[id] || world.record.members[id].dead, 2000);
    await again.run(20);
    world.wipe();
    raised.release();
    await again.until(() => waiting.told.length, 5000);
  },

  async 'D11: a death is told after data was cleared, though only one member knows of it, and waits for nothing'(stage) {
    const { world } = stage;
    const [elder, other, holder] = await stage.open(3);
    await holder.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    elder.context.freeze('all');
    other.speaks = (message) => /"gone"/.test(message) ? [] : [message];
    holder.kill();
    await stage.until(() => other.count('gone'), 1000);
    other.drop(waiting);
    await stage.run(20);
    other.speaks = (message) => [message];
    const late = world.hold(isLost(other));
    world.wipe();
    elder.context.thaw();
    const asked = elder.ask('a');
    await stage.run(500);
    late.release();
    await stage.until(() => asked.told.length, 3000);
  },

  async 'D16: a page gives up deleting all databases: a busy holder that closes the register late is not taken for dead'(stage) {
    const { world } = stage;
    const [other, holder] = await stage.open(2);
    const held = await holder.hold('a');
    const waiting = other.ask('a');
    await stage.run(200);
    holder.context.stall(1400);
    await stage.run(10);
    world.storage.deleteAll();
    await stage.run(500);
    world.storage.endDeletion();
    // The holder's new name opens later than its register.
    const { storage } = world;
    const holdAlive = storage.holdAlive.bind(storage);
    storage.holdAlive = async (...parameters) => {
      await world.storageEvent(holder.context, 150, 150);
      return holdAlive(...parameters);
    };
    await stage.run(5000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 2000);
  },

  async 'D11: a member whose record was removed gets no new one when another member completes the register once more'(stage) {
    const { world } = stage;
    const [first, other, holder] = await stage.open(3);
    const { id } = holder;
    await holder.hold('a');
    await stage.run(100);
    prompt(first, other, holder);
    const anew = world.hold(posts(other, 'anew'));
    const completing = world.hold(writes('complete'));
    world.wipe();
    await stage.until(() => anew.kept.length, 1000);
    completing.release();
    const isBack = (/** @type {string} */ client) => !!(world.record.members[client] || {}).alive;
    await stage.until(() => !world.record.incomplete && isBack(other.id) && isBack(id), 1000);
    await stage.run(100);
    // The member that removes the record dies before it can post `gone`.
    first.speaks = (message) => isGone(message) ? [] : [message];
    holder.kill();
    await stage.until(() => !(id in world.record.members), 1000);
    await stage.run(20);
    anew.release();
    await stage.run(10);
    first.kill();
    const waiting = other.ask('a');
    await stage.until(() => waiting.told.length, 5000);
  },

  async 'D11: data is cleared twice, and the first `anew` comes before the second return: a member, alone or not, keeps its lock'(first) {
    for (const count of [1, 2]) {
      const stage = first.with('broadcast');
      const { world } = stage;
      const [member, other] = await stage.open(count);
      const held = await member.hold('a');
      await stage.run(100);
      const own = world.hold(posts(member, 'anew'));
      const others = other && world.hold(posts(other, 'anew'));
      const isBack = () => !other || (world.record.members[other.id] && world.record.members[other.id].alive);
      world.wipe();
      await stage.until(() => own.kept.length && isBack(), 1000);
      const returning = world.hold(isAnswered(member));
      world.wipe();
      await stage.until(isBack, 1000);
      await stage.run(5);
      own.release();
      await stage.run(50);
      returning.release();
      await stage.run(50);
      if (others) others.release();
      await stage.run(3000);
      assert.deepEqual(held.told, ['granted']);
      assert.ok(member.says.acting);
    }
  },

  async 'R15, D11: a member that has missed its own `anew` posts it again, so that it can leave when it is hidden'(stage) {
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const news = world.hold(isLost(other));
    member.hears = misses(member, (message) => /"anew"/.test(message));
    world.wipe();
    await stage.until(() => member.says.acting === false, 1000);
    member.hears = (message) => [message];
    await stage.until(() => member.says.acting, 500);
    // The other one has not come back, and never does.
    other.context.freeze('all');
    news.release();
    await stage.run(200);
    member.context.tell('hidden');
    await stage.until(() => !member.context.listening, 3000);
  },

  async 'D6: the `begin` of a log from before data was cleared comes late: the register decides'(stage) {
    const { world } = stage;
    const deliverBegin = await beginsBeforeWipe(stage);
    const member = stage.tab();
    const held = await member.hold('a');
    const other = stage.tab();
    const theirs = await other.hold('c');
    const waiting = member.ask('c');
    await stage.run(300);
    const answers = world.hold(isAnswered(member));
    deliverBegin();
    await stage.run(20);
    assert.equal(member.says.acting, false);
    const own = member.ask('b');
    other.drop(theirs);
    await stage.run(50);
    assert.deepEqual([own.told, waiting.told], [[], []]);
    answers.release();
    await stage.until(() => own.told.length && waiting.told.length, 1000);
    assert.deepEqual([held.told, own.told, waiting.told], [['granted'], ['granted'], ['granted']]);
  },

  async 'D11: a member that finds another log in the register enters nothing before it has received the `begin`'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const ordinary = { ifAvailable: false, steal: false };
    const held = await member.hold('a', ordinary);
    const next = member.ask('a', ordinary);
    await stage.run(100);
    const deaf = world.hold(hears(member));
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    const second = await newcomer.hold('a');
    news.release();
    await stage.run(300);
    member.drop(held);
    await stage.run(50);
    assert.deepEqual([next.told, second.told], [[], ['granted']]);
    deaf.release();
    await stage.run(3000);
    newcomer.drop(second);
    await stage.until(() => next.told.includes('granted'), 2000);
  },

  async 'D11: a member that has lost its log while it was coming back watches the members of the other log'(stage) {
    const [member] = await stage.open(1);
    await member.hold('b');
    member.context.freeze('all');
    stage.world.wipe();
    const newcomer = stage.tab();
    await newcomer.hold('a');
    member.context.thaw();
    await stage.run(1000);
    const waiting = member.ask('a');
    await stage.run(1000);
    newcomer.kill();
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'D10: a member that misses messages while another log seems to overtake it asks for the state when that is over'(stage) {
    const { world } = stage;
    const deliverBegin = await beginsBeforeWipe(stage);
    await stage.tab().hold('a');
    const member = stage.tab();
    await member.hold('c');
    await stage.run(3000);
    const answers = world.hold(isAnswered(member));
    deliverBegin();
    await stage.until(() => member.says.acting === false, 100);
    member.context.throttled = 60000;
    member.missesOne();
    await stage.run(50);
    answers.release();
    await stage.until(() => member.says.acting, 1000);
  },
};
