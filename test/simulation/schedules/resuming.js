/** No member is current, and one continues the log (D10). Most of these schedules have another fault at the same time. */
import assert from 'node:assert/strict';
import { fromMessage, toMessage } from '../../../glue/log/messages.js';
import { answersNobody, answersOnly, hears, isAnswered, kinds, misses, missesOperationsOf, posts, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * [one] takes a lock several times, and [two] misses that. Then [one] is frozen. Neither answers hellos.
 * @param {Stage} stage @param {Tab} one @param {Tab} two
 * @returns {Promise<number>} the last fence
 */
const takesUnheard = async (stage, one, two) => {
  for (const tab of [one, two]) tab.speaks = answersNobody;
  two.hears = missesOperationsOf(two, one);
  for (let each = 0; each < 5; each++) one.drop(await one.hold('x'));
  await stage.run(10);
  const last = await one.hold('x');
  const [{ fence }] = one.core.state().held;
  one.drop(last);
  two.hears = (message) => [message];
  one.context.freeze('all');
  return fence;
};

/**
 * [two] has continued the log without [one], and holds `b`. [one] wakes, hears of that, but misses the lock. Then nobody is current. [one]
 * does not get the lock.
 * @param {Stage} stage @param {Tab} one @param {Tab} two @param {Tab[]} others
 */
const isNotFarthest = async (stage, one, two, ...others) => {
  const held = await two.hold('b');
  one.hears = missesOperationsOf(one, two);
  one.context.thaw();
  await stage.run(5);
  one.hears = (message) => [message];
  for (const tab of [one, two, ...others]) tab.missesOne();
  const waiting = one.ask('b');
  for (const tab of [one, two]) tab.speaks = (message) => [message];
  await stage.run(5000);
  assert.deepEqual([held.told, waiting.told], [['granted'], []]);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const resuming = {
  async 'D10: a joiner takes no state from before a member continued, though it has read the register since'(stage) {
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
    // By then the joiner has asked so often that it looks at the register.
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

  async 'D10: a member that was current while another one continued without it is in doubt when it hears of that'(stage) {
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

  async 'D10: a member that was alone continues at once after a wipe of the store'(stage) {
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

  async 'D10: what another member said before this one missed messages again does not count'(stage) {
    const [leader, elder, other] = await stage.open(3);
    leader.speaks = answersNobody;
    elder.missesOne();
    other.missesOne();
    await stage.until(() => other.count('hello') > 4, 1000);
    leader.speaks = answersOnly(other.id);
    elder.hears = (message) => {
      if (!Array.isArray(message)) return [message];
      elder.missesOne();
      return [];
    };
    await stage.until(() => other.says.acting, 1000);
    other.speaks = () => [];
    leader.kill();
    other.context.freeze('all');
    await stage.run(3000);
    // A `resume` that was on its way before that is void.
    assert.ok(!elder.says.acting);
  },

  async 'D10: after data was cleared, the member that continues dies before it has answered: another one continues'(stage) {
    const [elder, other, third] = await stage.open(3);
    stage.world.wipe();
    for (const tab of [elder, other, third]) tab.missesOne();
    elder.speaks = answersNobody;
    await stage.until(() => elder.count('resume') && elder.says.acting, 5000);
    elder.kill();
    const asked = other.ask('a');
    await stage.until(() => asked.told.length, 5000);
    await stage.until(() => third.says.acting, 5000);
  },

  async 'D10: the `resume` of a member is delivered behind that of a dead member: it continues in the end'(stage) {
    const { world } = stage;
    const [elder, other] = await stage.open(2);
    elder.missesOne();
    other.missesOne();
    // Deliveries to [other] lag, while its timers fire and storage answers.
    const deaf = world.hold(hears(other, 'resume'));
    await stage.until(() => deaf.kept.length, 3000);
    elder.kill();
    await stage.until(() => other.count('resume'), 3000);
    await stage.run(10);
    deaf.release();
    const asked = other.ask('a');
    await stage.until(() => asked.told.length, 5000);
  },

  async 'D10: a joiner takes no state that was given up, in an answer to a hello from before the `resume`'(stage) {
    const { world } = stage;
    const [sleeper, one] = await stage.open(2);
    const held = await one.hold('c');
    await stage.run(100);
    const deaf = world.hold(hears(one));
    const thief = sleeper.ask('c', { steal: true });
    await stage.until(() => thief.told.length, 1000);
    sleeper.drop(thief);
    await stage.until(() => !sleeper.core.state().held.length, 1000);
    sleeper.context.freeze('all');
    one.hears = missesOperationsOf(one, sleeper);
    deaf.release();
    await stage.until(() => !one.says.acting, 100);
    one.hears = (message) => [message];
    world.wipe();
    const resume = world.hold(posts(one, 'resume'));
    await stage.until(() => resume.kept.length, 5000);
    const joiner = stage.tab();
    const asked = joiner.ask('c');
    await stage.until(() => joiner.count('hello') > 5, 500);
    const busy = world.hold(hears(one, 'resume'));
    resume.release();
    await stage.until(() => busy.kept.length, 1000);
    await stage.run(5);
    sleeper.context.thaw();
    await stage.run(300);
    busy.release();
    await stage.run(3000);
    assert.deepEqual([held.told, asked.told], [['granted'], []]);
    assert.equal(one.core.hash(), joiner.core.hash());
  },

  async 'D10: a member that has got farther than the sender of a void `resume` continues'(stage) {
    const { world } = stage;
    const [leader, one, other] = await stage.open(3);
    leader.speaks = answersNobody;
    one.missesOne();
    other.missesOne();
    await stage.until(() => one.count('hello') > 4 && other.count('hello') > 4, 3000);
    leader.drop(await leader.hold('x'));
    await stage.run(30);
    // Only [other] is given the state. Deliveries to [one] lag, so it does not know of that when the leader dies.
    const deaf = world.hold(hears(one, 'state'));
    leader.speaks = answersOnly(other.id);
    await stage.until(() => other.says.acting, 3000);
    other.speaks = answersNobody;
    leader.kill();
    await stage.until(() => one.count('resume'), 1000);
    other.missesOne();
    await stage.run(20);
    other.speaks = (message) => [message];
    deaf.release();
    const asked = [one.ask('a'), other.ask('b')];
    await stage.until(() => asked.every(({ told }) => told.length), 3000);
  },

  async 'D10: a member that misses messages before its own `resume` is delivered keeps its lock'(stage) {
    for (const dies of [false, true]) {
      const again = stage.with('store');
      const { world } = again;
      const [elder, other] = await again.open(2);
      const held = await elder.hold('a');
      world.wipe();
      const resume = world.hold(posts(elder, 'resume'));
      await again.until(() => resume.kept.length, 5000);
      if (dies) {
        other.kill();
        // After the store was cleared, the record stays, and is marked as dead.
        await again.until(() => Object.values(world.record.members).some(({ dead }) => dead), 2000);
      }
      elder.missesOne();
      resume.release();
      await elder.hold('b');
      const waiting = again.tab().ask('a');
      await again.run(3000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    }
  },

  async 'D10: nobody waits for the timers of a page that has long been hidden'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      for (const hidden of [0, 1]) {
        const again = stage.with(kind);
        const tabs = await again.open(2);
        tabs[hidden].context.throttled = 60000;
        await again.run(65000);
        if (kind === 'store') again.world.wipe();
        else for (const tab of tabs) tab.missesOne();
        await again.run(5);
        const asked = tabs[1 - hidden].ask('a');
        await again.until(() => asked.told.length, 3000);
      }
    }
  },

  async 'D10: a member that continues ignores a read from before that, and the lock of a dead member is released'(stage) {
    const { world } = stage;
    const [one, holder] = await stage.open(2);
    await holder.hold('a');
    await stage.run(100);
    holder.kill();
    const removes = world.hold(writes('remove'));
    await stage.until(() => removes.kept.length, 1000);
    const isOfOne = isAnswered(one);
    let answers = 0;
    const late = world.hold((happening) => isOfOne(happening) && ++answers === 1);
    one.missesOne();
    removes.release();
    await stage.until(() => one.count('resume'), 5000);
    const { generation } = world.record;
    const reads = world.hold(writes());
    await stage.until(() => one.says.acting, 5000);
    late.release();
    await stage.run(30);
    reads.release();
    const own = one.ask('a');
    await stage.until(() => own.told.length, 3000);
    assert.equal(world.record.generation, generation, 'it is not raised again');
  },

  async 'D10: a page that has long been hidden, and has missed messages, still passes on a lock that it has released'(stage) {
    const [leader, hidden, other] = await stage.open(3);
    hidden.context.throttled = 60000;
    await stage.run(61000);
    const held = await hidden.hold('a');
    await stage.run(100);
    // It would be the leader's turn to answer.
    leader.context.freeze('all');
    hidden.missesOne();
    await stage.run(50);
    hidden.drop(held);
    const asked = other.ask('a');
    await stage.until(() => asked.told.length, 3000);
  },

  async 'D10: a member in doubt takes no state that was given up, in an answer to a hello from before the `resume`'(stage) {
    for (const kind of /** @type {const} */ (['broadcast', 'store'])) {
      const again = stage.with(kind);
      const { world } = again;
      const [sleeper, one, other] = await again.open(3);
      const held = await one.hold('c');
      const waiting = other.ask('c');
      await again.run(100);
      // [one] and [other] miss that the lock is stolen and released, so that [other] is granted it.
      for (const tab of [one, other]) tab.hears = () => [];
      const thief = sleeper.ask('c', { steal: true });
      await again.until(() => thief.told.length, 1000);
      sleeper.drop(thief);
      await again.until(() => sleeper.core.state().held.some(({ client }) => client === other.id), 1000);
      await again.run(20);
      sleeper.context.freeze('all');
      for (const tab of [one, other]) {
        tab.hears = (message) => [message];
        tab.missesOne();
      }
      await again.run(20);
      // Now nobody waits for the sleeper.
      world.closeStorage();
      // [one], which continues, is busy when its `resume` arrives.
      /** @type {any[]} */
      const late = [];
      one.hears = (message) => {
        if (late.length || /"resume"/.test(message)) late.push(message);
        return late.length ? [] : [message];
      };
      await again.until(() => late.length, 5000);
      await again.run(10);
      sleeper.context.thaw();
      await again.run(300);
      one.hears = (message) => {
        one.hears = (next) => [next];
        return [...late, message];
      };
      await again.run(50);
      assert.ok(!waiting.told.length || held.told.includes('broken'), 'two hold the lock');
      await again.run(60000);
      assert.equal(one.core.hash(), other.core.hash());
    }
  },

  async 'D10: the member that continues gives its state to everybody at once, though it is the youngest of many'(stage) {
    const tabs = await stage.open(12);
    const youngest = tabs[11];
    for (const tab of tabs) if (tab !== youngest) tab.missesOne();
    await youngest.hold('a');
    youngest.missesOne();
    await stage.until(() => youngest.says.acting, 3000);
    await stage.until(() => tabs.every(({ says }) => says.acting), 1000);
  },

  async 'D10: a member continues, though hellos are delivered to another one only after the next ones were posted'(stage) {
    const [one, other] = await stage.open(2);
    /** @type {any[]} */
    const late = [];
    other.hears = (message) => {
      late.push(message);
      return late.splice(0, late.length - 6);
    };
    one.missesOne();
    other.missesOne();
    await stage.until(() => one.says.acting, 5000);
  },

  async 'D10: nobody waits for a joiner that was given the state in an earlier doubt, and is not stateful'(stage) {
    const { world } = stage;
    const [leader, one] = await stage.open(2);
    const stateful = world.hold(writes('stateful'));
    const joiner = stage.latecomer();
    world.hold(posts(joiner, 'operations'));
    leader.speaks = one.speaks = answersNobody;
    joiner.ask('a');
    await stage.run(300);
    one.missesOne();
    leader.speaks = answersOnly(joiner.id);
    await stage.until(() => stateful.kept.length, 3000);
    joiner.context.freeze('all');
    leader.speaks = (message) => [message];
    await stage.until(() => one.says.acting, 3000);
    leader.kill();
    one.missesOne();
    await one.hold('a');
  },

  async 'D10: nobody waits for a dead member that a joiner has watched since before it had a state'(stage) {
    const { world } = stage;
    const [leader] = await stage.open(1);
    const stateful = world.hold(writes('stateful'));
    const joiner = stage.latecomer();
    const asked = joiner.ask('a');
    await stage.until(() => stateful.kept.length, 1000);
    leader.kill();
    joiner.missesOne();
    stateful.release();
    await stage.until(() => asked.told.length, 5000);
  },

  async 'D10: a member in doubt keeps its lock, however much is delivered meanwhile'(stage) {
    const [leader, one] = await stage.open(2);
    const held = await one.hold('a');
    leader.speaks = answersNobody;
    one.missesOne();
    for (let count = 0; count < 200; count++) leader.drop(await leader.hold('b'));
    leader.speaks = (message) => [message];
    await stage.until(() => one.says.acting, 2000);
    await one.hold('b');
    assert.deepEqual(held.told, ['granted']);
  },

  async 'D10, R7: a lock that was stolen in entries that were given up is held where the log continues: its former holder drops it'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, holder, thief] = await again.open(3);
    const held = await holder.hold('x');
    await again.run(100);
    leader.context.freeze('all');
    const stolen = thief.ask('x', { steal: true });
    await again.until(() => held.told.length === 2 && stolen.told.length, 1000);
    thief.drop(stolen);
    await again.run(50);
    // Only the leader has not read of the steal. Nobody else can say what was there.
    holder.context.freeze('all');
    thief.context.freeze('all');
    world.wipe();
    leader.context.thaw();
    const waiting = leader.ask('x');
    await again.run(4000);
    holder.context.thaw();
    thief.context.thaw();
    await again.run(10000);
    assert.deepEqual([held.told, waiting.told], [['granted', 'broken'], ['granted']]);
  },

  async 'D10: the member that continues grants higher fences than a dead member did, though nothing was cleared'(stage) {
    const [one, other] = await stage.open(2);
    await stage.run(3000);
    one.hears = (message) => {
      if (fromMessage(message)?.kind !== 'operations') return [message];
      one.missesOne();
      return [];
    };
    other.speaks = answersNobody;
    let fence = 0;
    for (let turn = 0; turn < 5; turn++) {
      const held = await other.hold('a');
      fence = held.handle.fence;
      other.drop(held);
    }
    await stage.run(100);
    other.kill();
    one.hears = (message) => [message];
    await stage.until(() => one.count('resume') && one.says.acting, 10000);
    assert.ok((await one.hold('a')).handle.fence > fence);
  },

  async 'D10: a hello that crosses the `resume` is answered without a timer, also if its sender has missed the `resume`'(first) {
    for (const isMissed of [false, true]) {
      const stage = first.with('broadcast');
      const { world } = stage;
      const tabs = await stage.open(3);
      const [one, two, three] = tabs;
      await stage.run(3000);
      three.speaks = answersNobody;
      for (const tab of [one, two]) tab.hears = missesOperationsOf(tab, three);
      three.drop(await three.hold('x'));
      await stage.run(100);
      for (const tab of [one, two]) tab.hears = (message) => [message];
      const resumes = world.hold(posts(three, 'resume'));
      three.missesOne();
      await stage.until(() => resumes.kept.length, 5000);
      three.speaks = (message) => [message];
      const deaf = [one, two].map((tab) => world.hold(hears(tab)));
      resumes.release();
      await stage.run(20);
      const before = [one.count('hello'), two.count('hello')];
      await stage.until(() => one.count('hello') > before[0] && two.count('hello') > before[1], 1500);
      if (isMissed) for (const tab of [one, two]) tab.hears = misses(tab, (message) => fromMessage(message)?.kind === 'resume');
      for (const tab of tabs) tab.context.throttled = 60000;
      await stage.run(20);
      deaf.forEach((each) => each.release());
      await stage.until(() => one.says.acting && two.says.acting, 1000);
    }
  },

  async 'D10: a member that finds twice at once that it is its turn raises the generation once'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const { world } = stage;
      const [one, two, third] = await stage.open(3);
      for (const tab of [one, two]) tab.missesOne();
      const answers = world.hold(isAnswered(one));
      third.kill();
      await stage.until(() => answers.kept.length > 1, 5000);
      await stage.run(3000);
      answers.release();
      await stage.until(() => one.says.acting && two.says.acting, 5000);
      const resume = [...one.posted, ...two.posted].filter((message) => message.kind === 'resume').pop();
      assert.equal(world.record.generation, resume?.values[1]);
    }
  },

  async 'D10: a member continues once more, though the register has forgotten the generation, and the clock was set back'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const { world } = stage;
      const [one, sleeper] = await stage.open(2);
      const clear = (/** @type {Tab[]} */ ...awake) => {
        world.wipe();
        if (kind === 'broadcast') awake.forEach((tab) => tab.missesOne());
      };
      world.wallClockBase -= 3.6e6;
      sleeper.context.freeze('all');
      clear(one);
      await stage.until(() => one.count('resume') && one.says.acting, 5000);
      await stage.run(500);
      // The sleeper comes back first.
      one.context.freeze('all');
      clear(one, sleeper);
      sleeper.context.thaw();
      await stage.until(() => world.record.members[sleeper.id], 2000);
      one.context.thaw();
      const asked = [one.ask('a'), sleeper.ask('b')];
      await stage.until(() => asked.every(({ told }) => told.length), 20000);
    }
  },

  async 'D10: a member that another one continued without is not the farthest later, though the clock was set back meanwhile'(first) {
    for (const joinsLater of [false, true]) {
      const stage = first.with('broadcast');
      const { world } = stage;
      const [one, other, sleeper] = await stage.open(3);
      const two = joinsLater ? stage.tab() : other;
      if (joinsLater) other.log.leave();
      await stage.run(60000);
      sleeper.context.freeze('all');
      if (!joinsLater) one.speaks = answersNobody;
      world.wipe();
      for (const tab of [one, other]) tab.missesOne();
      await stage.until(() => one.count('resume') && one.says.acting, 5000);
      if (joinsLater) two.drop(await two.hold('a'));
      const fence = await takesUnheard(stage, one, two);
      two.context.freeze('all');
      world.wallClockBase -= 30000;
      // The sleeper comes back first, and [two] continues.
      world.wipe();
      sleeper.context.thaw();
      await stage.until(() => world.record.members[sleeper.id], 3000);
      two.context.thaw();
      await stage.until(() => two.count('resume') && two.says.acting, 3000);
      await isNotFarthest(stage, one, two, sleeper);
      assert.ok(two.core.state().held.every((each) => each.fence > fence), `joins later: ${joinsLater}`);
    }
  },

  async 'D10: a member that another one continued without is not the farthest later, though it was busy while it was alone'(stage) {
    const { world } = stage;
    const [one, other] = await stage.open(2);
    // From now on the counts are close to the time.
    for (const tab of [one, other]) tab.missesOne();
    await stage.until(() => one.says.acting && other.says.acting, 3000);
    other.log.leave();
    await stage.until(() => one.says.alone, 9000);
    for (let each = 0; each < 20000; each++) one.drop(one.ask('x'));
    const two = stage.tab();
    two.drop(await two.hold('a'));
    await stage.run(1000);
    await takesUnheard(stage, one, two);
    world.wipe();
    await stage.until(() => two.count('resume') && two.says.acting, 5000);
    await isNotFarthest(stage, one, two);
  },

  async 'D10: members continue after a forged `resume` of the greatest generation, also once data was cleared'(stage) {
    const [one, two] = await stage.open(2);
    two.drop(await two.hold('x'));
    await stage.run(200);
    const [{ values: [log] }] = two.posted.filter(({ kind }) => kind === 'operations');
    stage.frame().append(toMessage('resume', 'nobody', [log, 9e12 - 1]));
    await stage.run(1000);
    const asked = [one.ask('a'), two.ask('b')];
    await stage.until(() => asked.every(({ told }) => told.length), 5000);
    stage.world.wipe();
    await stage.run(500);
    await stage.until(() => one.says.acting && two.says.acting && !stage.world.record.incomplete, 5000);
  },

  async 'D10: a member raises the generation and then need not go on: a frame that repeats an old `begin` takes nobody\'s lock'(stage) {
    const { world } = stage;
    const former = stage.tab();
    former.drop(await former.hold('x'));
    const begin = former.posted.find(({ kind }) => kind === 'begin') || assert.fail();
    former.kill();
    await stage.run(3000);
    const [current, doubtful] = await stage.open(2);
    const held = [await doubtful.hold('a'), await current.hold('b')];
    await stage.run(2500);
    current.context.freeze('all');
    world.wipe();
    await stage.run(200);
    doubtful.missesOne();
    const raises = world.hold(writes('raise'));
    await stage.until(() => raises.kept.length, 6000);
    const answers = world.hold(isAnswered(doubtful));
    raises.release();
    await stage.run(20);
    current.context.thaw();
    await stage.until(() => doubtful.says.acting, 3000);
    answers.release();
    await stage.run(3000);
    stage.frame().append(toMessage('begin', begin.from, begin.values));
    await stage.run(3000);
    assert.deepEqual(held.map(({ told }) => told), [['granted'], ['granted']]);
  },
};
