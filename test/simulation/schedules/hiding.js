/** A hidden context that holds nothing leaves: R15. */
import assert from 'node:assert/strict';

/** @type {Record<string, import('../stage.js').Schedule>} */
export const hiding = {
  async 'R15: a context that is hidden and holds nothing leaves, keeps nobody waiting, and comes back when it is shown'(stage) {
    const [old] = await stage.open(1);
    old.context.tell('hidden');
    await stage.run(50);
    old.context.freeze('all');
    const young = stage.tab();
    const asked = young.ask('a');
    await stage.until(() => asked.told.length, 500);
    old.context.tell('visible');
    old.context.thaw();
    const again = old.ask('a');
    await stage.run(500);
    assert.deepEqual(again.told, []);
    young.drop(asked);
    await stage.until(() => again.told.length, 500);
  },

  async 'R15: a hidden context that finishes its work leaves soon after'(stage) {
    const [old] = await stage.open(1);
    const held = await old.hold('a');
    old.context.tell('hidden');
    await stage.run(3000);
    assert.deepEqual(held.told, ['granted']);
    old.drop(held);
    await stage.until(() => !old.context.listening, 1500);
  },

  async 'R15: a hidden context that has finished its work leaves, though all connections are closed within that second'(stage) {
    const [old] = await stage.open(1);
    const held = await old.hold('a');
    old.context.tell('hidden');
    old.drop(held);
    await stage.run(100);
    stage.world.closeStorage();
    await stage.until(() => !old.context.listening, 2500);
  },

  async 'R15: a hidden context whose only lock is stolen leaves soon after'(stage) {
    const [old, other] = await stage.open(2);
    const held = await old.hold('a');
    old.context.tell('hidden');
    await stage.run(100);
    other.ask('a', { steal: true });
    await stage.until(() => held.told.length > 1, 500);
    await stage.until(() => !old.context.listening, 1500);
  },

  async 'R15: a hidden context whose only request expires leaves soon after'(stage) {
    const [old, other] = await stage.open(2);
    await other.hold('a');
    const waiting = old.ask('a', { wait: 300 });
    await stage.run(100);
    old.context.tell('hidden');
    await stage.until(() => waiting.told.length, 500);
    await stage.until(() => !old.context.listening, 1500);
  },

  async 'R15: a hidden context that has left, and is then told to leave, does not come back when it is shown'(stage) {
    const [old] = await stage.open(1);
    old.context.tell('hidden');
    await stage.until(() => !old.context.listening, 1500);
    old.log.leave();
    old.context.tell('visible');
    await stage.run(100);
    assert.equal(old.context.listening, 0);
    await old.hold('a');
  },
};
