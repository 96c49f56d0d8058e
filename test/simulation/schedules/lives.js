/** A life of a context ends or begins at a bad moment: D11, D12. */
import assert from 'node:assert/strict';
import { fromMessage } from '../../../glue/log/messages.js';
import { answersNobody, hears, isAnswered, posts } from '../stage.js';

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Tab} Tab */

/**
 * A member posts a forced release. Its life ends before the release is delivered to it, and another life begins later.
 * @param {Stage} stage
 * @param {(one: Tab) => void} end
 * @param {(one: Tab) => void} begin
 */
const forcesOnce = async (stage, end, begin) => {
  const [one, holder, next] = await stage.open(3);
  const held = await holder.hold('x');
  const second = next.ask('x');
  await stage.run(100);
  let done = false;
  void one.log.forceRelease(['x']).then(() => { done = true; });
  const before = one.count('operations');
  await stage.until(() => one.count('operations') > before, 100);
  end(one);
  await stage.run(5000);
  begin(one);
  await stage.run(5000);
  assert.deepEqual([held.told, second.told, done], [['granted', 'broken'], ['granted'], true]);
};

/**
 * Data is cleared, and the holder comes back late. A newcomer misses the holder's answer while the newcomer's log is being written.
 * @param {Stage} stage
 * @param {number} [stall] for so many milliseconds the holder is busy right after that
 */
const missesAnswer = async (stage, stall = 0) => {
  const { world } = stage;
  const [member] = await stage.open(1);
  member.context.promptUntil = Infinity;
  const held = await member.hold('a');
  await stage.run(100);
  const deaf = world.hold(hears(member));
  const returns = world.hold(isAnswered(member));
  world.wipe();
  const newcomer = stage.tab();
  newcomer.context.promptUntil = Infinity;
  const answers = world.hold(({ context, sort }) => sort === 'storage' && context === newcomer.context && !!world.record.log);
  const waiting = newcomer.ask('a');
  await stage.until(() => world.record.log, 500);
  let missed = false;
  newcomer.hears = (message) => {
    if (fromMessage(message)?.from !== member.id || missed) return [message];
    missed = true;
    return [];
  };
  deaf.release();
  await stage.until(() => missed, 500);
  if (stall) await stage.run(10);
  newcomer.missesOne();
  if (stall) member.context.stall(stall);
  await stage.run(stall ? 0.01 : 1);
  answers.release();
  await stage.run(150);
  returns.release();
  await stage.run(5000);
  assert.deepEqual([held.told, waiting.told], [['granted'], []]);
};

/**
 * Data is cleared. A newcomer writes a fresh log, but storage does not answer it. The only member of the older log is awake, and cannot
 * come back to the register yet.
 * @param {Stage} stage
 */
