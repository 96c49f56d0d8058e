/** A frame of the page posts again what it has heard: D17. */
import assert from 'node:assert/strict';
import { fromMessage, toMessage } from '../../../glue/log/messages.js';
import {
  answersAllBut, answersNobody, changed, isAnswered, isLost, kinds, misses, missesOperationsOf, posts, prompt, recorded,
  speaksBeforeBegin, writes,
} from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/** A frame, and three members whose storage is quick. @param {Stage} stage @returns {Promise<[ReturnType<Stage['frame']>, Tab[]]>} */
const besideThree = async (stage) => {
  const frame = stage.frame();
  const members = await stage.open(3);
  prompt(...members);
  await stage.run(3000);
  return [frame, members];
};

/**
 * Data is cleared, and a newcomer writes its log while a member speaks, so its `begin` is void. A frame repeats the newcomer's hellos right
 * before the `begin`, or the `begin` right after itself.
 * @param {Stage} stage
 * @param {'hello' | 'begin'} kind
 */
const voidBegin = async (stage, kind) => {
  const frame = stage.frame();
  const [member] = await stage.open(1);
  const held = await member.hold('a');
  await stage.run(100);
  const newcomer = stage.tab();
  const repeated = recorded(newcomer, kind, (values) => kind === 'begin' || values[1] === 0);
  const { waiting, begin } = await speaksBeforeBegin(stage, member, () => newcomer);
  if (kind === 'begin') begin.release();
  else repeated.forEach(frame.append);
  await stage.run(1);
  if (kind === 'begin') repeated.forEach(frame.append);
  else begin.release();
  await stage.run(5000);
  assert.deepEqual([held.told, waiting.told], [['granted'], []]);
};

/**
 * A frame that has kept each `begin` of two logs which have ended, and the tab that began them. The frame repeats the next one.
 * @param {Stage} stage
 */
const twoOldBegins = async (stage) => {
  const frame = stage.frame();
  const former = stage.tab();
  const begins = recorded(former, 'begin');
  for (let life = 0; life < 2; life++) {
    former.drop(await former.hold('a'));
    await stage.run(100);
    former.log.leave();
    await stage.run(1000);
  }
  return { former, repeat: () => frame.append(begins.shift()) };
};

/**
 * The same, and a member that has heard neither.
 * @param {Stage} stage
 */
const besideOldBegins = async (stage) => {
  const { repeat } = await twoOldBegins(stage);
  const member = stage.tab();
  prompt(member);
  const held = await member.hold('a');
  await stage.run(3000);
  return { member, held, repeat };
};

/**
 * A frame posts a member's hellos again, as [change] makes them. A context that has joined since cannot tell.
 * @param {Stage} first @param {(message: any) => unknown} [change]
 */
