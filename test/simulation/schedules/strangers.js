/** Logs of different versions exclude each other: R19, D11. */
import assert from 'node:assert/strict';
import { hears, isLost, kinds, prompt } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/** For each of the two versions: who is of it, and who is of the other one. @type {((stage: Stage) => [Tab, () => Tab])[]} */
const versions = [
  (stage) => [stage.tab(), () => stage.stranger()],
  (stage) => [stage.stranger(), () => stage.tab()],
];

/** What it posts from its `begin` on, in either version. @param {Tab} tab @returns {(kept: import('../stage.js').Kept) => boolean} */
const fromBegin = (tab) => {
  let hasBegun = false;
  return ({ context, sort, subject }) =>
    sort === 'post' && context === tab.context && (hasBegun = hasBegun || /"begin"/.test(String(subject)));
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const strangers = {
  async 'R19: a newcomer\'s log is void if a member of another version speaks while it is written'(stage) {
    for (const kind of kinds) {
      for (const cast of versions) {
        const again = stage.with(kind);
        const { world } = again;
        const [member, create] = cast(again);
        const held = await member.hold('a');
        await again.run(100);
        const deaf = world.hold(hears(member));
        const news = world.hold(isLost(member));
        world.wipe();
        const newcomer = create();
        const begin = world.hold(fromBegin(newcomer));
        const waiting = newcomer.ask('a');
        await again.until(() => begin.kept.length, 3000);
        deaf.release();
        news.release();
        await again.run(20);
        begin.release();
        await again.run(5000);
        assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      }
    }
  },

  async 'R19: a newcomer\'s log is void, too, where it replaces one of another version whose member speaks while it is written'(stage) {
    for (const kind of kinds) {
      for (const cast of versions) {
        const again = stage.with(kind);
        const { world } = again;
        const [member, create] = cast(again);
        const held = await member.hold('a');
        await again.run(3000);
        member.context.freeze('all');
        world.closeStorage();
        const newcomer = create();
        prompt(member, newcomer);
        const begin = world.hold(fromBegin(newcomer));
        const waiting = newcomer.ask('a');
        await again.until(() => begin.kept.length, 8000);
        member.context.thaw();
        await again.run(15);
        begin.release();
        await again.run(5000);
        assert.deepEqual([held.told, waiting.told], [['granted'], []]);
        // A page of another version is served when the last one of this version has ended.
        member.kill();
        await again.until(() => waiting.told.length, 20000);
      }
    }
  },

  async 'R19: a frozen member whose words have made another version\'s log void is waited for'(stage) {
    for (const cast of versions) {
      const again = stage.with('broadcast');
      const { world } = again;
      const [old, create] = cast(again);
      const held = await old.hold('a');
      await again.run(3000);
      old.context.freeze('all');
      world.wipe();
      const one = create();
      prompt(old, one);
      const begin = world.hold(fromBegin(one));
      one.ask('a');
      await again.until(() => begin.kept.length, 3000);
      // Frozen so that messages are delivered to it: it answers.
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
    }
  },

  async 'R19: a frozen member that a log of another version has overtaken keeps nobody waiting, in doubt or not'(stage) {
    for (const cast of versions) {
      for (const isInDoubt of [false, true]) {
        const again = stage.with('broadcast');
        const { world } = again;
        const [old, create] = cast(again);
        const held = await old.hold('a');
        await again.run(100);
        old.context.freeze('all');
        world.wipe();
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
      }
    }
  },
};
