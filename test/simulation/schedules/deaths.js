/** How contexts learn of a death, and what follows. A member that sleeps keeps nobody waiting. */
import assert from 'node:assert/strict';
import { hears, posts, prompt } from '../stage.js';

/** @type {Record<string, import('../stage.js').Schedule>} */
export const deaths = {
  async 'D4: a holder that dies when another context has just joined is declared dead at once, if it was seen to live'(stage) {
    const [one] = await stage.open(1);
    await one.hold('a');
    const two = stage.tab();
    const waiting = two.ask('a');
    await stage.until(() => two.says.acting, 1000);
    await stage.run(20);
    one.kill();
    await stage.until(() => waiting.told.length, 500);
  },

  async 'D4: a holder that the first watch has seen to live is declared dead at once, though a later watch does not see that'(stage) {
    const [one] = await stage.open(1);
    await one.hold('a');
    const joiner = stage.latecomer();
    const { storage } = stage.world;
    const watchAlive = storage.watchAlive.bind(storage);
    /** @type {((wasHeld: boolean) => void)[]} */
    const watchers = [];
    // As in browsers: there is one deletion for each name, and only its first watch is told that the deletion is blocked.
    storage.watchAlive = (context, name, onDeath) => {
      if (context !== joiner.context) return watchAlive(context, name, onDeath);
      watchers.push(onDeath);
      if (watchers.length === 1) watchAlive(context, name, (wasHeld) => watchers.forEach((tell, place) => tell(wasHeld && !place)));
      return () => {};
    };
    const waiting = joiner.ask('a');
    await stage.until(() => watchers.length > 1, 1000);
    joiner.context.promptUntil = Infinity;
    one.kill();
    await stage.until(() => waiting.told.length, 300);
  },

  async 'D4: a holder that has joined after its watcher is declared dead at once, though it was not seen to live'(stage) {
    const { storage } = stage.world;
    const watchAlive = storage.watchAlive.bind(storage);
    storage.watchAlive = (context, name, onDeath) => watchAlive(context, name, () => onDeath(false));
    const one = stage.tab();
    one.context.promptUntil = Infinity;
    one.drop(await one.hold('door'));
    const two = stage.tab();
    await two.hold('a');
    const waiting = one.ask('a');
    await stage.run(20);
    two.kill();
    await stage.until(() => waiting.told.length, 300);
  },

  async 'D4: all connections are closed: a tab that loads then, and is told of names late, does not take a busy holder for dead'(stage) {
    const { world } = stage;
    const [holder, other] = await stage.open(2);
    const held = await holder.hold('a');
    const { alive } = world.record.members[other.id];
    holder.context.stall(700);
    world.closeStorage();
    await stage.until(() => world.record.members[other.id].alive !== alive, 100);
    const newcomer = stage.tab();
    // Storage is slow: the newcomer is told 200 ms late.
    const { storage } = world;
    const watchAlive = storage.watchAlive.bind(storage);
    storage.watchAlive = (context, name, onDeath) => watchAlive(context, name, (wasHeld) =>
      context === newcomer.context ? world.after(context, 200, 200, () => onDeath(wasHeld), 'storage') : onDeath(wasHeld));
    const waiting = newcomer.ask('a');
    await stage.run(550);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await stage.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D4: all connections are closed: a frame does not declare its opener dead while their thread is busy'(stage) {
    const { world } = stage;
    const [holder, other] = await stage.open(2);
    const held = await holder.hold('a');
    const { alive } = world.record.members[other.id];
    // The holder tries again after half a second.
    holder.context.brokenUntil = world.time + 300;
    world.closeStorage();
    await stage.until(() => world.record.members[other.id].alive !== alive, 100);
    const frame = stage.tab({ opener: holder });
    frame.context.promptUntil = Infinity;
    const waiting = frame.ask('a');
    await stage.run(300);
    assert.ok(frame.says.acting && !holder.count('back'));
    holder.context.stall(1000);
    other.context.freeze('all');
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D4: the lock of a dead leader is released'(stage) {
    const [leader, other, third] = await stage.open(3);
    await leader.hold('a');
    const waiting = [other.ask('a')];
    await stage.run(100);
    waiting.push(third.ask('a'));
    await stage.run(100);
    leader.kill();
    await stage.until(() => waiting[0].told.length, 1000);
    other.kill();
    await stage.until(() => waiting[1].told.length, 1000);
  },

  async 'D4: a waiter learns of the death of a holder, though the leader sleeps'(stage) {
    const [leader, holder, other] = await stage.open(3);
    await holder.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    leader.context.freeze('all');
    await stage.run(100);
    holder.kill();
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D4: a waiter learns of the death of a holder that has joined since the waiter last read the register'(stage) {
    const [leader, one] = await stage.open(2);
    const holder = stage.tab();
    await holder.hold('a');
    leader.context.freeze('all');
    const waiting = one.ask('a');
    await stage.run(300);
    holder.kill();
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D4: a context that is refused a lock learns of its holder\'s death, though it does not wait, and the leader sleeps'(stage) {
    for (const diesFirst of [false, true]) {
      const again = stage.with('broadcast');
      const [leader, holder, other] = await again.open(3);
      prompt(leader, holder, other);
      await holder.hold('a');
      leader.context.freeze('all');
      await again.run(1000);
      if (diesFirst) holder.kill();
      const refused = other.ask('a', { ifAvailable: true });
      await again.run(100);
      if (!diesFirst) holder.kill();
      await again.run(300);
      const next = other.ask('a', { ifAvailable: true });
      await again.until(() => next.told.length, 100);
      assert.deepEqual([refused.told, next.told], [['unavailable'], ['granted']]);
    }
  },

  async 'a free lock is granted, though all other members sleep'(stage) {
    const [leader, middle, other] = await stage.open(3);
    await middle.hold('a');
    leader.context.freeze('all');
    middle.context.freeze('all');
    const [free, taken] = [other.ask('b'), other.ask('a')];
    await stage.until(() => free.told.length, 40);
    await stage.run(60000);
    assert.deepEqual(taken.told, [], 'a sleeping member keeps its lock');
  },

  async 'D3, M1: a member that removes a record posts the `gone` of its client, though the `join` of that client has not come yet'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    const joiner = stage.latecomer();
    const join = world.hold(posts(joiner, 'operations'));
    joiner.ask('a');
    await stage.until(() => join.kept.length && world.record.members[joiner.id]?.stateful, 500);
    const { id } = joiner;
    const deaf = world.hold(hears(member));
    join.release();
    await stage.run(50);
    joiner.kill();
    await stage.until(() => member.buried().includes(id), 1000);
    assert.ok(!member.says.alone);
    assert.ok(member.core.last(id) < 0);
    deaf.release();
    await stage.run(3000);
    assert.deepEqual(member.core.state().members.map(({ client }) => client), [member.id]);
    const held = await member.hold('a');
    assert.deepEqual(held.told, ['granted']);
  },

  async 'D12: a holder that leaves posts its `gone`, and nobody waits for it'(stage) {
    const [leader, other] = await stage.open(2);
    const held = await leader.hold('a');
    const waiting = other.ask('a');
    await stage.run(50);
    leader.log.leave();
    await stage.until(() => waiting.told.length, 50);
    assert.deepEqual(held.told, ['granted', 'lost']);
  },

  async 'D6: a context that asks for the state, and is then frozen, keeps no visitor waiting once the last member is dead'(stage) {
    const [member] = await stage.open(1);
    member.context.freeze('all');
    const joiner = stage.tab();
    joiner.ask('a');
    await stage.run(100);
    // In this way of being frozen messages are delivered to it.
    joiner.context.freeze('chromium');
    member.kill();
    const asked = stage.tab().ask('a');
    await stage.until(() => asked.told.length, 3000);
  },

  async 'a visitor that comes after everybody has died is served'(stage) {
    const tabs = await stage.open(3);
    await tabs[1].hold('a');
    for (const tab of tabs) tab.kill();
    const visitor = stage.tab();
    const asked = visitor.ask('a');
    await stage.until(() => asked.told.length, 1000);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'D4: a waiter for a lock that several contexts share watches each of them, while the leader sleeps'(stage) {
    const [leader, one, two, waiter] = await stage.open(4);
    prompt(one, two, waiter);
    await one.hold('a', { mode: 'shared' });
    await two.hold('a', { mode: 'shared' });
    const waiting = waiter.ask('a');
    await stage.run(1500);
    leader.context.freeze('all');
    one.kill();
    two.kill();
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D3: a member whose record was removed loses its lock, though the remover died before it could post `gone`'(stage) {
    const { record, storage } = stage.world;
    const [one] = await stage.open(1);
    const held = await one.hold('a');
    const { alive } = stage.world.record.members[one.id];
    const change = Object.assign({ protocol: record.protocol, type: 'remove' }, { client: one.id, alive });
    storage.entries.push({ key: ++storage.lastKey, value: change });
    const visitor = stage.tab();
    const asked = visitor.ask('a');
    await stage.until(() => asked.told.length, 3000);
    assert.deepEqual(held.told, ['granted', 'lost']);
  },

  async 'D4: a holder that comes back to the register, and ends before it could say so, is watched by a new waiter'(stage) {
    const { world } = stage;
    const [, other, holder] = await stage.open(3);
    await holder.hold('a');
    await stage.run(100);
    holder.context.freeze('all');
    world.wipe();
    await stage.run(3000);
    assert.ok(world.record.members[holder.id].alive === '' && !world.record.incomplete);
    world.hold(posts(holder));
    holder.context.thaw();
    await stage.until(() => world.record.members[holder.id].alive, 2000);
    await stage.run(30);
    holder.kill();
    await stage.run(500);
    const waiting = other.ask('a');
    await stage.until(() => waiting.told.length, 5000);
  },
};
