/** Newcomers listen before they begin a log, and members answer: D6, D11. */
import assert from 'node:assert/strict';
import { fromMessage, toMessage } from '../../../glue/log/messages.js';
import { PROTOCOL } from '../../../glue/log/register.js';
import { answersNobody, hears, isAnswered, isLost, kinds, misses, posts, prompt, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * A member is delivered the `begin` of another log, which counts. Then it is frozen in a way in which messages are still delivered to it.
 * The members of that log end, and a newcomer asks for a lock that nobody holds.
 * @param {Stage} stage
 * @param {(tab: Tab) => void} end
 * @param {boolean} [isInDoubt] the member misses a message as well
 */
const isOvertaken = async (stage, end, isInDoubt) => {
  const { world } = stage;
  const [old] = await stage.open(1);
  await old.hold('a');
  await stage.run(100);
  old.context.freeze('all');
  world.wipe();
  const one = stage.tab();
  await one.hold('b');
  await stage.run(3000);
  old.context.thaw();
  old.context.freeze('chromium');
  await stage.run(100);
  const two = stage.tab();
  two.ask('b');
  await stage.run(1000);
  if (isInDoubt) old.missesOne();
  [one, two].forEach(end);
  await stage.run(1000);
  old.context.promptUntil = Infinity;
  const newcomer = stage.tab();
  newcomer.context.promptUntil = Infinity;
  const asked = newcomer.ask('b');
  await stage.until(() => asked.told.length, 5000);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const listening = {
  async 'D11: a newcomer that hears late, or misses, that a member lives begins no log'(stage) {
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
      const deaf = world.hold(hears(newcomer, 'here'));
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
      assert.deepEqual([held.told, waiting.told, newcomer.count('begin')], [['granted'], [], 0]);
    }
  },

  async 'D11: a newcomer whose hellos are delivered together hears a member that is awake'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    const news = world.hold(isLost(member));
    world.wipe();
    const newcomer = stage.tab();
    prompt(member, newcomer);
    const late = world.hold(posts(newcomer));
    const answers = world.hold(posts(member));
    const waiting = newcomer.ask('a');
    await stage.run(20);
    late.release();
    await stage.run(5);
    answers.release();
    await stage.run(10);
    news.release();
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D11: a newcomer that hears a member while it listens begins no log, though the register is empty'(stage) {
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

  async 'D11: a newcomer that hears a member in doubt, of its version or another one, begins no log, though its hello was missed'(stage) {
    for (const isOther of [false, true]) {
      const again = stage.with('broadcast');
      const { world } = again;
      const member = isOther ? again.stranger() : again.tab();
      const held = await member.hold('a');
      await again.run(100);
      // The member misses the hellos of attempt 0. So it is in doubt, and says no more than that.
      let isDeaf = true;
      member.hears = misses(member, (message) => isDeaf && JSON.parse(message)[1] === 'hello' && JSON.parse(message)[4] === 0);
      const returns = world.hold(isAnswered(member));
      world.wipe();
      const newcomer = again.tab();
      const begins = world.hold(writes('begin'));
      const waiting = newcomer.ask('a');
      await again.run(300);
      assert.equal(begins.kept.length, 0);
      isDeaf = false;
      returns.release();
      begins.release();
      await again.run(3000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      if (isOther) member.kill();
      else member.drop(held);
      await again.until(() => waiting.told.length, 1000);
    }
  },

  async 'D11: a newcomer\'s log is void if a member in doubt speaks while it is written'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(100);
    const messages = world.hold(hears(member));
    const returns = world.hold(isAnswered(member));
    world.wipe();
    const newcomer = stage.tab();
    const begins = world.hold(writes('begin'));
    const waiting = newcomer.ask('a');
    await stage.until(() => begins.kept.length, 100);
    member.missesOne();
    await stage.run(20);
    begins.release();
    await stage.run(300);
    messages.release();
    returns.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    member.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D6: a newcomer that a member has answered begins no log, though the member is busy for a moment later'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      const { world } = again;
      const [member] = await again.open(1);
      const held = await member.hold('a');
      await again.run(100);
      member.context.promptUntil = Infinity;
      // Its storage fails once when it is opened again, so it tries again after half a second.
      member.context.brokenUntil = world.time + 100;
      world.wipe();
      const newcomer = again.tab();
      newcomer.context.promptUntil = Infinity;
      const waiting = newcomer.ask('a');
      await again.run(200);
      member.context.stall(kind === 'broadcast' ? 60 : 300);
      await again.run(3000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      member.drop(held);
      await again.until(() => waiting.told.length, 1000);
    }
  },

  async 'D6: a newcomer that a member has answered begins no log, though data is cleared, and the member is busy then'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    member.context.promptUntil = Infinity;
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const waiting = newcomer.ask('a');
    await stage.until(() => member.count('here'), 300);
    await stage.run(10);
    world.wipe();
    member.context.stall(100);
    await stage.run(4000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D6: a joiner whose data is cleared before the register shows that it has the state begins no log while a member is busy'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    const newcomer = stage.latecomer();
    prompt(member, newcomer);
    const written = world.hold(writes('stateful'));
    const waiting = newcomer.ask('a');
    await stage.until(() => newcomer.lists(newcomer.id), 1000);
    world.wipe();
    member.context.stall(100);
    written.release();
    await stage.run(4000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D6: a member that was taken for dead begins no log when data is cleared, while a silent member is busy'(stage) {
    const { world } = stage;
    const [silent] = await stage.open(1);
    const held = await silent.hold('a');
    const member = stage.tab();
    member.drop(await member.hold('b'));
    await stage.run(1500);
    prompt(silent, member);
    const gone = toMessage('gone', member.id, [world.record.log, member.id, 0]);
    world.wipe();
    silent.context.stall(300);
    const waiting = member.ask('a');
    member.hears = () => [gone];
    const { id } = member;
    await stage.until(() => member.id !== id, 300);
    member.hears = (message) => [message];
    await stage.run(4000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D6: a newcomer whose log was void begins no other one while a member that it has heard is busy'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(100);
    const news = world.hold(isLost(member));
    world.wipe();
    member.context.freeze('all');
    const newcomer = stage.tab();
    member.context.promptUntil = newcomer.context.promptUntil = Infinity;
    const begins = world.hold(writes('begin'));
    const waiting = newcomer.ask('a');
    await stage.until(() => begins.kept.length, 1000);
    // The member answers between the last hello and the `begin`.
    member.context.thaw();
    await stage.run(10);
    member.context.freeze('all', 300);
    begins.release();
    await stage.run(300);
    member.context.thaw();
    news.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D6: a newcomer that was given the state begins no log, though data is cleared before its join is delivered'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    member.context.promptUntil = Infinity;
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const late = world.hold(hears(newcomer, 'operations'));
    const waiting = newcomer.ask('a');
    await stage.until(() => newcomer.says.acting === true, 1000);
    world.wipe();
    member.context.stall(100);
    await stage.until(() => newcomer.count('hello') > 2, 1000);
    late.release();
    await stage.run(4000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D6: a newcomer does not wait for a page that it has heard and that leaves: it is granted its first lock at once'(stage) {
    for (const state of /** @type {const} */ (['away', 'hidden'])) {
      for (const later of [0, 3]) {
        const again = stage.with('broadcast');
        const [page] = await again.open(1);
        await again.run(3000);
        const next = again.tab();
        page.context.promptUntil = next.context.promptUntil = Infinity;
        const asked = next.ask('a');
        await again.run(later);
        page.context.tell(state);
        if (state === 'away') page.context.freeze('all');
        await again.until(() => asked.told.length, 500);
      }
    }
  },

  'D6: a frozen member that was overtaken by another log keeps nobody waiting once that log\'s members are dead': (stage) =>
    isOvertaken(stage, (tab) => tab.kill()),

  'D6: a frozen member that was overtaken by another log keeps nobody waiting once that log\'s members have left': (stage) =>
    isOvertaken(stage, (tab) => tab.log.leave()),

  'D6: a frozen member in doubt that was overtaken by another log keeps nobody waiting': (stage) =>
    isOvertaken(stage, (tab) => tab.kill(), true),

  async 'D6: nobody waits for a member that was heard once, and has died since'(stage) {
    for (const dies of ['later', 'before a log begins in the place of its own']) {
      const again = stage.with('broadcast');
      const { world } = again;
      const [first] = await again.open(1);
      await again.run(3000);
      const other = again.tab();
      prompt(first, other);
      const asked = other.ask('door');
      if (dies !== 'later') {
        await again.until(() => first.count('here'), 300);
        await again.run(4);
        first.kill();
      }
      await again.until(() => asked.told.length, 3000);
      other.drop(asked);
      await again.run(3000);
      first.kill();
      await again.run(5000);
      // Much later the other one loses its life, and nobody is left.
      const third = again.tab();
      prompt(third);
      third.drop(await third.hold('door'));
      await again.run(5000);
      const { id } = other;
      other.context.stall(2500);
      world.closeStorage();
      await again.until(() => third.buried().includes(id), 2450);
      // The next life of the other one hears the third.
      third.ask('c');
      await again.run(20);
      await third.end();
      await again.until(() => other.id !== id, 4000);
      const next = other.ask('b');
      // One second is right, since all connections were closed.
      await again.until(() => next.told.length, 1300);
    }
  },

  async 'D6: a newcomer that has heard a member begins no log, though all members in an incomplete register are dead'(stage) {
    const { world } = stage;
    const [first, holder] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    prompt(first, holder);
    world.hold(writes('complete'));
    const returns = world.hold(isAnswered(holder));
    world.wipe();
    await stage.until(() => world.record.incomplete, 1000);
    first.speaks = holder.speaks = answersNobody;
    const newcomer = stage.tab();
    prompt(newcomer);
    // If it wrote a log, it would be stopped before it could post `begin`.
    const hasWritten = () => world.storage.entries.some(({ value }) => value.type === 'begin');
    world.hold(({ context, sort }) => sort === 'storage' && context === newcomer.context && hasWritten());
    const waiting = newcomer.ask('a');
    // It has seen that the first one lives, so the death of that one is beyond doubt.
    await stage.run(400);
    first.kill();
    await stage.run(300);
    holder.speaks = (message) => [message];
    returns.release();
    await stage.run(5000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D6: a newcomer begins a log where another one was withdrawn before it had begun'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const first = again.tab();
      const begins = world.hold(posts(first, 'begin'));
      first.ask('a');
      await again.until(() => begins.kept.length, 1000);
      // The first one leaves, and its log is withdrawn.
      const change = Object.assign({ protocol: PROTOCOL, type: 'withdraw' }, { log: world.record.log });
      world.storage.entries.push({ key: ++world.storage.lastKey, value: change });
      first.kill();
      const second = again.tab();
      // The second one is so quick that it reads that before it has listened.
      prompt(second);
      const asked = second.ask('a');
      await again.until(() => asked.told.length, 2000);
    }
  },

  async 'D6: all connections are closed: a newcomer writes no log while a member that it has heard may be coming back'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    await stage.run(3000);
    member.speaks = answersNobody;
    const returns = world.hold(isAnswered(member));
    world.closeStorage();
    const newcomer = stage.tab();
    prompt(member, newcomer);
    // If it wrote a log, it would be stopped before it could post `begin`.
    const { entries } = world.storage;
    const hasWritten = () => entries.some(({ value }) => value.type === 'begin' && Object.values(value).includes(newcomer.id));
    world.hold(({ context, sort }) => sort === 'storage' && context === newcomer.context && hasWritten());
    const waiting = newcomer.ask('a');
    await stage.run(500);
    member.speaks = (message) => [message];
    returns.release();
    await stage.run(5000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    member.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'a hello that is lost without notice is posted again'(stage) {
    const tab = stage.tab();
    let lost = 0;
    tab.speaks = (message) => {
      const parts = fromMessage(message);
      return parts && parts.kind === 'hello' && parts.values[1] === 0 && !lost++ ? [] : [message];
    };
    const asked = tab.ask('a');
    await stage.until(() => asked.told.length, 3000);
    assert.ok(lost);
  },

  async 'beside a frozen member that cannot come back to the register, a newcomer asks about twice a second, not more'(stage) {
    const [tab] = await stage.open(1);
    await tab.hold('a');
    await stage.run(3000);
    tab.context.freeze('chromium');
    stage.world.wipe();
    await stage.run(100);
    const newcomer = stage.tab();
    const asked = newcomer.ask('b');
    await stage.run(5000);
    const [hellos, answers] = [newcomer.count('hello'), tab.count('here')];
    await stage.run(60000);
    assert.ok(newcomer.count('hello') - hellos < 150 && tab.count('here') - answers < 150);
    assert.deepEqual(asked.told, []);
    tab.context.thaw();
    await stage.until(() => asked.told.length, 5000);
  },
};
