/** A hidden context stays a member for as long as the lock of another one depends on it: R15. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { answersNobody, kinds, prompt, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * The next waiter is frozen when data is cleared. The holder completes the register without it, releases the lock, and is hidden, so it
 * could leave. A newcomer asks for the lock.
 * @param {Stage} stage
 * @param {(holder: Tab) => void} [before] the release
 */
const nextIsFrozen = async (stage, before = () => {}) => {
  const { world } = stage;
  const [holder, next] = await stage.open(2);
  const held = await holder.hold('a');
  const waiting = next.ask('a');
  await stage.run(100);
  holder.context.promptUntil = Infinity;
  next.context.freeze('all');
  world.wipe();
  await stage.until(() => world.record.log && !world.record.incomplete, 1000);
  await stage.run(1500);
  assert.equal(world.record.members[next.id].alive, '');
  before(holder);
  holder.drop(held);
  holder.context.tell('hidden');
  await stage.run(3000);
  const other = stage.tab().ask('a');
  await stage.run(1000);
  assert.deepEqual(other.told, []);
  next.context.thaw();
  await stage.run(3000);
  assert.deepEqual([other.told, waiting.told], [[], ['granted']]);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const needed = {
  async 'R15: a hidden member stays while nobody could watch a holder that was frozen when data was cleared'(stage) {
    for (const kind of kinds) {
      // Before the register is complete, and long after.
      for (const later of [-100, 40, 2000]) {
        const again = stage.with(kind);
        const [keeper, holder] = await again.open(2);
        const held = await holder.hold('a');
        await again.run(100);
        const hide = async () => {
          // It leaves a second after it has released this lock.
          const last = await keeper.hold('b');
          keeper.context.tell('hidden');
          keeper.drop(last);
          await again.run(100);
        };
        if (later < 0) await hide();
        holder.context.freeze('all');
        again.world.wipe();
        await again.run(Math.max(0, later));
        if (later > 0) keeper.context.tell('hidden');
        await again.run(1500);
        const waiting = again.tab().ask('a');
        await again.run(3000);
        assert.deepEqual([held.told, waiting.told], [['granted'], []]);
        // Once the holder is back, it need not stay.
        holder.context.thaw();
        await again.until(() => !keeper.context.listening, 2500);
        assert.deepEqual([held.told, waiting.told], [['granted'], []]);
        holder.drop(held);
        await again.until(() => waiting.told.length, 1000);
      }
    }
  },

  async 'R15: a hidden member leaves once a holder that was frozen when data was cleared is back, though it watches another one'(stage) {
    const [, keeper, holder] = await stage.open(3);
    await holder.hold('a');
    holder.context.freeze('all');
    stage.world.wipe();
    await stage.run(2000);
    keeper.context.tell('hidden');
    await stage.run(1500);
    assert.ok(keeper.context.listening);
    holder.context.thaw();
    await stage.until(() => !keeper.context.listening, 2500);
  },

  async 'R15: a hidden member does not stay for another one that was frozen when data was cleared, and holds nothing'(stage) {
    const [old, sleeper] = await stage.open(2);
    sleeper.context.freeze('all');
    stage.world.wipe();
    await stage.run(2000);
    old.context.tell('hidden');
    await stage.until(() => !old.context.listening, 100);
    const asked = stage.tab().ask('a');
    await stage.until(() => asked.told.length, 1500);
  },

  'R15: a hidden member stays while the next waiter was frozen when data was cleared': nextIsFrozen,

  'R15: a hidden member that has missed messages stays while the next waiter was frozen when data was cleared': (stage) =>
    nextIsFrozen(stage, (holder) => holder.missesOne()),

  async 'R15: a hidden member stays if it may have missed the request of a waiter that nobody can watch'(stage) {
    const { world } = stage;
    const [holder, next] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    holder.context.promptUntil = Infinity;
    next.context.brokenUntil = Infinity;
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    await stage.run(1500);
    assert.equal(world.record.members[next.id].alive, '');
    holder.hears = (message) => fromMessage(message)?.from === next.id && fromMessage(message)?.kind === 'operations' ? [] : [message];
    const waiting = next.ask('a');
    await stage.until(() => next.core.state().pending.length, 100);
    await stage.run(10);
    next.context.freeze('all');
    holder.missesOne();
    holder.drop(held);
    holder.context.tell('hidden');
    await stage.run(3000);
    const other = stage.tab().ask('a');
    await stage.run(1000);
    next.context.brokenUntil = 0;
    next.context.thaw();
    await stage.run(3000);
    assert.ok(!(other.told.at(-1) === 'granted' && waiting.told.includes('granted')), `two holders: ${other.told}; ${waiting.told}`);
  },

  async 'R15: a hidden member in doubt leaves where everybody can be watched, so that a newcomer need not wait for it'(stage) {
    const [hidden, frozen] = await stage.open(2);
    await stage.run(3000);
    frozen.context.freeze('all');
    hidden.missesOne();
    hidden.context.tell('hidden');
    await stage.run(3000);
    hidden.context.freeze('all');
    await stage.run(1000);
    frozen.kill();
    const asked = stage.tab().ask('a');
    await stage.run(5000);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'R15: a hidden joiner stays while nobody could watch a holder that was frozen when data was cleared'(stage) {
    const { world } = stage;
    const [keeper, holder] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    keeper.context.promptUntil = Infinity;
    holder.context.freeze('all');
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    await stage.run(1500);
    assert.equal(world.record.members[holder.id].alive, '');
    // The joiner asks for nothing. It was given the state, but its `stateful` takes a while.
    const joiner = stage.latecomer();
    joiner.context.promptUntil = Infinity;
    const slow = world.hold(writes('stateful'));
    joiner.log.join();
    await stage.until(() => slow.kept.length, 1000);
    await stage.run(50);
    keeper.kill();
    joiner.context.tell('hidden');
    await stage.run(20);
    slow.release();
    await stage.run(1500);
    const waiting = stage.tab().ask('a');
    await stage.run(3000);
    holder.context.thaw();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 2000);
  },

  async 'R15: a hidden joiner leaves as soon as it knows that nobody needs it, since it may be frozen then'(stage) {
    const { world } = stage;
    const [page] = await stage.open(1);
    await stage.run(3000);
    const joiner = stage.latecomer();
    page.context.promptUntil = joiner.context.promptUntil = Infinity;
    joiner.log.join();
    await stage.until(() => world.record.members[joiner.id]?.stateful, 1000);
    page.context.tell('hidden');
    joiner.context.tell('hidden');
    await stage.run(500);
    joiner.context.freeze('all');
    await stage.run(1000);
    const asked = stage.tab().ask('b');
    await stage.until(() => asked.told.length, 1000);
  },

  async 'R15: a page that was needed when it was hidden, and works since, does not leave in a pause between two requests'(stage) {
    const { world } = stage;
    const [page, other] = await stage.open(2);
    await stage.run(3000);
    page.context.promptUntil = other.context.promptUntil = Infinity;
    world.closeStorage();
    await stage.run(200);
    page.context.tell('hidden');
    await stage.run(20);
    const held = await page.hold('w');
    await stage.run(1500);
    page.drop(held);
    const third = stage.tab();
    third.context.promptUntil = Infinity;
    third.log.join();
    await stage.run(100);
    [other, third].forEach(({ context }) => context.stall(3000));
    const asked = page.ask('w');
    await stage.until(() => asked.told.length, 500);
  },

  async 'R15: a hidden member in doubt leaves, though it has not acted since its connections were closed'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const [hidden, frozen] = await again.open(2);
      await again.run(3000);
      hidden.context.promptUntil = frozen.context.promptUntil = Infinity;
      const before = [hidden, frozen].map(({ id }) => world.record.members[id].alive);
      world.closeStorage();
      if (kind === 'broadcast') hidden.missesOne();
      // The frozen one stops as soon as it is back in the register, before it answers.
      frozen.hears = frozen.speaks = () => [];
      const isBack = () => [hidden, frozen].every(({ id }, index) => {
        const { alive } = world.record.members[id];
        return alive && alive !== before[index];
      });
      await again.until(isBack, 500);
      frozen.context.freeze('all');
      await again.run(50);
      hidden.context.tell('hidden');
      await again.run(10000);
      hidden.context.freeze('all');
      await again.run(1000);
      frozen.kill();
      const asked = again.tab().ask('a');
      await again.until(() => asked.told.length, 20000);
    }
  },

  async 'R15: a hidden member in doubt leaves, though it knows of deaths that concern nobody, or that everybody was told'(stage) {
    /** What happens before the member in doubt is hidden. @type {((again: Stage, third: Tab) => Promise<void>)[]} */
    const deaths = [
      async (again) => {
        const visitor = again.tab();
        const asked = visitor.ask('a');
        await again.run(2000);
        assert.deepEqual(asked.told, []);
        await visitor.end();
      },
      async (again, third) => third.context.tell('hidden'),
      (again, third) => third.end(),
    ];
    for (const kind of kinds) {
      for (const death of deaths) {
        const again = stage.with(kind);
        const [hidden, frozen, third] = await again.open(3);
        if (death === deaths[0]) third.log.leave();
        await again.run(3000);
        prompt(hidden, frozen, third);
        frozen.context.freeze('all');
        third.speaks = answersNobody;
        hidden.missesOne();
        await again.run(1000);
        assert.equal(hidden.says.acting, false);
        await death(again, third);
        await again.run(2500);
        hidden.context.tell('hidden');
        await again.run(4000);
        hidden.context.freeze('all');
        await again.run(1000);
        frozen.kill();
        const asked = again.tab().ask('a');
        await again.until(() => asked.told.length, 20000);
      }
    }
  },
};
