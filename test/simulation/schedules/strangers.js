/** Logs of different versions exclude each other: R19, D11. */
import assert from 'node:assert/strict';
import { isLost, kinds, posts, prompt, speaksBeforeBegin } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * For each of these orders and both versions: a member holds `a`, and contexts of the other version come.
 * @param {Stage} first
 * @param {readonly import('../../../glue/platform/place.js').OrderKind[]} orders
 * @param {(stage: Stage, member: Tab, create: () => Tab, held: import('../stage.js').Asked) => Promise<void>} act [create] makes one
 */
const inBothVersions = async (first, orders, act) => {
  for (const kind of orders) {
    for (const isStranger of [false, true]) {
      const stage = first.with(kind);
      const [member, create] = isStranger ? [stage.stranger(), () => stage.tab()] : [stage.tab(), () => stage.stranger()];
      await act(stage, member, create, await member.hold('a'));
    }
  }
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const strangers = {
  async 'R19: a newcomer\'s log is void if a member of another version speaks while it is written'(stage) {
    await inBothVersions(stage, kinds, async (again, member, create, held) => {
      await again.run(100);
      const { waiting, begin } = await speaksBeforeBegin(again, member, create);
      begin.release();
      await again.run(5000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    });
  },

  async 'R19: a newcomer\'s log that replaces one of another version is void if a member of that log speaks while it is written'(stage) {
    await inBothVersions(stage, kinds, async (again, member, create, held) => {
      const { world } = again;
      await again.run(3000);
      member.context.freeze('all');
      world.closeStorage();
      const newcomer = create();
      prompt(member, newcomer);
      const begin = world.hold(posts(newcomer, 'begin'));
      const waiting = newcomer.ask('a');
      await again.until(() => begin.kept.length, 8000);
      member.context.thaw();
      await again.run(15);
      begin.release();
      await again.run(5000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      // A page of the other version is served when the last page of this version has ended.
      member.kill();
      await again.until(() => waiting.told.length, 20000);
    });
  },

  async 'R19: a newcomer waits for a frozen member whose messages have made a log of another version void'(stage) {
    await inBothVersions(stage, ['broadcast'], async (again, old, create, held) => {
      const { world } = again;
      await again.run(3000);
      old.context.freeze('all');
      world.wipe();
      const one = create();
      prompt(old, one);
      const begin = world.hold(posts(one, 'begin'));
      one.ask('a');
      await again.until(() => begin.kept.length, 3000);
      // In this way of being frozen messages are delivered to it, so it answers.
      old.context.thaw();
      old.context.freeze('chromium');
      await again.run(20);
      begin.release();
      await again.run(100);
      one.kill();
      await again.run(3000);
      const waiting = create().ask('a');
      await again.run(20000);
      old.context.thaw();
      await again.run(5000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      old.drop(held);
      old.kill();
      await again.until(() => waiting.told.length, 5000);
    });
  },

  async 'R19: a frozen member that was overtaken by a log of another version keeps nobody waiting, in doubt or not'(stage) {
    for (const isInDoubt of [false, true]) {
      await inBothVersions(stage, ['broadcast'], async (again, old, create, held) => {
        await again.run(100);
        old.context.freeze('all');
        again.world.wipe();
        const one = create();
        await one.hold('b');
        await again.run(3000);
        old.context.thaw();
        old.context.freeze('chromium');
        await again.run(100);
        if (isInDoubt) old.missesOne();
        one.kill();
        await again.run(1000);
        const newcomer = create();
        prompt(newcomer);
        await newcomer.hold('b');
        old.context.thaw();
        await again.run(3000);
        assert.deepEqual(held.told, ['granted', 'lost']);
      });
    }
  },

  async 'R19: all connections are closed: a holder with another maker of its order comes back late, and keeps its lock'(first) {
    for (const isOld of [false, true]) {
      const stage = first.with('broadcast');
      const { world } = stage;
      const old = isOld ? stage.stranger({ kind: 'store' }) : stage.tab({ kind: 'store' });
      const held = await old.hold('a');
      await stage.run(3000);
      const news = world.hold(isLost(old));
      world.closeStorage();
      const newcomer = stage.tab();
      prompt(newcomer);
      const asked = newcomer.ask('a');
      await stage.run(400);
      news.release();
      await stage.run(3000);
      assert.deepEqual([isOld, held.told, asked.told], [isOld, ['granted'], []]);
    }
  },

  async 'a newcomer with another maker of its order listens where the members post, and for as long as they need'(stage) {
    const { world } = stage;
    const [first, second] = [stage.tab({ kind: 'store' }), stage.tab({ kind: 'store' })];
    for (const tab of [first, second]) tab.drop(await tab.hold('door'));
    await stage.run(3000);
    const returning = world.hold(isLost(second));
    world.wipe();
    await stage.run(40);
    // The order of the second tab is back, its register is not.
    returning.kept.splice(returning.kept.findIndex(({ run }) => /reconnect/.test(String(run))), 1)[0].run();
    await stage.until(() => world.record.log && !world.record.incomplete, 3000);
    await stage.run(500);
    const { id } = first;
    first.context.tell('hidden');
    // If the first tab is still needed, it stays, and the newcomer finds it.
    await stage.until(() => !world.record.members[id], 9000).catch(() => {});
    second.context.lag = 10;
    const asked = stage.tab().ask('a');
    await stage.run(1000);
    const other = second.ask('a');
    await stage.run(1000);
    assert.equal([asked, other].filter(({ told }) => told.join() === 'granted').length, 1);
  },
};