const oldHellos = async (first, change = (message) => message) => {
  for (const kind of kinds) {
    const stage = first.with(kind);
    const [frame, [eldest, holder, doubtful]] = await besideThree(stage);
    const hellos = recorded(doubtful, 'hello');
    for (const each of [eldest, holder]) each.speaks = answersAllBut(doubtful.id);
    doubtful.missesOne();
    await stage.run(45);
    // In a copy that applies this steal once more, the holder has lost its lock.
    const guest = stage.tab();
    const stolen = guest.ask('a', { steal: true });
    await stage.until(() => stolen.told.length, 3000);
    guest.drop(stolen);
    await stage.run(10);
    guest.log.leave();
    await stage.run(30);
    const held = await holder.hold('a');
    const late = stage.tab();
    late.drop(await late.hold('door'));
    hellos.map(change).forEach(frame.append);
    const waiting = doubtful.ask('a');
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  }
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const repeats = {
  async 'D17: a frame repeats a hello behind another entry while the eldest is busy: no answer to that hello counts'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const [frame, [eldest, third, doubtful]] = await besideThree(stage);
      const hellos = recorded(doubtful, 'hello');
      // Its second and third hello are lost.
      const { speaks } = doubtful;
      doubtful.speaks = (message) => speaks(message).filter(() => message !== hellos[1] && message !== hellos[2]);
      eldest.context.stall(60);
      doubtful.missesOne();
      await stage.run(5);
      const held = await third.hold('a');
      frame.append(hellos[0]);
      await stage.until(() => doubtful.says.acting, 200);
      const waiting = doubtful.ask('a');
      await stage.run(1000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    }
  },

  'D17: no answer to a hello that a frame repeats counts, though a context that has joined since cannot tell the repeat': oldHellos,

  'D17: no answer to a hello that a frame repeats counts, though the frame has changed it': (first) =>
    oldHellos(first, (message) => changed(message, (values) => [...values.slice(0, 3), ['x']])),

  async 'D17: a `begin` that a frame repeats overtakes no member that has heard it before'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const frame = stage.frame();
      const only = stage.tab();
      const begins = recorded(only, 'begin');
      only.drop(await only.hold('a'));
      await stage.run(100);
      only.log.leave();
      await stage.run(1000);
      const held = await only.hold('a');
      await stage.run(3000);
      stage.world.wipe();
      frame.append(begins[0]);
      await stage.run(3000);
      assert.deepEqual(held.told, ['granted']);
    }
  },

  async 'D17: a `begin` that a frame repeats when all connections were closed costs a member nothing that comes back after it'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const { member, held, repeat } = await besideOldBegins(stage);
      const news = stage.world.hold(isLost(member));
      stage.world.closeStorage();
      repeat();
      await stage.run(50);
      news.release();
      await stage.run(3000);
      assert.deepEqual(held.told, ['granted']);
      assert.deepEqual((await member.hold('b')).told, ['granted']);
    }
  },

  async 'D17: a `begin` that a frame repeats when all connections were closed costs a member nothing that is coming back'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const { member, held, repeat } = await besideOldBegins(stage);
      stage.world.closeStorage();
      const returned = stage.world.hold(isAnswered(member));
      await stage.until(() => returned.kept.length, 500);
      repeat();
      await stage.run(50);
      returned.release();
      await stage.run(3000);
      assert.deepEqual(held.told, ['granted']);
      assert.deepEqual((await member.hold('b')).told, ['granted']);
    }
  },

  async 'D17: a `begin` that a frame repeats after data was cleared costs a member in doubt nothing that has said so since'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const { member, held, repeat } = await besideOldBegins(stage);
      const other = stage.tab();
      other.drop(await other.hold('door'));
      other.context.freeze('all');
      // It does not know the log's new generation.
      member.hears = misses(member, (message) => /"anew"/.test(message));
      stage.world.wipe();
      await stage.until(() => member.says.acting === false, 1000);
      member.hears = (message) => [message];
      await stage.run(50);
      repeat();
      await stage.run(100);
      other.context.thaw();
      await stage.run(5000);
      assert.deepEqual(held.told, ['granted']);
      assert.deepEqual((await member.hold('b')).told, ['granted']);
    }
  },

  async 'D17: a member that has heard two `begin` enters nothing before it has read the register after the second one'(stage) {
    const { world } = stage;
    const { member, repeat } = await besideOldBegins(stage);
    /** Keeps back the member's next answer from storage. */
    const nextAnswer = async () => {
      let isNext = true;
      const answer = world.hold((kept) => isNext && isAnswered(member)(kept));
      repeat();
      await stage.until(() => answer.kept.length, 500);
      isNext = false;
      return answer;
    };
    const one = await nextAnswer();
    const two = await nextAnswer();
    const asked = member.ask('b');
    one.release();
    await stage.run(100);
    assert.deepEqual(asked.told, []);
    two.release();
    await stage.run(100);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'D17: a `resume` that a frame repeats makes nobody start over'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const [frame, members] = await besideThree(stage);
      const said = members.map((each) => recorded(each, 'resume'));
      members.forEach((each) => each.missesOne());
      await stage.until(() => said.some(({ length }) => length) && members.every((each) => each.says.acting), 5000);
      await stage.run(500);
      const sender = members[said.findIndex(({ length }) => length)];
      const [stays, sleeps] = members.filter((each) => each !== sender);
      sender.log.leave();
      await stage.run(3000);
      sleeps.context.freeze('all');
      await stage.run(100);
      frame.append(said.flat()[0]);
      await stage.run(20);
      const asked = stays.ask('b');
      await stage.until(() => asked.told.length, 1000);
    }
  },

  async 'D17: what a member said before it was given the state does not count, though a frame repeats it'(stage) {
    const [frame, [eldest, other, member]] = await besideThree(stage);
    const hellos = recorded(member, 'hello');
    const { speaks } = eldest;
    eldest.speaks = answersNobody;
    other.speaks = answersNobody;
    member.missesOne();
    await stage.until(() => hellos.length > 2, 1000);
    eldest.speaks = speaks;
    await stage.until(() => member.says.acting, 2000);
    await stage.run(100);
    // The others miss that this member takes the lock. It is too busy to answer them.
    member.speaks = answersNobody;
    for (const each of [eldest, other]) each.hears = missesOperationsOf(each, member);
    const held = await member.hold('a');
    const waiting = eldest.ask('a');
    hellos.forEach(frame.append);
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D10: what a member said long ago does not count, though a frame repeats it to members that had not heard it'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const [frame, [eldest, other, member]] = await besideThree(stage);
      const hellos = recorded(member, 'hello');
      const isEarly = (/** @type {unknown} */ message) => fromMessage(message)?.kind === 'hello' && hellos.length < 4;
      for (const each of [eldest, other]) each.hears = (message) => isEarly(message) ? [] : [message];
      member.missesOne();
      await stage.until(() => member.says.acting && hellos.length > 3, 2000);
      await stage.run(2000);
      member.speaks = answersNobody;
      for (const each of [eldest, other]) each.hears = missesOperationsOf(each, member);
      const held = await member.hold('a');
      const waiting = eldest.ask('a');
      hellos.slice(0, 3).forEach(frame.append);
      await stage.run(2000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    }
  },

  async 'D17: a newcomer\'s log is void, though a frame repeats its hellos'(stage) {
    for (const kind of kinds) await voidBegin(stage.with(kind), 'hello');
  },

  async 'D17: a newcomer\'s log is void, though a frame repeats its `begin`'(stage) {
    for (const kind of kinds) await voidBegin(stage.with(kind), 'begin');
  },

  async 'D17: a newcomer joins although a frame repeats every hello at once'(stage) {
    const [member] = await stage.open(1);
    const newcomer = stage.tab();
    for (const tab of [member, newcomer]) {
      tab.hears = (message) => fromMessage(message)?.kind === 'hello' ? [message, message] : [message];
    }
    await newcomer.hold('a');
    await stage.run(100);
    assert.ok(member.lists(newcomer.id));
  },

  async 'D17: a frame repeats a hello that its sender missed in a pause: no answer to the first delivery counts'(stage) {
    const [frame, [slow, holder, doubtful]] = await besideThree(stage);
    const hellos = recorded(doubtful, 'hello');
    slow.context.stall(60);
    doubtful.missesOne();
    doubtful.context.pause(20);
    await stage.run(6);
    const held = await holder.hold('a');
    holder.context.stall(500);
    await stage.until(() => hellos.length > 2, 40);
    await stage.run(4);
    frame.append(hellos[0]);
    await stage.until(() => doubtful.says.acting, 1000);
    const waiting = doubtful.ask('a');
    await stage.run(1000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'D17: a context that has begun a log takes no state for an earlier hello, though a frame repeats that hello'(stage) {
    const { world } = stage;
    const frame = stage.frame();
    const [dying] = await stage.open(1);
    dying.context.freeze('all');
    const writer = stage.tab();
    const hellos = recorded(writer, 'hello', ([, attempt]) => attempt > 0);
    const asked = writer.ask('a');
    await stage.until(() => hellos.length > 3, 1000);
    const late = world.hold(posts(writer));
    const before = hellos.length;
    await stage.until(() => hellos.length > before, 1000);
    dying.kill();
    await stage.until(() => writer.count('begin'), 5000);
    late.release();
    await stage.until(() => asked.told.length, 1000);
    const joiner = stage.tab();
    joiner.drop(await joiner.hold('b'));
    const answers = world.hold(posts(joiner, 'state'));
    hellos.slice(before).forEach(frame.append);
    await stage.until(() => answers.kept.length, 200);
    const held = await writer.hold('c');
    answers.release();
    await stage.run(500);
    assert.deepEqual([asked.told, held.told], [['granted'], ['granted']]);
  },

  async 'D6, D17: a member in doubt that said so while one `begin` had overtaken it loses nothing because of a second one'(stage) {
    const { world } = stage;
    const { former, repeat } = await twoOldBegins(stage);
    // In its third life it has heard both.
    former.drop(await former.hold('door'));
    const member = stage.tab();
    prompt(former, member);
    const held = await member.hold('a');
    await stage.run(3000);
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete && former.says.acting && member.says.acting, 2000);
    await stage.run(300);
    const { epoch, generation } = world.record;
    // Messages are lost to both. What the member posts is slow.
    const slow = world.hold(posts(member));
    former.missesOne();
    member.missesOne();
    await stage.until(() => slow.kept.length > 2, 200);
    const answer = world.hold(isAnswered(member));
    repeat();
    await stage.run(20);
    const raise = world.hold(writes('raise'));
    slow.release();
    await stage.run(20);
    const later = world.hold(posts(member, 'hello'));
    answer.release();
    await stage.until(() => raise.kept.length && later.kept.length, 1000);
    const resume = world.hold(posts(former, 'resume'));
    raise.release();
    await stage.until(() => world.record.generation > generation, 200);
    assert.equal(world.record.epoch, epoch);
    repeat();
    await stage.run(30);
    resume.release();
    later.release();
    await stage.run(5000);
    assert.deepEqual(held.told, ['granted']);
    assert.deepEqual((await member.hold('b')).told, ['granted']);
  },

  async 'a newcomer is served, though a frame repeats an old `anew` again and again, and storage is slow'(stage) {
    const { world } = stage;
    const members = await stage.open(2);
    world.wipe();
    await stage.until(() => members.some((tab) => tab.count('anew')), 2000);
    await stage.run(3000);
    const { from, values } = members.flatMap(({ posted }) => posted).find(({ kind }) => kind === 'anew') || assert.fail();
    const frame = stage.frame();
    world.slowStorage = 10;
    const asked = stage.tab().ask('a');
    for (let times = 0; times < 1000 && !asked.told.length; times++) {
      frame.append(toMessage('anew', from, values));
      await stage.run(3);
    }
    assert.deepEqual(asked.told, ['granted']);
  },
};
