/** What is cleared, swept away, swapped or lost: D9, D10, D11, D16. */
import assert from 'node:assert/strict';
import { hears, isAnswered, isLost, posts, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */

/** Whether all copies are equal. @param {import('../stage.js').Tab[]} tabs */
const areEqual = (tabs) => new Set(tabs.map(({ core }) => core.hash())).size === 1;

/**
 * Data is cleared while one holds, two wait, and both are served in their turn.
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
 * Data is cleared twice. A member hears neither of that nor of the log that a newcomer has begun in between; nor does the newcomer hear of
 * the second time.
 * @param {Stage} stage
 */
const clearedTwice = async (stage) => {
  const { world } = stage;
  const [member] = await stage.open(1);
  const held = await member.hold('a');
  const deaf = world.hold(hears(member));
  const news = world.hold(isLost(member));
  world.wipe();
  const newcomer = stage.tab();
  newcomer.context.promptUntil = Infinity;
  const second = await newcomer.hold('b');
  const late = world.hold(isLost(newcomer));
  world.wipe();
  return { member, held, deaf, news, newcomer, second, late };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const wipes = {
  async 'D11: data is cleared, and who holds goes on holding, who waits goes on waiting'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      await clears(again, () => again.world.wipe());
    }
  },

  async 'D16: a page deletes all databases: all are deleted, and nobody loses anything'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      await clears(again, () => again.world.deleteAll());
      assert.equal(again.world.storage.deletion, undefined);
      await again.tab().hold('b');
    }
  },

  async 'the browser closes all connections, and nothing is lost'(stage) {
    await clears(stage, () => stage.world.closeStorage());
  },

  async 'all connections are closed, and a busy holder does not count as dead for who was about to join'(stage) {
    const { world } = stage;
    const [holder] = await stage.open(1);
    const held = await holder.hold('a');
    holder.context.stall(700);
    const joiner = stage.tab();
    const waiting = joiner.ask('a');
    await stage.until(() => world.record.members[joiner.id], 200);
    await stage.run(20);
    world.closeStorage();
    await stage.run(500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await stage.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed, and who was about to join is told of deaths before it is told that'(stage) {
    const { world } = stage;
    const [holder] = await stage.open(1);
    const held = await holder.hold('a');
    holder.context.stall(1000);
    const joiner = stage.tab();
    const waiting = joiner.ask('a');
    await stage.until(() => world.record.members[joiner.id], 200);
    await stage.run(20);
    const news = world.hold(isLost(joiner));
    world.closeStorage();
    await stage.run(450);
    news.release();
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed, and a busy holder does not count as dead for who loads once another member is back'(stage) {
    for (const place of [0, 1]) {
      const again = stage.with('broadcast');
      const tabs = await again.open(2);
      const [holder, other] = [tabs[place], tabs[1 - place]];
      const held = await holder.hold('a');
      const { alive } = again.world.record.members[other.id];
      holder.context.stall(700);
      again.world.closeStorage();
      await again.until(() => again.world.record.members[other.id].alive !== alive, 100);
      const newcomer = again.tab();
      const waiting = newcomer.ask('a');
      await again.run(500);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      await again.run(1500);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      holder.drop(held);
      await again.until(() => waiting.told.length, 1000);
    }
  },

  async 'all connections are closed, and a busy holder does not count as dead for who loads then and is busy itself'(stage) {
    const again = stage.with('broadcast');
    const [holder, other] = await again.open(2);
    const held = await holder.hold('a');
    const { alive } = again.world.record.members[other.id];
    holder.context.stall(700);
    again.world.closeStorage();
    await again.until(() => again.world.record.members[other.id].alive !== alive, 100);
    const newcomer = again.tab();
    const { storage } = again.world;
    const watchAlive = storage.watchAlive.bind(storage);
    storage.watchAlive = (context, ...watched) => {
      watchAlive(context, ...watched);
      if (context === newcomer.context) context.stall(200);
    };
    const waiting = newcomer.ask('a');
    await again.run(500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await again.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => waiting.told.length, 1000);
  },

  async 'R15: all connections are closed, and a hidden member does not leave while a busy holder has not come back'(stage) {
    const { world } = stage;
    const [holder, hidden] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    hidden.context.promptUntil = Infinity;
    // Else it would leave at once.
    const asked = await hidden.hold('b');
    hidden.context.tell('hidden');
    hidden.drop(asked);
    await stage.run(900);
    holder.context.stall(700);
    world.closeStorage();
    await stage.run(200);
    const waiting = stage.tab().ask('a');
    await stage.run(400);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await stage.until(() => !world.record.members[hidden.id], 5000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D6: all connections are closed, and who loads then begins no log while an awake member opens the store again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [holder] = await again.open(1);
    const held = await holder.hold('a');
    await again.run(100);
    world.closeStorage();
    const answers = world.hold(isAnswered(holder));
    const newcomer = again.tab();
    newcomer.context.promptUntil = Infinity;
    const waiting = newcomer.ask('a');
    await again.run(130);
    answers.release();
    await again.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => waiting.told.length, 1000);
  },

  async 'D6: all connections are closed, and who loads then begins no log beside an awake member that is in doubt'(stage) {
    const { world } = stage;
    const [holder, other] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    other.kill();
    await stage.until(() => holder.core.state().members.length === 1, 1000);
    holder.missesOne();
    world.closeStorage();
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const waiting = newcomer.ask('a');
    const late = [world.hold(hears(newcomer)), world.hold(writes('return'))];
    await stage.run(200);
    for (const each of late) each.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed, and a busy holder does not count as dead for who loads before anybody is back'(stage) {
    const { world } = stage;
    const [holder, other] = await stage.open(2);
    const held = await holder.hold('a');
    holder.context.stall(700);
    world.closeStorage();
    const returning = world.hold(writes('return'));
    const newcomer = stage.tab();
    const waiting = newcomer.ask('a');
    await stage.run(500);
    assert.ok(newcomer.says.acting && !other.count('back'));
    returning.release();
    await stage.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed, and who dies then is buried'(stage) {
    const [holder, other] = await stage.open(2);
    await holder.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    stage.world.closeStorage();
    holder.kill();
    await stage.run(100);
    const newcomer = stage.tab();
    const last = newcomer.ask('a');
    await stage.until(() => waiting.told.length, 2500);
    other.kill();
    await stage.until(() => last.told.length, 2500);
  },

  async 'all connections are closed, and who was watched before, and dies then, is buried'(stage) {
    const { world } = stage;
    const [one, holder] = await stage.open(2);
    await holder.hold('a');
    const waiting = one.ask('a');
    await stage.run(200);
    world.closeStorage();
    holder.kill();
    await stage.until(() => waiting.told.length, 5000);
  },

  async 'all connections are closed while a member reads the register, and who dies later is buried'(stage) {
    const { world } = stage;
    const [one, holder] = await stage.open(2);
    await holder.hold('a');
    await stage.run(100);
    const answers = world.hold(isAnswered(one));
    stage.tab().ask('b');
    await stage.until(() => answers.kept.length, 1000);
    world.closeStorage();
    await stage.run(40);
    answers.release();
    const waiting = one.ask('a');
    await stage.run(1000);
    holder.kill();
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'D4: all connections are closed when a member has just begun to wait; later it learns of deaths, though the leader sleeps'(stage) {
    const { world } = stage;
    const [leader, one, holder] = await stage.open(3);
    await leader.hold('a');
    one.ask('a');
    await stage.until(() => one.core.state().pending.length, 100);
    world.closeStorage();
    await stage.run(1000);
    await holder.hold('c');
    leader.context.freeze('all');
    const waiting = one.ask('c');
    await stage.run(300);
    holder.kill();
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D11: who was frozen while data was cleared still holds what it held'(stage) {
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

  async 'D11: who is missing in an incomplete register has not come back yet, and lives'(stage) {
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

  async 'D11: who dies while the register is incomplete is marked, and buried'(stage) {
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

  async 'D11: closed for ever: one comes back, the other dies before it has, then all close; a visitor is served'(stage) {
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

  async 'D11: who leaves before it has come back leaves no record behind'(stage) {
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

  async 'D7: who was alone while data was cleared is alone again'(stage) {
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

  async 'D11: a newcomer\'s log is void, too, where it replaces one of which a frozen member was left, and that speaks then'(stage) {
    const { world } = stage;
    const [leader, member] = await stage.open(2);
    const held = await member.hold('a');
    await stage.run(100);
    member.context.promptUntil = Infinity;
    member.context.freeze('all');
    world.wipe();
    await stage.until(() => member.id in world.record.members && !world.record.incomplete, 1000);
    leader.log.leave();
    await stage.run(100);
    const newcomer = stage.tab();
    const deaf = world.hold(hears(newcomer));
    const begins = world.hold(posts(newcomer, 'begin'));
    const waiting = newcomer.ask('a');
    await stage.run(100);
    deaf.release();
    await stage.until(() => begins.kept.length, 500);
    member.context.thaw();
    await stage.run(20);
    begins.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D11: who is delivered late, or misses, that a member lives has not listened in vain'(stage) {
    for (const misses of [false, true]) {
      const again = stage.with('broadcast');
      const { world } = again;
      const [member] = await again.open(1);
      const held = await member.hold('a');
      const news = world.hold(isLost(member));
      world.wipe();
      const newcomer = again.tab();
      member.context.promptUntil = newcomer.context.promptUntil = Infinity;
      newcomer.hears = (message) => {
        if (!misses || !/"here"/.test(message)) return [message];
        newcomer.missesOne();
        return [];
      };
      const deaf = world.hold(hears(newcomer));
      const waiting = newcomer.ask('a');
      await again.until(() => member.count('here'), 100);
      member.context.freeze('all');
      await again.run(50);
      deaf.release();
      await again.run(10);
      newcomer.hears = (message) => [message];
      member.context.thaw();
      news.release();
      await again.run(1000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    }
  },

  async 'D11: who hears a member while it listens begins no log, though the register is empty'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    const begins = world.hold(writes('begin'));
    const waiting = newcomer.ask('a');
    await stage.run(40);
    assert.equal(begins.kept.length, 0);
    news.release();
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    member.drop(held);
    await stage.until(() => waiting.told.length, 500);
  },

  async 'D11: a newcomer\'s log that began beside a living one is void, for everybody alike'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    const deaf = world.hold(hears(member));
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    const begins = world.hold(posts(newcomer, 'begin'));
    const waiting = newcomer.ask('a');
    await stage.until(() => begins.kept.length, 500);
    deaf.release();
    news.release();
    await stage.run(20);
    begins.release();
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    assert.equal(world.record.log, (await Promise.race([member.log.inspect(), stage.run(100)]))?.log);
    member.drop(held);
    await stage.until(() => waiting.told.length, 500);
    assert.deepEqual(waiting.told, ['granted']);
  },

  async 'D11: who asks for the state of a log that turns out void is served, though the newcomer that began it is frozen'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const deaf = world.hold(hears(member));
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    const begins = world.hold(posts(newcomer, 'begin'));
    newcomer.ask('a');
    await stage.until(() => begins.kept.length, 500);
    const joiner = stage.tab();
    const waiting = joiner.ask('b');
    await stage.run(60);
    deaf.release();
    news.release();
    await stage.run(20);
    world.hold(hears(newcomer, 'begin'));
    begins.release();
    await stage.run(20);
    newcomer.context.freeze('all');
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'D6: who is delivered the `begin` of another log that counts enters nothing any more'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    world.wipe();
    const newcomer = stage.tab();
    const second = await newcomer.hold('a');
    // Frozen while others began: that is the exception, and it is told so.
    const own = member.ask('b');
    member.context.thaw();
    await stage.until(() => held.told.length > 1, 1000);
    await stage.until(() => own.told.length, 1000);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
    await stage.run(100);
    assert.ok(areEqual([member, newcomer]));
  },

  async 'D6: who comes back to an empty register, and was delivered the `begin` of another log before, has lost'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    world.wipe();
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const second = await newcomer.hold('b');
    const late = world.hold(isLost(newcomer));
    world.wipe();
    member.context.thaw();
    await stage.run(100);
    const own = member.ask('b');
    await stage.run(200);
    late.release();
    await stage.run(3000);
    assert.deepEqual([held.told, second.told, own.told], [['granted', 'lost'], ['granted'], []]);
  },

  async 'D6: who was delivered the `begin` of another log, and only then hears that data was cleared, has lost'(stage) {
    const { member, held, deaf, news, second, late } = await clearedTwice(stage);
    deaf.release();
    await stage.run(20);
    news.release();
    await stage.run(100);
    const own = member.ask('b');
    await stage.run(200);
    late.release();
    await stage.run(3000);
    assert.deepEqual([held.told, second.told, own.told], [['granted', 'lost'], ['granted'], []]);
  },

  async 'D6: who has lost its log, and comes back in the other one after another wipe, has lost nothing there'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    member.context.freeze('all');
    world.wipe();
    const newcomer = stage.tab();
    await newcomer.hold('a');
    member.context.thaw();
    await stage.run(1000);
    const held = await member.hold('b');
    world.wipe();
    await stage.run(3000);
    assert.deepEqual(held.told, ['granted']);
  },

  async 'D11: who has missed the `begin` of another log has lost, and is served there'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    world.wipe();
    const newcomer = stage.tab();
    await newcomer.hold('c');
    member.hears = (message) => {
      if (!/"begin"/.test(message)) return [message];
      member.missesOne();
      return [];
    };
    member.context.thaw();
    await stage.run(100);
    const own = member.ask('b');
    await stage.until(() => own.told.length, 5000);
    assert.deepEqual(held.told, ['granted', 'lost']);
  },

  async 'D11: who is coming back, and misses messages, has not lost because a newcomer has begun a log in vain'(stage) {
    const { world } = stage;
    const [leader, member] = await stage.open(2);
    const held = await member.hold('a');
    await stage.run(100);
    const late = [leader, member].map((tab) => [world.hold(hears(tab)), world.hold(isLost(tab))]);
    world.wipe();
    const newcomer = stage.tab();
    const begins = world.hold(posts(newcomer, 'begin'));
    newcomer.ask('b');
    await stage.until(() => begins.kept.length, 500);
    const opens = world.hold(isAnswered(member));
    for (const [, news] of late) news.release();
    await stage.run(10);
    member.missesOne();
    await stage.run(100);
    opens.release();
    await stage.run(20);
    for (const [deaf] of late) deaf.release();
    await stage.run(20);
    begins.release();
    await stage.run(3000);
    assert.deepEqual([held.told, member.says.acting], [['granted'], true]);
  },

  async 'D6: who has come back, and is delivered the `begin` of another log from before only then, has lost'(stage) {
    const { world } = stage;
    const { member, held, deaf, news, second, late } = await clearedTwice(stage);
    const anew = world.hold(posts(member, 'anew'));
    news.release();
    await stage.until(() => anew.kept.length, 1000);
    deaf.release();
    await stage.run(50);
    anew.release();
    await stage.run(50);
    const own = member.ask('b');
    await stage.run(200);
    late.release();
    await stage.run(3000);
    assert.deepEqual([held.told, second.told, own.told], [['granted', 'lost'], ['granted'], []]);
  },

  async 'D6: not before it has read the register either'(stage) {
    const { world } = stage;
    const [member, asleep] = await stage.open(2);
    asleep.context.freeze('all');
    const deaf = world.hold(hears(member));
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    await newcomer.hold('a');
    const own = member.ask('a');
    await stage.run(50);
    const answers = world.hold(isAnswered(member));
    deaf.release();
    await stage.run(100);
    assert.deepEqual(own.told, []);
    answers.release();
    news.release();
    await stage.run(1000);
    assert.deepEqual(own.told, []);
  },

  async 'D10: who has missed messages that were swept away enters nothing on what it knew'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, holder, sleeper] = await again.open(3);
    sleeper.context.freeze('all');
    const held = await holder.hold('a');
    await again.run(100);
    world.orders.store.sweep(0);
    const own = sleeper.ask('a');
    leader.kill();
    await again.run(300);
    sleeper.context.thaw();
    await again.run(3000);
    assert.deepEqual([held.told, own.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => own.told.length, 1000);
  },

  async 'D10: who misses messages once more while it asks for the state, takes no answer from before'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, sleeper, holder] = await again.open(3);
    sleeper.context.freeze('all');
    holder.drop(await holder.hold('b'));
    await again.run(50);
    world.orders.store.sweep(0);
    const late = world.hold(posts(leader, 'state'));
    sleeper.context.thaw();
    await again.until(() => late.kept.length, 300);
    sleeper.context.freeze('all');
    const held = await holder.hold('a');
    await again.run(50);
    world.orders.store.sweep(0);
    late.release();
    await again.run(50);
    const own = sleeper.ask('a');
    sleeper.context.thaw();
    await again.run(3000);
    assert.deepEqual([held.told, own.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => own.told.length, 1000);
  },

  async 'D10: who has read more of what was given up does not go on, when data is cleared again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [sleeper, holder, other] = await again.open(3);
    holder.context.freeze('all');
    other.context.freeze('all');
    const given = await sleeper.hold('a');
    for (const name of ['b', 'c', 'd', 'e']) sleeper.drop(await sleeper.hold(name));
    sleeper.context.freeze('all');
    world.wipe();
    // It does not come back, so the others go on without it.
    holder.context.thaw();
    other.context.thaw();
    const held = await holder.hold('a');
    await again.run(100);
    world.wipe();
    sleeper.context.thaw();
    await again.run(5000);
    assert.equal(given.told.length, 2, 'it learns that its lock is lost');
    assert.deepEqual(held.told, ['granted']);
    assert.ok(areEqual([holder, other]));
  },

  async 'D11: a death that was learned of is not forgotten when data is cleared again'(stage) {
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

  async 'D11: a death that only one member has learned of, which waits for nothing, is told after data was cleared'(stage) {
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

  async 'D10: where nobody is current, whoever got farthest goes on, and one alone'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const tabs = await again.open(3);
    const [first, second, third] = tabs;
    // The third has read the grant, the others have not.
    first.context.freeze('all');
    second.context.freeze('all');
    const held = await third.hold('a');
    world.wipe();
    const waiting = [first.ask('a'), second.ask('a')];
    first.context.thaw();
    second.context.thaw();
    await again.run(4000);
    assert.deepEqual([held.told, ...waiting.map(({ told }) => told)], [['granted'], [], []]);
    assert.ok(third.count('resume'), 'it went on');
    assert.deepEqual([first.count('resume'), second.count('resume')], [0, 0]);
    assert.ok(areEqual(tabs));
    third.drop(held);
    await again.until(() => waiting.some(({ told }) => told.length), 1000);
    await again.run(200);
    assert.equal(waiting.filter(({ told }) => told.length).length, 1);
  },

  async 'D10: whoever goes on gives its state to everybody at once, however many there are'(stage) {
    const again = stage.with('store');
    const tabs = await again.open(12);
    again.world.wipe();
    const goesOn = () => tabs.find((tab) => tab.count('resume'));
    await again.until(goesOn, 3000);
    const hellos = tabs.map((tab) => tab.count('hello'));
    await again.until(() => tabs.every(({ says }) => says.acting), 10000);
    const more = tabs.map((tab, index) => tab.count('hello') - hellos[index]);
    assert.ok(Math.max(...more) <= 3, `so many hellos: ${more}`);
    assert.ok(areEqual(tabs));
  },

  async 'D10: who goes on grants higher fences than those that it has not heard of'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [sleeper, other] = await again.open(2);
    sleeper.context.freeze('all');
    const held = [await other.hold('a'), await other.hold('b'), await other.hold('c')];
    const highest = Math.max(...held.map(({ handle }) => handle.fence));
    await again.run(100);
    world.orders.store.sweep(0);
    other.kill();
    await again.run(300);
    sleeper.context.thaw();
    const own = await sleeper.hold('a');
    assert.ok(sleeper.count('resume'), 'nobody else is there');
    assert.ok(own.handle.fence > highest);
  },

  async 'D9: a channel that swaps two messages is found out, and the copy is mended'(stage) {
    const [first, second, third] = await stage.open(3);
    /** @type {any} */
    let late;
    // To the third, two requests for one lock come the wrong way round.
    third.hears = (message) => {
      if (!/"request"/.test(message) || late === 'done') return [message];
      if (!late) {
        late = message;
        return [];
      }
      const swapped = [message, late];
      late = 'done';
      return swapped;
    };
    const asked = [first.ask('a', {}), second.ask('a', {})];
    await stage.until(() => late === 'done', 500);
    await stage.run(50);
    const hellos = [first, second].map((tab) => tab.count('hello'));
    // The others find it out by what the third sends.
    third.ask('b');
    await stage.run(1000);
    assert.deepEqual([first, second].map((tab) => tab.count('hello')), hellos, 'the elder ones do not doubt');
    assert.ok(third.context.warnings.includes('two copies of the state differ; one is replaced'));
    assert.ok(areEqual([first, second, third]));
    assert.equal(asked.filter(({ told }) => told.length).length, 1);
    assert.ok(first.says.acting && second.says.acting && third.says.acting);
  },

  async 'D9: a joiner to which a message was not delivered is found out by what it posts first, and no member doubts'(stage) {
    const { world } = stage;
    const [first, second] = await stage.open(2);
    const states = first.count('state');
    const joiner = stage.tab();
    // Nothing is delivered to it late: its own request is the first message by which anybody can notice.
    joiner.context.promptUntil = Infinity;
    const opens = world.hold(isAnswered(joiner));
    const asked = joiner.ask('a');
    await stage.until(() => first.count('state') > states, 100);
    await stage.run(10);
    let isLost = false;
    joiner.hears = (message) => {
      if (isLost || !/"request"/.test(message)) return [message];
      isLost = true;
      return [];
    };
    const held = [await second.hold('a'), await second.hold('b')];
    const hellos = [first, second].map((tab) => tab.count('hello'));
    await stage.run(20);
    opens.release();
    await stage.run(1000);
    assert.deepEqual([first, second].map((tab) => tab.count('hello')), hellos);
    assert.deepEqual([...held, asked].map(({ told }) => told), [['granted'], ['granted'], ['granted', 'broken']]);
    assert.ok(areEqual([first, second, joiner]));
  },

  async 'D6, D11: a member whose own `anew` stands behind the `begin` of another log does not take its log for the right one'(stage) {
    const { member, held, deaf, news, newcomer, second, late } = await clearedTwice(stage);
    // The member is the first that comes back. It writes its own log.
    news.release();
    await stage.until(() => member.count('anew'), 1000);
    await stage.run(10);
    deaf.release();
    await stage.run(100);
    const asked = member.ask('b');
    await stage.run(200);
    assert.deepEqual([held.told, second.told, asked.told], [['granted', 'lost'], ['granted'], []]);
    late.release();
    newcomer.drop(second);
    await stage.until(() => asked.told.length, 3000);
  },

  async 'D16: a page gives up deleting all databases: a busy holder that closes the register only then is not taken for dead'(stage) {
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
    // Its new name opens later than the register.
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
};
