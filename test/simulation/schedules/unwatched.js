/** After data was cleared, members end before they have come back, where the place shows that: D11. */
import assert from 'node:assert/strict';
import { hears, kinds, prompt } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

const showsEnd = true;

/** Data is cleared. The register is written anew while one member is frozen. @param {Stage} stage @param {Tab} sleeper */
const wipeWithout = async (stage, sleeper) => {
  const { world } = stage;
  sleeper.context.freeze('all');
  world.wipe();
  await stage.until(() => world.record.members[sleeper.id]?.alive === '', 5000);
};

/** Data is cleared, and [ended] end. Then [other] asks for their lock. @param {Stage} stage @param {Tab[]} ended @param {Tab} other */
const isServedAfter = async (stage, ended, other) => {
  stage.world.wipe();
  for (const tab of ended) tab.kill();
  const waiting = other.ask('a');
  await stage.until(() => waiting.told.length, 5000);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const unwatched = {
  async 'D11: a holder, elder or younger, that ends before it is back after data was cleared keeps nobody waiting'(stage) {
    for (const kind of kinds) {
      for (const isElder of [true, false]) {
        for (const asksBefore of [true, false]) {
          const again = stage.with(kind);
          const tabs = await again.open(2, { showsEnd });
          const [holder, other] = isElder ? tabs : tabs.reverse();
          await holder.hold('a');
          let waiting = asksBefore ? other.ask('a') : undefined;
          await again.run(12000);
          again.world.wipe();
          holder.kill();
          await again.run(100);
          waiting = waiting || other.ask('a');
          await again.until(() => waiting.told.length, 5000);
        }
      }
    }
  },

  async 'D11: a holder that is frozen when data is cleared keeps its lock until it ends'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [other, holder] = await again.open(2, { showsEnd });
      const held = await holder.hold('a');
      const waiting = other.ask('a');
      await again.run(100);
      await wipeWithout(again, holder);
      await again.run(60000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      holder.kill();
      await again.until(() => waiting.told.length, 10000);
    }
  },

  async 'D11: a holder that has come back under another name, and is frozen when data is cleared again, keeps its lock'(stage) {
    const { world } = stage;
    const [other, holder] = await stage.open(2, { showsEnd });
    const held = await holder.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    await wipeWithout(stage, holder);
    // No member reads the holder's new name.
    const { release } = world.hold(({ sort, context }) => sort === 'storage' && context === other.context);
    prompt(holder);
    holder.context.thaw();
    await stage.until(() => world.record.members[holder.id].alive, 1000);
    await stage.run(100);
    const wiped = wipeWithout(stage, holder);
    release();
    await wiped;
    await stage.run(20000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.kill();
    await stage.until(() => waiting.told.length, 10000);
  },

  async 'D11: a holder ends before it is back: a waiter is served, though all connections had been closed before'(stage) {
    const [other, holder] = await stage.open(2, { showsEnd });
    await holder.hold('a');
    await stage.run(100);
    stage.world.closeStorage();
    await stage.run(12000);
    await isServedAfter(stage, [holder], other);
  },

  async 'D11: a holder comes back, is frozen when data is cleared again, and ends: a waiter is served'(stage) {
    const [other, holder] = await stage.open(2, { showsEnd });
    await holder.hold('a');
    await stage.run(100);
    await wipeWithout(stage, holder);
    holder.context.thaw();
    await stage.until(() => stage.world.record.members[holder.id].alive, 1000);
    await stage.run(50);
    await wipeWithout(stage, holder);
    holder.kill();
    const waiting = other.ask('a');
    await stage.until(() => waiting.told.length, 5000);
  },

  async 'D11: the eldest ends together with a holder that has joined late: a context that asks then is served'(stage) {
    const [eldest, other] = await stage.open(2, { showsEnd });
    await stage.run(12000);
    const holder = stage.tab({ showsEnd });
    await holder.hold('a');
    await stage.run(12000);
    await isServedAfter(stage, [eldest, holder], other);
  },

  async 'D11: a holder that is busy while all connections are closed, and then data is cleared, keeps its lock'(stage) {
    for (const isNewcomer of [false, true]) {
      for (const kind of kinds) {
        const again = stage.with(kind);
        const [eldest, member] = await again.open(2, { showsEnd });
        await again.run(12000);
        const holder = again.tab({ showsEnd });
        const held = await holder.hold('a');
        await again.run(3000);
        const other = isNewcomer ? again.tab({ showsEnd }) : member;
        prompt(eldest, member, holder, other);
        holder.context.stall(950);
        again.world.closeStorage();
        if (isNewcomer) other.ask('b');
        await again.run(100);
        const waiting = other.ask('a');
        again.world.wipe();
        await again.run(3000);
        assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      }
    }
  },

  async 'D11: data is cleared long after all connections were closed; the eldest and a holder end: a later waiter is served'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [eldest, other, holder] = await again.open(3, { showsEnd });
      await holder.hold('a');
      await again.run(15000);
      prompt(eldest, other, holder);
      holder.context.stall(400);
      again.world.closeStorage();
      await again.run(12000);
      await isServedAfter(again, [eldest, holder], other);
    }
  },

  async 'D11: a context that joins only after data was cleared learns all the same that a holder has ended'(stage) {
    for (const [isBackLater, isAtOnce] of [[false, false], [true, false], [false, true]]) {
      for (const kind of kinds) {
        const again = stage.with(kind);
        const [first, other, holder] = await again.open(3, { showsEnd });
        await holder.hold('a');
        // A waiter watches the request right before its own in the queue.
        first.ask('a');
        await again.run(12000);
        // A hidden context that has nothing to do leaves.
        other.context.tell('hidden');
        await again.until(() => !other.context.listening, 5000);
        await wipeWithout(again, holder);
        const newcomer = isBackLater ? other : again.tab({ showsEnd });
        if (isBackLater) other.context.tell('visible');
        const waiting = newcomer.ask('a');
        await again.run(3000);
        await first.end();
        // If both end at once, the newcomer must have found out before that the holder lives.
        if (!isAtOnce) await again.run(20000);
        assert.deepEqual(waiting.told, []);
        holder.kill();
        await again.until(() => waiting.told.length, 10000);
      }
    }
  },

  async 'D11: an empty former name in the register, which no version writes, does not cause writes without end'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1, { showsEnd });
    const { storage, record } = world;
    const members = { ...record.members, ghost: { alive: '', stateful: true, former: '' } };
    const value = { protocol: record.protocol, type: 'record', record: { ...record, members } };
    storage.entries.push({ key: ++storage.lastKey, value });
    await stage.tab({ showsEnd }).hold('a');
    await stage.run(1000);
    const { lastKey } = storage;
    member.ask('a');
    await stage.run(5000);
    assert.ok(storage.lastKey < lastKey + 5);
  },

  async 'D11: a newcomer does not take a living holder for dead because of a name that was lost before the newcomer came'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [eldest, holder] = await again.open(2, { showsEnd });
      const held = await holder.hold('a');
      await again.run(12000);
      prompt(eldest, holder);
      holder.context.freeze('all');
      again.world.closeStorage();
      await again.run(100);
      await wipeWithout(again, holder);
      const newcomer = again.tab({ showsEnd });
      const waiting = newcomer.ask('a');
      await again.run(30000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    }
  },

  async 'D11: data is cleared, and a holder ends, before its `join` is delivered to the eldest: a waiter is served'(stage) {
    const { world } = stage;
    const [eldest] = await stage.open(1, { showsEnd });
    const joiner = stage.latecomer({ showsEnd });
    prompt(eldest, joiner);
    const held = joiner.ask('a');
    await stage.until(() => joiner.posted.some(({ kind }) => kind === 'hello') && world.record.members[joiner.id], 2000);
    const late = world.hold(hears(eldest, 'operations'));
    await stage.until(() => held.told.length, 2000);
    await stage.run(20);
    world.wipe();
    joiner.kill();
    await stage.run(100);
    late.release();
    const waiting = eldest.ask('a');
    await stage.until(() => waiting.told.length, 10000);
  },

  async 'D11: a recalled name that has shown a life counts, though a later question finds that this life has ended'(stage) {
    const { world } = stage;
    const [eldest, holder] = await stage.open(2, { showsEnd });
    await holder.hold('a');
    await stage.run(12000);
    prompt(eldest, holder);
    await wipeWithout(stage, holder);
    await stage.run(1000);
    const newcomer = stage.tab({ showsEnd });
    prompt(newcomer);
    const { lives } = world;
    const isLiving = lives.isLiving.bind(lives);
    /** @type {(() => void)[]} */
    const answers = [];
    lives.isLiving = async (context, name) => {
      const shown = await isLiving(context, name);
      if (answers.length < 2) await new Promise((answer) => { answers.push(() => answer(undefined)); });
      return shown;
    };
    const waiting = newcomer.ask('a');
    await stage.until(() => answers.length === 1, 5000);
    holder.kill();
    eldest.kill();
    await stage.until(() => answers.length === 2, 5000);
    answers.forEach((answer) => answer());
    await stage.until(() => waiting.told.length, 20000);
  },
};
