/** A context that has seemed dead for a moment, and has come back, lives: D3, D11. */
import assert from 'node:assert/strict';
import { answersNobody, isAnswered, isGone, joinsBesideDoubt, kinds, misses, posts, prompt } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * All connections are closed, and the holder's storage is broken for two seconds. The eldest is frozen once it is back. Another member
 * removes the holder's record. Then the holder comes back.
 * @param {Stage} stage
 * @param {Tab} eldest
 * @param {Tab} holder
 */
const comesBackLate = async (stage, eldest, holder) => {
  const { world } = stage;
  const { alive } = world.record.members[eldest.id];
  holder.context.brokenUntil = world.time + 2000;
  world.closeStorage();
  await stage.until(() => world.record.members[eldest.id].alive !== alive, 1000);
  eldest.context.freeze('all');
  await stage.until(() => !world.record.members[holder.id], 3000);
  await stage.until(() => world.record.members[holder.id]?.alive, 3000);
};

/**
 * A holder comes back late beside two members in doubt. One of them removes its record, and the other one reads that.
 * @param {Stage} stage
 * @returns {Promise<{eldest: Tab, remover: Tab, reader: Tab, holder: Tab, held: import('../stage.js').Asked}>}
 */
const seemsDead = async (stage) => {
  const { world } = stage;
  const [eldest, remover, reader, holder] = await stage.open(4);
  const held = await holder.hold('a');
  await stage.run(1500);
  prompt(eldest, remover, reader, holder);
  eldest.speaks = holder.speaks = answersNobody;
  [remover, reader].forEach((tab) => tab.missesOne());
  await stage.until(() => [remover, reader].every(({ says }) => says.acting === false), 100);
  // The reader's watches are slow.
  const { storage } = world;
  const watchAlive = storage.watchAlive.bind(storage);
  storage.watchAlive = (context, name, onDeath) => watchAlive(context, name, (wasHeld) =>
    context === reader.context ? world.after(context, 4000, 4000, () => onDeath(wasHeld), 'storage') : onDeath(wasHeld));
  await comesBackLate(stage, eldest, holder);
  return { eldest, remover, reader, holder, held };
};

/**
 * [asker] asks for the lock. It is granted only when the holder releases it, and not within [milliseconds].
 * @param {Stage} stage
 * @param {Tab} asker
 * @param {{holder: Tab, held: import('../stage.js').Asked}} cast
 * @param {number} milliseconds
 */
const waitsForHolder = async (stage, asker, { holder, held }, milliseconds) => {
  const waiting = asker.ask('a');
  await stage.run(milliseconds);
  assert.deepEqual([held.told, waiting.told], [['granted'], []]);
  holder.drop(held);
  await stage.until(() => waiting.told.length, 3000);
};

/**
 * Data is cleared while the holder is busy. The eldest is back, and answers the reader.
 * @param {Stage} stage
 * @param {Pick<Awaited<ReturnType<typeof seemsDead>>, 'eldest' | 'reader' | 'holder' | 'held'>} cast
 */
const keepsItsLock = async (stage, { eldest, reader, holder, held }) => {
  assert.ok(!reader.says.acting);
  holder.context.stall(300);
  eldest.speaks = (message) => [message];
  stage.world.wipe();
  eldest.context.thaw();
  await waitsForHolder(stage, reader, { holder, held }, 5000);
};

/**
 * All connections are closed, and the holder's storage is broken for longer. The eldest removes the holder's record. Its `gone` is long on
 * its way. Meanwhile the holder comes back, and another member reads that. The holder will miss that `gone`.
 * @param {Stage} stage
 */
