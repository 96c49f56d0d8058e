/** The browser closes all connections, and keeps what is stored: D4, D6, R15. */
import assert from 'node:assert/strict';
import { hears, isAnswered, isLost, kinds, writes } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */

/** Whether all copies are equal. @param {import('../stage.js').Tab[]} tabs */
const areEqual = (tabs) => new Set(tabs.map(({ core }) => core.hash())).size === 1;

/**
 * Storage is disturbed while one member holds a lock and two wait. Both are served in their turn.
 * @param {Stage} stage @param {() => void} clear
 */
const clears = async (stage, clear) => {
  const [first, second, third] = await stage.open(3);
  const held = await second.hold('a');
  const next = first.ask('a');
  await stage.run(50);
  const last = third.ask('a');
  await stage.run(50);
  clear();
  await stage.run(3000);
  assert.deepEqual([held.told, next.told, last.told], [['granted'], [], []]);
  second.drop(held);
  await stage.until(() => next.told.length, 1000);
  first.drop(next);
  await stage.until(() => last.told.length, 1000);
  await stage.run(100);
  assert.ok(areEqual([first, second, third]));
  return [first, second, third];
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const connections = {
  async 'the browser closes all connections, and nothing is lost'(stage) {
    await clears(stage, () => stage.world.closeStorage());
  },

  async 'all connections are closed: a context that is about to join does not take a busy holder for dead'(stage) {
    const { world } = stage;
    const [holder] = await stage.open(1);
    const held = await holder.hold('a');
    holder.context.stall(700);
    const joiner = stage.tab();
    const waiting = joiner.ask('a');
    await stage.until(() => world.record.members[joiner.id], 200);
    await stage.run(20);
    world.closeStorage();
    await stage.run(500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await stage.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed: a joiner that is told of a death before it hears of the closing does not believe it'(stage) {
    const { world } = stage;
    const [holder] = await stage.open(1);
    const held = await holder.hold('a');
    holder.context.stall(1000);
    const joiner = stage.tab();
    const waiting = joiner.ask('a');
    await stage.until(() => world.record.members[joiner.id], 200);
    await stage.run(20);
    const news = world.hold(isLost(joiner));
    world.closeStorage();
    await stage.run(450);
    news.release();
    await stage.run(2000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed: a tab that loads once another member is back does not take a busy holder for dead'(stage) {
    for (const place of [0, 1]) {
      const again = stage.with('broadcast');
      const tabs = await again.open(2);
      const [holder, other] = [tabs[place], tabs[1 - place]];
      const held = await holder.hold('a');
      const { alive } = again.world.record.members[other.id];
      holder.context.stall(700);
      again.world.closeStorage();
      await again.until(() => again.world.record.members[other.id].alive !== alive, 100);
      const newcomer = again.tab();
      const waiting = newcomer.ask('a');
      await again.run(500);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      await again.run(1500);
      assert.deepEqual([held.told, waiting.told], [['granted'], []]);
      holder.drop(held);
      await again.until(() => waiting.told.length, 1000);
    }
  },

  async 'all connections are closed: a tab that loads then, and is busy itself, does not take a busy holder for dead'(stage) {
    const again = stage.with('broadcast');
    const [holder, other] = await again.open(2);
    const held = await holder.hold('a');
    const { alive } = again.world.record.members[other.id];
    holder.context.stall(700);
    again.world.closeStorage();
    await again.until(() => again.world.record.members[other.id].alive !== alive, 100);
    const newcomer = again.tab();
    const { storage } = again.world;
    const watchAlive = storage.watchAlive.bind(storage);
    storage.watchAlive = (context, ...watched) => {
      const endWatch = watchAlive(context, ...watched);
      if (context === newcomer.context) context.stall(200);
      return endWatch;
    };
    const waiting = newcomer.ask('a');
    await again.run(500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await again.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => waiting.told.length, 1000);
  },

  async 'R15: all connections are closed: a hidden member does not leave while a busy holder has not come back'(stage) {
    const { world } = stage;
    const [holder, hidden] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    hidden.context.promptUntil = Infinity;
    // Otherwise it would leave at once.
    const asked = await hidden.hold('b');
    hidden.context.tell('hidden');
    hidden.drop(asked);
    await stage.run(900);
    holder.context.stall(700);
    world.closeStorage();
    await stage.run(200);
    const waiting = stage.tab().ask('a');
    await stage.run(400);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    await stage.until(() => !world.record.members[hidden.id], 5000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D6: all connections are closed: a tab that loads then begins no log while an awake member opens the store again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [holder] = await again.open(1);
    const held = await holder.hold('a');
    await again.run(100);
    world.closeStorage();
    const answers = world.hold(isAnswered(holder));
    const newcomer = again.tab();
    newcomer.context.promptUntil = Infinity;
    const waiting = newcomer.ask('a');
    await again.run(130);
    answers.release();
    await again.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await again.until(() => waiting.told.length, 1000);
  },

  async 'D6: all connections are closed: a tab that loads then begins no log beside an awake member that is in doubt'(stage) {
    const { world } = stage;
    const [holder, other] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(100);
    other.kill();
    await stage.until(() => holder.core.state().members.length === 1, 1000);
    holder.missesOne();
    world.closeStorage();
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const waiting = newcomer.ask('a');
    const late = [world.hold(hears(newcomer)), world.hold(writes('return'))];
    await stage.run(200);
    for (const each of late) each.release();
    await stage.run(3000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed: a tab that loads before any member is back does not take a busy holder for dead'(stage) {
    const { world } = stage;
    const [holder, other] = await stage.open(2);
    const held = await holder.hold('a');
    holder.context.stall(700);
    world.closeStorage();
    const returning = world.hold(writes('return'));
    const newcomer = stage.tab();
    const waiting = newcomer.ask('a');
    await stage.run(500);
    assert.ok(newcomer.says.acting && !other.count('back'));
    returning.release();
    await stage.run(1500);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'all connections are closed: the locks of members that die then are released'(stage) {
    const [holder, other] = await stage.open(2);
    await holder.hold('a');
    const waiting = other.ask('a');
    await stage.run(100);
    stage.world.closeStorage();
    holder.kill();
    await stage.run(100);
    const newcomer = stage.tab();
    const last = newcomer.ask('a');
    await stage.until(() => waiting.told.length, 2500);
    other.kill();
    await stage.until(() => last.told.length, 2500);
  },

  async 'all connections are closed: the lock of a holder that was watched before, and dies then, is released'(stage) {
    const { world } = stage;
    const [one, holder] = await stage.open(2);
    await holder.hold('a');
    const waiting = one.ask('a');
    await stage.run(200);
    world.closeStorage();
    holder.kill();
    await stage.until(() => waiting.told.length, 5000);
  },

  async 'all connections are closed while a member reads the register: the lock of a holder that dies later is released'(stage) {
    const { world } = stage;
    const [one, holder] = await stage.open(2);
    await holder.hold('a');
    await stage.run(100);
    const answers = world.hold(isAnswered(one));
    stage.tab().ask('b');
    await stage.until(() => answers.kept.length, 1000);
    world.closeStorage();
    await stage.run(40);
    answers.release();
    const waiting = one.ask('a');
    await stage.run(1000);
    holder.kill();
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'D4: all connections are closed when a member has begun to wait: it learns of a later death, though the leader sleeps'(stage) {
    const { world } = stage;
    const [leader, one, holder] = await stage.open(3);
    await leader.hold('a');
    one.ask('a');
    await stage.until(() => one.core.state().pending.length, 100);
    world.closeStorage();
    await stage.run(4000);
    await holder.hold('c');
    leader.context.freeze('all');
    const waiting = one.ask('c');
    await stage.run(300);
    holder.kill();
    await stage.until(() => waiting.told.length, 1000);
  },

  async 'D11: a joiner that hears others come back while its storage opens is not lost because of an earlier read'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { world } = again;
      const members = await again.open(2);
      await again.run(1500);
      const newcomer = again.tab();
      const opening = world.hold(isAnswered(newcomer));
      const asked = newcomer.ask('a');
      const { id } = newcomer;
      await again.run(10);
      world.closeStorage();
      await again.until(() => members.every((tab) => tab.count('back')), 1000);
      await again.run(20);
      opening.release();
      await again.until(() => asked.told.length, 3000);
      await again.run(1000);
      assert.deepEqual([asked.told, newcomer.id], [['granted'], id]);
    }
  },

  async 'a context that has left watches nobody any more'(stage) {
    const { storage } = stage.world;
    const [holder, watcher] = await stage.open(2);
    await holder.hold('a');
    watcher.ask('a');
    const watches = () => [...storage.names.values()].flatMap((name) => [...name.watches])
      .filter(({ context, watchers }) => context === watcher.context && watchers.size);
    await stage.until(() => watches().length, 1000);
    watcher.log.leave();
    assert.deepEqual(watches(), []);
  },
};
