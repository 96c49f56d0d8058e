/** Two faults at once: the second one comes while the log recovers from the first. */
import assert from 'node:assert/strict';
import { PROTOCOL } from '../../../glue/log/register.js';
import { isAnswered } from '../stage.js';

/** @type {Record<string, import('../stage.js').Schedule>} */
export const again = {
  async 'D3: a `gone` that was lost is posted again'(stage) {
    const [leader, other] = await stage.open(2);
    await leader.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    other.speaks = (message) => (/"gone"/.test(message) ? [] : [message]);
    leader.kill();
    await stage.until(() => other.count('gone'), 1000);
    other.speaks = (message) => [message];
    other.missesOne();
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'fences keep to the clock over many logs, so they still grow after data was cleared'(stage) {
    const { world } = stage;
    let fence = 0;
    for (let each = 0; each < 8; each++) {
      const tab = stage.tab();
      const { handle } = await tab.hold('a');
      assert.ok(handle.fence > fence);
      ({ fence } = handle);
      tab.kill();
      await stage.run(100);
      if (each === 6) world.wipe();
    }
  },

  async 'D11: a member\'s fences grow above those of another version\'s log that began after a wipe and is unknown to it'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    // A `begin` would overtake the member.
    member.hears = (message) => (/"begin"/.test(message) ? [] : [message]);
    world.wipe();
    const stranger = stage.stranger();
    const { handle } = await stranger.hold('b');
    stranger.kill();
    member.context.thaw();
    await stage.until(() => member.count('back'), 2000);
    const later = await member.hold('b');
    assert.deepEqual(held.told, ['granted']);
    assert.ok(later.handle.fence > handle.fence);
  },

  async 'after a forged generation there are still fences to grant, and contexts can join'(stage) {
    const [one, other] = await stage.open(2);
    const { log } = stage.world.record;
    for (const generation of [8.9e12, 9.1e12, Number.MAX_SAFE_INTEGER]) {
      other.speaks = (message) => [message, JSON.stringify([PROTOCOL, 'anew', other.id, log, generation, ''])];
      other.drop(await other.hold('a'));
      await stage.run(200);
    }
    other.speaks = (message) => [message];
    const joiner = stage.tab();
    one.drop(await one.hold('a'));
    await joiner.hold('a');
    await stage.run(100);
    assert.deepEqual([other.says.acting, one.core.hash()], [true, joiner.core.hash()]);
  },

  async 'a core that cannot be made at first, because memory is short, is made later'(stage) {
    const tab = stage.tab();
    tab.openCore = () => {
      tab.openCore = () => tab.core;
      throw new RangeError('out of memory');
    };
    const asked = tab.ask('a');
    await stage.until(() => asked.told.length, 1500);
  },

  async 'a database that opens late is not opened twice'(stage) {
    const { world } = stage;
    const [tab] = await stage.open(1);
    const other = stage.tab();
    const late = world.hold(isAnswered(other));
    other.ask('a');
    await stage.until(() => late.kept.length === 2, 100);
    // One of the two fails, and is tried again while the other one is on its way.
    other.context.brokenUntil = world.time + 5;
    const [failing, slow] = late.kept.splice(0);
    late.release();
    const opens = world.hold(isAnswered(other));
    failing.run();
    await stage.run(700);
    slow.run();
    opens.release();
    await stage.run(1000);
    assert.equal([...world.storage.connections].filter(({ context }) => context === other.context).length, 2);
    assert.equal(tab.says.alone, false);
  },

  async 'a context whose copy runs out of memory gives the copy up, and asks anew for what it waits for'(stage) {
    const [holder, waiter] = await stage.open(2);
    const held = await holder.hold('a');
    const waiting = waiter.ask('a');
    await stage.run(100);
    const { id, core } = waiter;
    const { apply } = core;
    core.apply = () => {
      core.apply = apply;
      throw new RangeError('out of memory');
    };
    holder.drop(held);
    await stage.until(() => waiting.told.length, 3000);
    assert.notEqual(waiter.id, id);
    await stage.run(100);
    assert.equal(waiter.core.hash(), holder.core.hash());
  },
};
