/** A death that a living member has learned of is told, though data is cleared then: D3, D11, R15. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { answersNobody, isAnswered, isLost, joinsBesideDoubt, kinds, posts, prompt, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * The holder of a lock dies while the eldest is frozen and the remover of its record is in doubt. Then the remover dies. A reader, which
 * acts and waits for nothing, reads of the holder's death.
 * @param {Stage} stage
 * @returns {Promise<{eldest: Tab, reader: Tab}>}
 */
const actingReads = async (stage) => {
  const { world } = stage;
  const [eldest, remover, leaver, reader, holder] = await stage.open(5);
  await holder.hold('a');
  await stage.run(1500);
  prompt(eldest, remover, reader);
  eldest.context.freeze('all');
  reader.speaks = leaver.speaks = answersNobody;
  remover.missesOne();
  await stage.until(() => remover.says.acting === false, 100);
  holder.kill();
  await stage.until(() => !world.record.members[holder.id], 3000);
  remover.kill();
  await stage.run(50);
  // The reader reads the register when another member leaves.
  const { id } = leaver;
  leaver.log.leave();
  await stage.until(() => !reader.lists(id), 1000);
  await stage.run(150);
  return { eldest, reader };
};

/**
 * A member in doubt has removed the record of a dead holder, and is hidden. Then data is cleared, and the eldest wakes.
 * @param {Stage} stage
 * @param {{eldest: Tab, knower: Tab, dead: string}} cast
 */