const comesBackBeforeGone = async (stage) => {
  const { world } = stage;
  const [burier, knower, leaver, holder] = await stage.open(4);
  const held = await holder.hold('a');
  const { id } = holder;
  await stage.run(1500);
  prompt(burier, knower, leaver, holder);
  holder.context.brokenUntil = world.time + 1300;
  const gone = world.hold(posts(burier, 'gone'));
  // A context that hears `back` reads the register at once. The holder must not do that.
  holder.hears = (message) => (/"back"/.test(message) ? [] : [message]);
  world.closeStorage();
  await stage.until(() => !world.record.members[id], 3000);
  await stage.until(() => world.record.members[id]?.alive, 3000);
  leaver.log.leave();
  await stage.run(60);
  holder.hears = misses(holder, isGone);
  return { burier, knower, holder, held, id, gone };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const seeming = {
  async 'D11: a holder that loses its connections, and comes back late, keeps its lock despite an earlier read'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { held } = await seemsDead(again);
      await again.run(3000);
      assert.deepEqual(held.told, ['granted']);
    }
  },

  async 'D3: a holder that has come back is not declared dead by a context in doubt that has read its record'(stage) {
    const cast = await seemsDead(stage);
    await stage.run(1000);
    cast.remover.log.leave();
    await stage.run(1000);
    await keepsItsLock(stage, cast);
  },

  async 'D3: a holder that has come back is not declared dead by a context in doubt that reads its record, but does not list it'(stage) {
    for (const kind of kinds) {
      const again = stage.with(kind);
      const { eldest, doubtful, holder, held } = await joinsBesideDoubt(again, 'a');
      await comesBackLate(again, eldest, holder);
      await again.run(3000);
      await keepsItsLock(again, { eldest, reader: doubtful, holder, held });
    }
  },

  async 'D3: a holder that has come back is not declared dead by a context in doubt that has heard so'(stage) {
    const cast = await seemsDead(stage);
    await stage.until(() => cast.holder.count('back'), 100);
    await stage.run(10);
    cast.remover.kill();
    await keepsItsLock(stage, cast);
  },

  async 'D3: a holder that counted as dead while frozen, and has come back, is not declared dead by a member that knew of that'(first) {
    const stage = first.with('store');
    const { world } = stage;
    const [holder, knower] = await stage.open(2);
    const held = await holder.hold('a');
    await stage.run(300);
    prompt(holder, knower);
    holder.context.freeze('all');
    world.closeStorage();
    await stage.until(() => !knower.lists(holder.id), 6000);
    await stage.run(100);
    // The holder never reads of that, since everything is cleared.
    knower.context.freeze('all');
    world.wipe();
    holder.context.thaw();
    await stage.run(6000);
    const waiting = stage.tab().ask('a');
    await stage.run(1000);
    knower.context.thaw();
    await stage.run(6000);
    assert.deepEqual([held.told, waiting.told], [['granted'], []]);
    holder.drop(held);
    await stage.until(() => waiting.told.length, 3000);
  },

  async 'D3: a member that was taken for dead goes on waiting, and loses only what it held'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const [eldest, sleeper] = await stage.open(2);
      const held = await sleeper.hold('a');
      const other = await eldest.hold('b');
      const waiting = sleeper.ask('b');
      await stage.run(300);
      sleeper.context.freeze('all');
      stage.world.closeStorage();
      await stage.until(() => eldest.buried().includes(sleeper.id), 6000);
      await stage.run(300);
      sleeper.context.thaw();
      await stage.run(3000);
      assert.deepEqual([held.told, waiting.told], [['granted', 'lost'], []]);
      eldest.drop(other);
      await stage.until(() => waiting.told.includes('granted'), 1000);
    }
  },

  async 'D3: a holder that has come back is not declared dead by a member that knew of its false death, and has joined anew'(stage) {
    const cast = await comesBackBeforeGone(stage);
    const { burier, knower, holder, id, gone } = cast;
    burier.speaks = knower.speaks = answersNobody;
    gone.release();
    await stage.until(() => !knower.lists(id), 300);
    burier.kill();
    knower.context.tell('hidden');
    await stage.run(3000);
    holder.hears = knower.speaks = (message) => [message];
    knower.context.tell('visible');
    await waitsForHolder(stage, knower, cast, 8000);
  },

  async 'D3: a holder that has come back is not declared dead by a member that hears of its false death in the next life'(stage) {
    const cast = await comesBackBeforeGone(stage);
    const { burier, knower, holder, gone } = cast;
    burier.speaks = holder.speaks = answersNobody;
    knower.context.tell('away');
    await stage.run(20);
    const opening = stage.world.hold(isAnswered(knower));
    knower.context.tell('visible');
    knower.log.join();
    await stage.run(30);
    gone.release();
    await stage.run(20);
    assert.ok(!holder.says.acting);
    burier.kill();
    await stage.until(() => holder.says.acting, 3000);
    holder.hears = holder.speaks = (message) => [message];
    opening.release();
    await waitsForHolder(stage, knower, cast, 8000);
  },

  async 'D3: a holder that has come back is not declared dead by a member that was in doubt when it heard of its false death'(stage) {
    const cast = await comesBackBeforeGone(stage);
    const { burier, knower, holder, gone } = cast;
    burier.speaks = holder.speaks = answersNobody;
    knower.missesOne();
    // The holder gets farther.
    await holder.hold('d');
    await stage.run(30);
    gone.release();
    await stage.run(20);
    assert.ok(!holder.says.acting);
    burier.kill();
    await stage.until(() => holder.count('resume'), 8000);
    holder.hears = holder.speaks = (message) => [message];
    await waitsForHolder(stage, knower, cast, 8000);
  },
};
