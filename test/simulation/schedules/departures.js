/** A `gone` that was delivered to a living context counts, though the log continues from a state that lists that client: D3, D10. */
import assert from 'node:assert/strict';
import { answersNobody, isAnswered, isGone, kinds, misses, prompt, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/** @param {Tab} tab @returns {() => boolean} whether the tab was delivered a `gone` from now on */
const hearsGone = (tab) => {
  let heard = false;
  tab.hears = (message) => {
    heard ||= isGone(message);
    return [message];
  };
  return () => heard;
};

/** Storage shows a death only after a while, so a record stays for that long. @param {import('../world.js').World} world */
const recordsStay = (world) => {
  const { storage } = world;
  const release = storage.release.bind(storage);
  storage.release = (name) => void world.after(undefined, 200, 200, () => release(name));
};

/**
 * Of three members the eldest is frozen, and the youngest holds a lock. The other one has long been in doubt, and has just asked once more.
 * @param {Stage} stage
 */
const asksInVain = async (stage) => {
  const [sleeper, doubtful, holder] = await stage.open(3);
  await holder.hold('a');
  await stage.run(1500);
  prompt(doubtful, holder);
  sleeper.context.freeze('all');
  holder.speaks = answersNobody;
  doubtful.missesOne();
  await stage.until(() => doubtful.count('hello') > 8, 5000);
  return { sleeper, doubtful, holder };
};

/**
 * A holder leaves. One member is delivered its `gone`, another one is frozen. Then data is cleared, and the frozen one continues the log
 * from its own state.
 * @param {import('../stage.js').Stage} first
 * @param {'long before' | 'just before'} joined when the holder joined: long before, or after the last read of the register
 */
const isMemberAgain = async (first, joined) => {
  const stage = first.with('store');
  const { world } = stage;
  const isLate = joined === 'just before';
  const tabs = await stage.open(isLate ? 2 : 3);
  await stage.run(300);
  if (isLate) tabs.splice(1, 0, stage.tab());
  const [eldest, holder, knower] = tabs;
  await holder.hold('a');
  await stage.run(200);
  eldest.context.freeze('all');
  holder.log.leave();
  await stage.until(() => knower.core.state().members.length === 2, 1000);
  await stage.run(100);
  holder.kill();
  knower.context.freeze('all');
  world.wipe();
  prompt(eldest, knower);
  eldest.context.thaw();
  const waiting = eldest.ask('a');
  await stage.run(6000);
  knower.says.restored = 0;
  knower.context.thaw();
  await stage.until(() => knower.count('back') && knower.says.restored, 3000);
  // Its storage is slow at this moment.
  const answers = world.hold(isAnswered(knower));
  await stage.run(300);
  answers.release();
  await stage.until(() => waiting.told.length, 3000);
};

/**
 * A holder leaves while a second member is in doubt, and a third one is frozen. The member in doubt is delivered the `gone`. It misses
 * messages again when data is cleared.
 * @param {Stage} stage
 * @param {(sleeper: Tab) => void} after what becomes of the sleeper
 */
const leavesBesideDoubt = async (stage, after) => {
  const { sleeper, doubtful, holder } = await asksInVain(stage);
  // The next read of the register is far.
  await stage.run(30);
  const hasHeard = hearsGone(doubtful);
  holder.log.leave();
  await stage.until(hasHeard, 100);
  await stage.run(5);
  holder.kill();
  stage.world.wipe();
  doubtful.missesOne();
  await stage.run(20);
  after(sleeper);
  await doubtful.hold('b');
  const waiting = doubtful.ask('a');
  await stage.until(() => waiting.told.length, 20000);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const departures = {
  'D3: a member that has left stays dead, though the log continues from a state that lists it': async (stage) => {
    await isMemberAgain(stage, 'long before');
    await isMemberAgain(stage, 'just before');
  },

  async 'D10: a `gone` that was delivered in doubt counts, though messages are missed again, and the third member dies'(stage) {
    for (const kind of kinds) await leavesBesideDoubt(stage.with(kind), (sleeper) => sleeper.kill());
  },

  async 'D10: a `gone` that was delivered in doubt counts, though messages are missed again, and the third member wakes'(stage) {
    for (const kind of kinds) await leavesBesideDoubt(stage.with(kind), ({ context }) => context.thaw());
  },

  async 'D3: a `gone` that was delivered to a joiner counts, though a member that has missed it gives the state'(stage) {
    const { world } = stage;
    const [member, holder] = await stage.open(2);
    await holder.hold('a');
    await stage.run(1500);
    const joiner = stage.latecomer();
    prompt(member, holder, joiner);
    member.speaks = holder.speaks = answersNobody;
    const asked = joiner.ask('a');
    await stage.until(() => joiner.count('hello') > 3 && world.record.members[joiner.id], 2000);
    const hasHeard = hearsGone(joiner);
    member.hears = misses(member, isGone);
    holder.log.leave();
    await stage.until(() => hasHeard() && !member.says.acting, 100);
    holder.kill();
    member.hears = member.speaks = (message) => [message];
    world.wipe();
    await stage.until(() => asked.told.length, 20000);
  },

  async 'D3: a `gone` that was delivered in doubt counts, though the record of the ended page is read after it'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const { sleeper, doubtful, holder } = await asksInVain(again);
      // The next hello, with which it reads the register, is close.
      await again.run(495);
      const hasHeard = hearsGone(doubtful);
      recordsStay(world);
      const { id } = holder;
      holder.context.tell('over');
      await again.until(hasHeard, 100);
      await again.run(100);
      holder.kill();
      assert.ok(world.record.members[id].alive);
      world.wipe();
      doubtful.missesOne();
      await again.run(20);
      sleeper.kill();
      const waiting = doubtful.ask('a');
      await again.until(() => waiting.told.length, 20000);
    }
  },

  async 'D3: a `gone` that was delivered before a doubt counts, though the record of its sender is read in doubt'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const [sleeper, knower] = await again.open(2);
      await again.run(1500);
      const holder = again.tab();
      await holder.hold('a');
      prompt(sleeper, knower, holder);
      await again.run(300);
      // The holder comes back after the knower has read the register.
      holder.context.stall(150);
      world.closeStorage();
      await again.run(250);
      sleeper.context.freeze('all');
      await again.run(5);
      // The holder's record stays for a while.
      world.hold(writes('remove'));
      const { id } = holder;
      holder.log.leave();
      await again.until(() => !knower.lists(id), 200);
      holder.kill();
      knower.missesOne();
      await again.until(() => knower.count('hello') > 2, 400);
      await again.run(60);
      knower.context.stall(2500);
      world.wipe();
      if (kind === 'broadcast') sleeper.hears = misses(sleeper, isGone);
      sleeper.context.thaw();
      await again.run(4500);
      sleeper.hears = (message) => [message];
      await again.run(1000);
      const waiting = sleeper.ask('a');
      await again.until(() => waiting.told.length, 30000);
    }
  },

  async 'D3: a `gone` that was delivered in doubt counts, though its sender has a record that was not read before'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const { world } = stage;
      const [sleeper, doubtful] = await stage.open(2);
      await stage.run(1500);
      const holder = stage.tab();
      await holder.hold('a');
      prompt(sleeper, doubtful, holder);
      await stage.run(100);
      sleeper.context.freeze('all');
      holder.speaks = answersNobody;
      const hasHeard = hearsGone(doubtful);
      recordsStay(world);
      // It reads the register with its next hello.
      doubtful.missesOne();
      holder.context.tell('over');
      await stage.until(hasHeard, 100);
      await stage.run(100);
      holder.kill();
      world.wipe();
      doubtful.missesOne();
      await stage.run(20);
      sleeper.kill();
      const waiting = doubtful.ask('a');
      await stage.until(() => waiting.told.length, 20000);
    }
  },
};
