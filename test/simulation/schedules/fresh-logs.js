/** A newcomer begins a log although another one lives; who is told which one counts: D6, D11. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { answersNobody, hears, isAnswered, isLost, misses, posts, prompt, speaksBeforeBegin, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */

/** Whether all copies are equal. @param {import('../stage.js').Tab[]} tabs */
const areEqual = (tabs) => new Set(tabs.map(({ core }) => core.hash())).size === 1;

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
export const freshLogs = {
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

  async 'D11: a newcomer\'s log that began beside a living one is void, for everybody alike'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    const { waiting, begin } = await speaksBeforeBegin(stage, member);
    begin.release();
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

  async 'D6: whose log was replaced has lost, though it had written it into a cleared register before the `begin` was delivered'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    const deaf = world.hold(hears(member));
    const news = world.hold(isLost(member));
    world.closeStorage();
    const newcomer = stage.tab();
    prompt(member, newcomer);
    const begins = world.hold(posts(newcomer, 'begin'));
    const second = newcomer.ask('a');
    await stage.until(() => begins.kept.length, 5000);
    const late = world.hold(isLost(newcomer));
    world.wipe();
    news.release();
    deaf.release();
    await stage.until(() => member.count('anew'), 1000);
    await stage.run(50);
    // Not by release(): [late] would keep it back.
    for (const { run } of begins.kept.splice(0)) run();
    begins.release();
    await stage.run(500);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
    const waiting = member.ask('a');
    late.release();
    await stage.run(3000);
    assert.deepEqual([second.told, waiting.told], [['granted'], []]);
    newcomer.drop(second);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D6: a log does not replace one of which a member has spoken that cannot come back to the register yet'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    // It says that it is there, but gives its state to nobody.
    member.speaks = answersNobody;
    member.context.brokenUntil = world.time + 4000;
    world.closeStorage();
    const newcomer = stage.tab();
    prompt(member, newcomer);
    const waiting = newcomer.ask('a');
    await stage.run(4000);
    member.speaks = (message) => [message];
    await stage.run(4000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    member.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D11: who has missed a newcomer\'s later hellos does not take its log for void because of what came before them'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(100);
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    prompt(member, newcomer);
    let hellos = 0;
    member.hears = misses(member, (message) => {
      const { kind, from, values } = /** @type {import('../../../glue/log/messages.js').Message} */ (fromMessage(message));
      return kind === 'hello' && from === newcomer.id && values[1] === 0 && hellos++ > 0;
    });
    // The member has answered the first one. It does not answer the others, and is not heard, so nobody seems to be there.
    member.speaks = (message) => fromMessage(message)?.kind === 'hello' ? [] : [message];
    const second = newcomer.ask('a');
    await stage.until(() => second.told.length, 5000);
    await stage.run(20);
    news.release();
    await stage.run(3000);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
  },

  async 'D11: who has lost its life, and is delivered then what it had posted in it, listens all the same'(stage) {
    const { world } = stage;
    const [one, other] = [stage.tab(), stage.tab()];
    prompt(one, other);
    const first = world.hold(posts(one, 'begin'));
    const held = one.ask('a');
    await stage.until(() => first.kept.length, 3000);
    const news = world.hold(isLost(one));
    world.wipe();
    const second = world.hold(posts(other, 'begin'));
    const waiting = other.ask('a');
    await stage.until(() => second.kept.length, 3000);
    // Its own log, which is void, stays in the register for some time.
    const withdrawal = world.hold(writes('withdraw'));
    other.hears = misses(other, (message) => message.includes(one.id));
    const { id } = other;
    first.kept.splice(0).forEach((each) => each.run());
    first.release();
    await stage.until(() => other.id !== id, 100);
    other.hears = (message) => [message];
    await stage.run(2);
    // What it had posted in that life arrives; what it posts now takes longer.
    second.kept.splice(0, 2).forEach((each) => each.run());
    await stage.run(30);
    second.release();
    await stage.run(100);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    withdrawal.release();
    news.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },
};