const neverBegins = async (stage) => {
  const { world } = stage;
  const [member] = await stage.open(1);
  member.context.promptUntil = Infinity;
  const held = await member.hold('a');
  await stage.run(100);
  const deaf = world.hold(hears(member));
  const returns = world.hold(isAnswered(member));
  world.wipe();
  const newcomer = stage.tab();
  newcomer.context.promptUntil = Infinity;
  world.hold(({ context, sort }) => sort === 'storage' && context === newcomer.context && !!world.record.log);
  newcomer.ask('a');
  await stage.until(() => world.record.log, 500);
  deaf.release();
  return { world, newcomer, held, returns };
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const lives = {
  'D12: a page that has gone away and comes back does not send its forced release again': (stage) =>
    forcesOnce(stage, (one) => one.context.tell('away'), (one) => one.context.tell('visible')),

  'R2: a context that has left and joins anew does not send its forced release again': (stage) =>
    forcesOnce(stage, (one) => one.log.leave(), () => {}),

  async 'D11: what a context posts when it leaves is lost with the store: it posts the `gone` of its former client when it is back'(stage) {
    for (const leave of [(/** @type {Tab} */ tab) => tab.log.leave(), (/** @type {Tab} */ tab) => tab.context.tell('hidden')]) {
      const again = stage.with('store');
      const { world } = again;
      const [, other] = await again.open(2);
      const held = await other.hold('a');
      await again.run(100);
      world.wipe();
      other.drop(held);
      leave(other);
      await again.run(3000);
      other.context.tell('visible');
      const asked = other.ask('a');
      await again.run(5000);
      assert.deepEqual(asked.told, ['granted']);
    }
  },

  async 'D11: a context posts the `gone` of its former client, though it has been in another log since'(first) {
    const stage = first.with('store');
    const { world } = stage;
    const [member, other] = await stage.open(2);
    const held = await other.hold('a');
    await stage.run(100);
    member.context.freeze('all');
    world.wipe();
    other.drop(held);
    other.log.leave();
    await stage.run(3000);
    // It begins a fresh log, and leaves that one, too.
    other.drop(await other.hold('b'));
    await stage.run(200);
    other.log.leave();
    await stage.run(3000);
    world.wipe();
    await stage.run(10);
    // Now the older log continues.
    member.context.thaw();
    await stage.run(5000);
    const asked = other.ask('a');
    await stage.run(5000);
    assert.deepEqual(asked.told, ['granted']);
  },

  async 'D11: a joiner whose own `gone` is lost with the store posts the `gone` of its former client again'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const { storage, orders: { store } } = world;
    const [member, other] = await again.open(2);
    const held = await other.hold('a');
    await again.run(50);
    const joiner = again.tab();
    const posted = world.hold(posts(joiner, 'operations'));
    const asked = joiner.ask('a');
    const { id } = joiner;
    await again.until(() => posted.kept.length, 1000);
    const deaf = world.hold(isAnswered(joiner));
    posted.release();
    await again.until(() => member.core.last(id) >= 0 && other.core.last(id) >= 0, 1000);
    const deafMembers = [member, other].map((tab) => world.hold(isAnswered(tab)));
    // The register is deleted first, then the messages with the joiner's `gone`.
    for (const context of world.contexts) storage.lose(context, true);
    storage.wipe();
    await again.until(() => joiner.id !== id, 1000);
    for (let left = 100; left && !store.kept.some(({ message }) => fromMessage(message)?.kind === 'gone'); left--) await again.run(1);
    for (const context of world.contexts) store.lose(context, true);
    store.wipe();
    [deaf, ...deafMembers].forEach((each) => each.release());
    await again.run(4000);
    other.drop(held);
    await again.run(5000);
    assert.deepEqual(asked.told, ['granted']);
  },

  'D11: a newcomer that misses a message while its log is being written does not begin that log': (stage) => missesAnswer(stage),

  async 'D6: a newcomer that has given up its log listens before it begins another one'(stage) {
    for (let stall = 6; stall <= 12; stall += 2) await missesAnswer(stage.with('broadcast'), stall);
  },

  async 'R2: a context that leaves after a long doubt does not send its forced release again'(stage) {
    const [one, holder, next] = await stage.open(3);
    const held = await holder.hold('x');
    const second = next.ask('x');
    await stage.run(100);
    let done = false;
    void one.log.forceRelease(['x']).then(() => { done = true; });
    const before = one.count('operations');
    await stage.until(() => one.count('operations') > before, 100);
    one.missesOne();
    holder.context.stall(800);
    next.context.stall(800);
    await stage.run(700);
    one.log.leave();
    await stage.run(5000);
    assert.deepEqual([held.told, second.told, done], [['granted', 'broken'], ['granted'], true]);
  },

  async 'D11: a forced release that was sent in a void log is made in the older log'(stage) {
    const { world } = stage;
    const [member] = await stage.open(1);
    member.context.promptUntil = Infinity;
    const held = await member.hold('a');
    await stage.run(100);
    // The member does not answer while the newcomer listens, and comes back only after the newcomer has begun.
    const deaf = world.hold(hears(member));
    const returns = world.hold(isAnswered(member));
    world.wipe();
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const begins = world.hold(posts(newcomer, 'begin'));
    let done = false;
    void newcomer.log.forceRelease(['a']).then(() => { done = true; });
    await stage.until(() => begins.kept.length, 500);
    deaf.release();
    await stage.run(20);
    begins.release();
    await stage.run(50);
    returns.release();
    await stage.run(5000);
    assert.deepEqual([held.told, done], [['granted', 'broken'], true]);
  },

  async 'D11: a fresh log that is given up for the state of an older one does not stay in the register without members'(stage) {
    const { world } = stage;
    const [one, member] = await stage.open(2);
    const held = await member.hold('a');
    await stage.run(100);
    member.context.promptUntil = Infinity;
    member.context.freeze('all');
    world.wipe();
    await stage.until(() => world.record.log && !world.record.incomplete, 1000);
    const { log } = world.record;
    one.kill();
    await stage.run(100);
    // The newcomer's log is written, but it hears of that only after it was given the state of the older log.
    const newcomer = stage.tab();
    newcomer.context.promptUntil = Infinity;
    const isWritten = () => world.record.log !== log;
    const answers = world.hold(({ context, sort }) => sort === 'storage' && context === newcomer.context && isWritten());
    const waiting = newcomer.ask('a');
    await stage.until(isWritten, 2000);
    const returns = world.hold(isAnswered(member));
    member.context.thaw();
    await stage.until(() => newcomer.says.restored, 1000);
    const { id } = newcomer;
    answers.release();
    await stage.until(() => newcomer.id !== id, 100);
    const isLeft = () => world.record.log && !Object.keys(world.record.members).length;
    for (let left = 40; left && !isLeft(); left--) await stage.run(0.1);
    // The second one must listen for as long as the member is busy.
    const second = stage.tab();
    second.context.promptUntil = Infinity;
    const other = second.ask('a');
    member.context.stall(9);
    await stage.run(200);
    returns.release();
    await stage.run(5000);
    assert.deepEqual([held.told, waiting.told, other.told], [['granted'], [], []]);
  },

  async 'D6: a newcomer that waits for the writer of a log that never begins listens before it begins another one'(stage) {
    const { world, newcomer, held, returns } = await neverBegins(stage);
    // Its hellos are not delivered for a while, so it is still listening.
    const second = stage.tab();
    second.context.promptUntil = Infinity;
    const listens = world.hold(hears(second));
    second.ask('a');
    await stage.run(100);
    newcomer.kill();
    await stage.run(200);
    assert.equal(second.count('begin'), 0);
    listens.release();
    returns.release();
    await stage.run(1000);
    assert.deepEqual(held.told, ['granted']);
  },

  async 'D6: a newcomer that has heard of a log that is not in the register does not replace the log that stands there'(stage) {
    const { newcomer, held, returns } = await neverBegins(stage);
    const second = stage.tab();
    second.context.promptUntil = Infinity;
    second.ask('a');
    await stage.run(100);
    newcomer.kill();
    await stage.run(200);
    assert.equal(second.count('begin'), 0);
    returns.release();
    await stage.run(1000);
    assert.deepEqual(held.told, ['granted']);
  },

  async 'a forced release that was not sent in a life that was lost is sent in the next one'(stage) {
    const [one, other] = await stage.open(2);
    const held = await other.hold('x');
    for (let turn = 0; turn < 5; turn++) one.drop(await one.hold('door'));
    await stage.run(100);
    one.log.leave();
    const { speaks } = other;
    other.speaks = answersNobody;
    void one.log.forceRelease(['x']);
    await stage.run(300);
    assert.deepEqual(held.told, ['granted']);
    stage.world.closeStorage();
    await stage.run(100);
    other.speaks = speaks;
    await stage.until(() => held.told.includes('broken'), 10000);
  },

  async 'what a context writes into the register does not grow with its lives'(stage) {
    const tab = stage.tab();
    /** @type {number[]} */
    const sizes = [];
    for (let life = 0; life < 200; life++) {
      tab.drop(await tab.hold('a'));
      await stage.run(20);
      sizes.push(JSON.stringify(stage.world.storage.entries).length);
      tab.log.leave();
      await stage.run(50);
    }
    // The register is written anew after 64 changes.
    assert.ok(Math.max(...sizes.slice(100)) < 1.5 * Math.max(...sizes.slice(40, 100)), `${sizes}`);
  },

  async 'a context that cannot join yet, and asks and gives up again and again, sends only what it still wants'(stage) {
    const old = stage.stranger();
    old.drop(await old.hold('door'));
    await stage.run(3000);
    const tab = stage.tab();
    const first = tab.ask('a');
    for (let turn = 0; turn < 300; turn++) {
      const request = tab.ask('a');
      await stage.run(100);
      tab.drop(request);
    }
    const last = tab.ask('a');
    const other = tab.ask('b');
    old.kill();
    await stage.until(() => first.told.length && other.told.length, 20000);
    const sent = tab.posted.filter((message) => message.kind === 'operations').map(({ values }) => values[values.length - 1].length);
    assert.ok(Math.max(...sent) < 100, `${sent}`);
    assert.deepEqual(last.told, []);
    tab.drop(first);
    await stage.until(() => last.told.length, 1000);
  },
};
