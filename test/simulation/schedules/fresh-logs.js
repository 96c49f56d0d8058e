/** A newcomer begins a log although another one lives, and members learn which log counts: D6, D11. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { Stage, answersNobody, hears, isAnswered, isLost, misses, posts, prompt, speaksBeforeBegin, writes } from '../stage.js';

/** Whether all copies are equal. @param {import('../stage.js').Tab[]} tabs */
const areEqual = (tabs) => new Set(tabs.map(({ core }) => core.hash())).size === 1;

/**
 * Data is cleared twice. In between a newcomer begins a log. The member hears of neither clearing, nor of that log. The newcomer does not
 * hear of the second clearing.
 * @param {Stage} stage
 * @param {number} [members] how many there are. The others are frozen from then on
 */
const clearedTwice = async (stage, members = 1) => {
  const { world } = stage;
  const [member, ...others] = await stage.open(members);
  const held = await member.hold('a');
  for (const { context } of others) context.freeze('all');
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
  async 'D11: a frozen member that nobody can watch wakes, and speaks while a newcomer\'s log is written: that log is void'(stage) {
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

  async 'D11: a newcomer\'s log that began beside a living one is void for everybody'(stage) {
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

  async 'D11: a joiner that asks for the state of a void log is served, though the newcomer that began that log is frozen'(stage) {
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

  async 'D6: a member that is delivered the `begin` of another log that counts enters nothing more, and is told so'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    world.wipe();
    const newcomer = stage.tab();
    const second = await newcomer.hold('a');
    // It was frozen while another log began. That is the exception, so it is told that its lock is lost.
    const own = member.ask('b');
    member.context.thaw();
    await stage.until(() => held.told.length > 1, 1000);
    await stage.until(() => own.told.length, 1000);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
    await stage.run(100);
    assert.ok(areEqual([member, newcomer]));
  },

  async 'D6: a member that received another log\'s `begin`, and then comes back to an empty register, loses its lock'(stage) {
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

  async 'D6: a member that received another log\'s `begin`, and only then hears that data was cleared, loses its lock'(stage) {
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

  async 'D6: a member in doubt that comes back before it is delivered another log\'s `begin`, and its own hello, loses its lock'(stage) {
    const { member, held, deaf, news, second, late } = await clearedTwice(stage, 2);
    member.missesOne();
    news.release();
    await stage.run(100);
    deaf.release();
    await stage.run(20);
    late.release();
    await stage.run(5000);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
  },

  async 'D6: a member in doubt that has said so since it came back loses its lock if a generation comes again after another log'(stage) {
    // Either it writes the register again itself, or another member does that has not heard of the first clearing.
    for (const isOther of [false, true]) {
      const each = new Stage(stage.seed, stage.createLog);
      const { world } = each;
      const [member, other, frozen] = await each.open(3);
      const held = await member.hold('a');
      frozen.context.freeze('all');
      prompt(member, other);
      // The generation is ahead of the clock, which was set back.
      world.wallClockBase -= 1e5;
      await each.run(1000);
      for (const { missesOne } of [member, other]) missesOne();
      await each.run(5);
      const late = world.hold(isLost(other));
      world.wipe();
      await each.until(() => member.id in world.record.members, 500);
      await each.run(200);
      // They compute.
      const deaf = world.hold((kept) => hears(member)(kept) || hears(other)(kept));
      const news = world.hold(isLost(member));
      for (const { context } of [member, other]) context.stall(200);
      world.wipe();
      const newcomer = each.tab();
      prompt(newcomer);
      const second = await newcomer.hold('a');
      newcomer.context.stall(500);
      world.wipe();
      if (isOther) {
        late.release();
        await each.until(() => other.id in world.record.members, 500);
      } else other.kill();
      deaf.release();
      await each.run(200);
      news.release();
      await each.run(5000);
      assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
    }
  },

  async 'D6: a member that comes back does not judge by what it read before it heard the `begin` of another log'(stage) {
    // The answer reaches this member though its connections are closed again, or not.
    for (let round = 0; round < 20; round++) {
      const each = new Stage(stage.seed + round, stage.createLog);
      const { world } = each;
      const [member] = await each.open(1);
      const held = await member.hold('a');
      prompt(member);
      const { alive } = world.record.members[member.id];
      world.closeStorage();
      const isBack = () => member.id in world.record.members && world.record.members[member.id].alive !== alive;
      const returned = world.hold((kept) => isAnswered(member)(kept) && isBack());
      await each.until(() => returned.kept.length, 500);
      const deaf = world.hold(hears(member));
      const news = world.hold(isLost(member));
      world.wipe();
      const newcomer = each.tab();
      prompt(newcomer);
      const second = await newcomer.hold('a');
      deaf.release();
      await each.run(20);
      returned.release();
      await each.run(20);
      const own = member.ask('b');
      await each.run(100);
      assert.deepEqual(own.told, []);
      news.release();
      await each.run(3000);
      assert.deepEqual([held.told, second.told, own.told], [['granted', 'lost'], ['granted'], ['granted']]);
    }
  },

  async 'D6: a member that has lost its log to another one, and comes back there after another wipe, loses nothing'(stage) {
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

  async 'D11: a member that has missed the `begin` of another log loses its lock, and is served in that log'(stage) {
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

  async 'D11: a member that misses messages while it comes back keeps its lock beside a newcomer\'s void log'(stage) {
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

  async 'D6: a member that has come back, and only then receives an earlier `begin` of another log, loses its lock'(stage) {
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

  async 'D6: a member that receives the `begin` of another log enters nothing before it has read the register'(stage) {
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
    // The member comes back first. It writes its own log.
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

  async 'D6: a member whose log was replaced loses its lock, though it had written that log into a cleared register'(stage) {
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
    // Not by release(), since [late] would keep it back.
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

  async 'D6: a newcomer does not replace a log while a member that it has heard cannot come back to the register'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    // The member says that it is there, but gives its state to nobody.
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

  async 'D11: a member that has missed a newcomer\'s later hellos does not take its log for void because of what came before'(stage) {
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
    // The member has answered the first hello. It misses the others, and its own hellos are lost, so nobody seems to be there.
    member.speaks = (message) => fromMessage(message)?.kind === 'hello' ? [] : [message];
    const second = newcomer.ask('a');
    await stage.until(() => second.told.length, 5000);
    await stage.run(20);
    news.release();
    await stage.run(3000);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
  },

  async 'D11: a newcomer that has lost its life listens anew, though messages of that life are delivered to it then'(stage) {
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
    // The log of the other tab, which is void, stays in the register for some time.
    const withdrawal = world.hold(writes('withdraw'));
    other.hears = misses(other, (message) => message.includes(one.id));
    const { id } = other;
    first.kept.splice(0).forEach((each) => each.run());
    first.release();
    await stage.until(() => other.id !== id, 100);
    other.hears = (message) => [message];
    await stage.run(2);
    // What the other tab posted in that life arrives. What it posts now takes longer.
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