const staysUntilTold = async (stage, { eldest, knower, dead }) => {
  const { world } = stage;
  await stage.until(() => !world.record.members[dead], 3000);
  await stage.run(50);
  knower.context.tell('hidden');
  await stage.run(1500);
  world.wipe();
  eldest.speaks = (message) => [message];
  eldest.context.thaw();
  await stage.run(3000);
  const waiting = eldest.ask('a');
  await stage.until(() => waiting.told.length, 20000);
  // Now the knower may leave.
  await stage.until(() => !knower.context.listening, 5000);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const remembered = {
  async 'D3, D11: a death that a member sees in doubt is told after data was cleared'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const [eldest, watcher, holder] = await again.open(3);
      await holder.hold('a');
      const waiting = watcher.ask('a');
      await again.run(1500);
      prompt(eldest, watcher);
      eldest.context.freeze('all');
      watcher.missesOne();
      await again.until(() => watcher.says.acting === false, 100);
      holder.kill();
      await again.until(() => !world.record.members[holder.id], 3000);
      await again.run(20);
      world.wipe();
      eldest.context.thaw();
      await again.until(() => waiting.told.length, 20000);
    }
  },

  async 'D3, D11: a read that began before a death was known does not show that the dead member lives'(stage) {
    const { world } = stage;
    const [eldest, watcher, holder] = await stage.open(3);
    await holder.hold('a');
    await stage.run(1500);
    prompt(eldest, watcher);
    eldest.context.freeze('all');
    holder.speaks = answersNobody;
    watcher.missesOne();
    // The watcher watches the holder now.
    await stage.run(200);
    const isOfWatcher = isAnswered(watcher);
    let answers = 0;
    const late = world.hold((happening) => isOfWatcher(happening) && ++answers === 1);
    await stage.until(() => late.kept.length, 1000);
    holder.kill();
    await stage.until(() => !world.record.members[holder.id], 3000);
    await stage.run(20);
    late.release();
    await stage.run(5);
    world.wipe();
    eldest.context.thaw();
    const waiting = watcher.ask('a');
    await stage.until(() => waiting.told.length, 20000);
  },

  async 'D3, D11: a death that a member in doubt has read is told after data was cleared, though the remover of the record died'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const [remover, reader, holder, sleeper] = await again.open(4);
      await holder.hold('a');
      await again.run(1500);
      prompt(remover, reader, sleeper);
      [reader, sleeper].forEach(({ context }) => context.freeze('all'));
      remover.missesOne();
      await again.until(() => remover.says.acting === false, 100);
      holder.kill();
      await again.until(() => !world.record.members[holder.id], 3000);
      remover.kill();
      reader.missesOne();
      reader.context.thaw();
      await again.until(() => reader.says.acting === false, 100);
      await again.run(100);
      world.wipe();
      sleeper.context.thaw();
      await reader.hold('a');
    }
  },

  async 'D11: a member in doubt does not take a holder for dead because an incomplete register lacks it'(stage) {
    const { world } = stage;
    const [eldest, doubtful, holder] = await stage.open(3);
    const held = await holder.hold('a');
    await stage.run(1500);
    prompt(eldest, doubtful);
    holder.context.stall(500);
    const states = world.hold(posts(eldest, 'state'));
    doubtful.missesOne();
    world.wipe();
    await stage.run(100);
    assert.ok(world.record.incomplete);
    states.release();
    await stage.run(2000);
    assert.deepEqual([doubtful.says.acting, held.told], [true, ['granted']]);
  },

  async 'D11: a death that a member has read is told after data was cleared, though that member waits for nothing'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { eldest, reader } = await actingReads(again);
      again.world.wipe();
      eldest.context.thaw();
      reader.speaks = (message) => [message];
      await again.run(3000);
      const waiting = reader.ask('a');
      await again.until(() => waiting.told.length, 20000);
    }
  },

  async 'R15: a hidden member that has read of a death tells it before it leaves'(stage) {
    const { eldest, reader } = await actingReads(stage);
    reader.context.tell('hidden');
    await stage.run(1200);
    stage.world.wipe();
    eldest.context.thaw();
    await stage.run(3000);
    const waiting = eldest.ask('a');
    await stage.until(() => waiting.told.length, 20000);
  },

  async 'R15: a hidden member in doubt stays while it alone knows of a death'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const [eldest, watcher, holder] = await again.open(3);
      await holder.hold('a');
      await again.run(1500);
      prompt(eldest, watcher, holder);
      eldest.context.freeze('all');
      watcher.missesOne();
      await again.until(() => watcher.says.acting === false, 100);
      holder.kill();
      await staysUntilTold(again, { eldest, knower: watcher, dead: holder.id });
    }
  },

  async 'D11: a death that an incomplete register has shown is told, though data is cleared again before it is complete'(stage) {
    const { world } = stage;
    const [eldest, remover, reader, holder] = await stage.open(4);
    await holder.hold('a');
    await stage.run(1500);
    prompt(eldest, remover, reader, holder);
    eldest.context.freeze('all');
    const completing = world.hold(writes('complete'));
    reader.speaks = holder.speaks = answersNobody;
    remover.missesOne();
    world.wipe();
    await stage.until(() => [remover, reader, holder].every(({ id }) => world.record.members[id]?.alive), 1000);
    await stage.run(300);
    holder.kill();
    await stage.until(() => world.record.members[holder.id].dead, 3000);
    remover.kill();
    // The reader looks whether it may leave.
    reader.context.tell('hidden');
    await stage.run(3000);
    reader.context.tell('visible');
    world.wipe();
    completing.release();
    eldest.context.thaw();
    reader.speaks = (message) => [message];
    await stage.run(3000);
    const waiting = reader.ask('a');
    await stage.until(() => waiting.told.length, 20000);
  },

  async 'D11: a death that is seen in a register of a lower generation counts'(stage) {
    const { world } = stage;
    const tabs = await stage.open(4);
    const [eldest, behind, watcher, holder] = tabs;
    await holder.hold('a');
    await stage.run(1500);
    prompt(...tabs);
    tabs.forEach((tab) => {
      tab.speaks = answersNobody;
    });
    behind.missesOne();
    await stage.run(100);
    const unaware = world.hold(isLost(behind));
    world.wipe();
    const others = tabs.filter((tab) => tab !== behind);
    await stage.until(() => others.every(({ id }) => world.record.members[id]?.alive) && !world.record.incomplete, 2000);
    await stage.run(200);
    const { generation } = world.record;
    watcher.missesOne();
    holder.missesOne();
    eldest.context.freeze('all');
    await stage.run(10);
    tabs.forEach(({ context }) => {
      context.wallSkew = -1e7;
    });
    // The tab that knows of no other generation comes back first.
    const isReturn = writes('return');
    const late = world.hold((kept) => isReturn(kept) && /** @type {any} */ (kept.subject).client !== behind.id);
    world.wipe();
    unaware.release();
    await stage.until(() => world.record.members[behind.id]?.alive, 500);
    late.release();
    await stage.until(() => [behind, watcher, holder].every(({ id }) => world.record.members[id]?.alive), 500);
    await stage.run(50);
    assert.ok(world.record.generation < generation);
    holder.kill();
    behind.context.freeze('all');
    await stage.until(() => world.record.members[holder.id].dead, 3000);
    await stage.run(50);
    tabs.forEach((tab) => {
      tab.speaks = (message) => [message];
    });
    world.wipe();
    eldest.context.thaw();
    await stage.run(2000);
    behind.kill();
    const waiting = watcher.ask('a');
    await stage.until(() => waiting.told.length, 20000);
  },

  async 'R15: a hidden member in doubt stays while it alone knows of a death, though its state does not list the dead context'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { eldest, doubtful, holder } = await joinsBesideDoubt(again, 'a');
      eldest.context.freeze('all');
      await again.run(20);
      holder.kill();
      await staysUntilTold(again, { eldest, knower: doubtful, dead: holder.id });
    }
  },

  async 'D11: a death is told, though a `back` that the dead member posted before is delivered later'(stage) {
    const { world } = stage;
    const [eldest, doubtful, holder] = await stage.open(3);
    await holder.hold('a');
    await stage.run(1500);
    prompt(eldest, doubtful, holder);
    eldest.speaks = holder.speaks = answersNobody;
    doubtful.missesOne();
    await stage.until(() => doubtful.says.acting === false, 100);
    const { alive } = world.record.members[holder.id];
    let isLate = false;
    const late = world.hold(({ context, sort, subject }) => {
      if (sort !== 'message' || context !== doubtful.context) return false;
      const message = fromMessage(subject);
      isLate ||= message?.kind === 'back' && message.from === holder.id;
      return isLate;
    });
    world.closeStorage();
    await stage.until(() => world.record.members[holder.id].alive !== alive, 1000);
    await stage.until(() => world.record.members[eldest.id].alive, 1000);
    eldest.context.freeze('all');
    await stage.until(() => late.kept.length, 1000);
    await stage.run(600);
    holder.kill();
    await stage.until(() => !world.record.members[holder.id], 4000);
    await stage.run(20);
    const reads = world.hold(writes());
    late.release();
    await stage.run(3);
    world.wipe();
    reads.release();
    eldest.speaks = (message) => [message];
    eldest.context.thaw();
    const waiting = doubtful.ask('a');
    await stage.until(() => waiting.told.length, 20000);
  },
};
