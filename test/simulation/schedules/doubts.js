/** Two versions, data that is cleared twice, and deaths and joins while a member is in doubt: D10, D11, R19. */
import assert from 'node:assert/strict';
import { isLost, posts, sleepsThroughSteal, writes } from '../stage.js';
import { Storage } from '../storage.js';

/**
 * A member slept through a steal, the messages were deleted, and now it wakes. The leader has given the state to a joiner, and is dead. The
 * joiner's `stateful` is not written yet.
 * @param {import('../stage.js').Stage} stage
 */
const wakesBesideJoiner = async (stage) => {
  const { world } = stage;
  const { leader, sleeper, held } = await sleepsThroughSteal(stage, 'x');
  await stage.run(100);
  world.orders.store.sweep(0);
  const stateful = world.hold(writes('stateful'));
  const joiner = stage.latecomer();
  const waiting = joiner.ask('x');
  await stage.until(() => stateful.kept.length, 1000);
  leader.kill();
  sleeper.context.thaw();
  return { sleeper, held, stateful, joiner, waiting };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const doubts = {
  async 'R19: after data was cleared, a context of another version waits, since it hears that a member lives'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const stranger = stage.stranger();
    const waiting = stranger.ask('a');
    const held = await member.hold('a');
    await stage.run(300);
    world.wipe();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  },

  async 'R19: all connections are closed while a tab loads: it waits for a busy member of another version that it has heard'(stage) {
    const { world } = stage;
    const member = stage.stranger();
    const held = await member.hold('a');
    const newcomer = stage.tab();
    newcomer.context.brokenUntil = world.time + 100;
    const waiting = newcomer.ask('a');
    await stage.run(450);
    member.context.stall(300);
    world.closeStorage();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    member.kill();
    // It listens for a second more, since the member that it has heard may be busy.
    await stage.until(() => waiting.told.length, 2000);
  },

  async 'R19: all connections are closed while a tab with another maker of its order loads: it waits for a busy holder'(stage) {
    for (const [first, second] of /** @type {const} */ ([['broadcast', 'store'], ['store', 'broadcast']])) {
      const again = stage.with(first);
      const { world } = again;
      const [member] = await again.open(1);
      const held = await member.hold('a');
      member.context.stall(300);
      world.closeStorage();
      const newcomer = again.tab({ kind: second });
      const waiting = newcomer.ask('a');
      await again.run(3000);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      member.drop(held);
      await again.until(() => waiting.told.length, 1000);
    }
  },

  async 'D10: a member does not continue beside a joiner that was given the state'(stage) {
    const again = stage.with('store');
    const { sleeper, held, stateful, joiner, waiting } = await wakesBesideJoiner(again);
    await again.run(2000);
    assert.equal(sleeper.count('resume'), 0);
    stateful.release();
    await again.run(20000);
    assert.deepEqual([held.told, waiting.told], [['granted', 'broken'], ['granted']]);
    assert.equal(sleeper.core.hash(), joiner.core.hash());
  },

  async 'D10: a joiner that was given the state leaves before the register shows that: a member continues'(stage) {
    const again = stage.with('store');
    const { sleeper, joiner } = await wakesBesideJoiner(again);
    await again.run(1000);
    // Its record stays, since the page has no time to remove it.
    joiner.context.tell('away');
    await again.until(() => sleeper.says.acting, 8000);
  },

  async 'D10: a member does not continue beside a joiner whose `join` it has received, though not the state that it was given'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const { leader, sleeper, held } = await sleepsThroughSteal(again, 'x');
    const stateful = world.hold(writes('stateful'));
    const joiner = again.latecomer();
    const join = world.hold(posts(joiner, 'operations'));
    const waiting = joiner.ask('x');
    await again.until(() => stateful.kept.length && join.kept.length, 1000);
    await again.run(100);
    world.orders.store.sweep(0);
    join.release();
    await again.run(100);
    leader.kill();
    sleeper.context.thaw();
    await again.run(2000);
    assert.equal(sleeper.count('resume'), 0);
    stateful.release();
    await again.run(20000);
    assert.deepEqual([held.told, waiting.told], [['granted', 'broken'], ['granted']]);
    assert.equal(sleeper.core.hash(), joiner.core.hash());
  },

  async 'D2, D10: a joiner does not take a state that it was given before a member without that state continued the log'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const { leader, sleeper, held } = await sleepsThroughSteal(again, 'x');
    await again.run(100);
    world.orders.store.sweep(0);
    const joiner = again.tab();
    const { storage } = world;
    let open = () => {};
    const opens = new Promise((resolve) => {
      open = () => resolve(undefined);
    });
    storage.connect = (...values) => opens.then(() => Storage.prototype.connect.apply(storage, values));
    const waiting = joiner.ask('x');
    await again.until(() => leader.count('state'), 1000);
    await again.run(100);
    // Otherwise the `alone` would change the epoch.
    world.hold(writes('alone'));
    leader.kill();
    sleeper.context.thaw();
    await again.until(() => sleeper.count('resume'), 5000);
    await again.run(1000);
    open();
    await again.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    sleeper.drop(held);
    await again.until(() => waiting.told.length, 1000);
  },

  async 'D11: data is cleared twice while a member sleeps, and another log begins: the member is told that its lock is lost'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const held = await member.hold('a');
    member.context.freeze('all');
    world.wipe();
    const newcomer = stage.tab();
    const second = newcomer.ask('a');
    await stage.until(() => second.told.length, 500);
    world.wipe();
    await stage.run(100);
    member.context.thaw();
    await stage.run(3000);
    assert.deepEqual([held.told, second.told], [['granted', 'lost'], ['granted']]);
  },

  async 'D4: a member that is told of a death while it is in doubt looks for that death again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [leader, other, holder] = await again.open(3);
    await holder.hold('a');
    await again.run(100);
    const answers = [other, holder].map((tab) => world.hold(posts(tab, 'state')));
    leader.context.freeze('all');
    other.drop(await other.hold('b'));
    await again.run(50);
    world.orders.store.sweep(0);
    leader.context.thaw();
    await again.until(() => leader.says.acting === false, 3000);
    holder.kill();
    await again.run(60);
    for (const answer of answers) answer.release();
    await again.run(6000);
    const asked = other.ask('a', { ifAvailable: true });
    await again.run(1000);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'D4: all connections are closed, and the register stays: a holder that comes back late is not declared dead'(stage) {
    const { world } = stage;
    const { storage } = world;
    const [one, two] = await stage.open(2);
    const held = await two.hold('a');
    const waits = one.ask('a');
    await stage.run(100);
    // As in browsers: a name whose connection is closed can be deleted at once, though its holder lives.
    const watchAlive = storage.watchAlive.bind(storage);
    storage.watchAlive = (context, name, onDeath) => {
      const known = storage.names.get(name);
      if (!known || known.open) return watchAlive(context, name, onDeath);
      world.after(context, 2, 20, () => onDeath(false), 'storage');
      return () => {};
    };
    const late = world.hold(isLost(two));
    world.closeStorage();
    await stage.run(60);
    late.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waits.told], [['granted'], []]);
  },
};
