/** Log time (D5): what a lease counts from. */
import assert from 'node:assert/strict';
import { answersNobody, hears, isAnswered, kinds, posts } from '../stage.js';

/** How long nothing is posted, in milliseconds. */
const SILENCE = 60000;
const LEASE = 2000;

/**
 * A request has waited in silence for the lock. When the lock is granted, the lease begins.
 * @param {import('../stage.js').Stage} stage @param {import('../stage.js').Asked} asked @param {() => void} end of the hold
 */
const lasts = async (stage, asked, end) => {
  await stage.run(SILENCE);
  assert.deepEqual(asked.told, []);
  end();
  await stage.until(() => asked.told.length, 1000);
  await stage.run(LEASE - 300);
  assert.deepEqual(asked.told, ['granted']);
  await stage.until(() => asked.told.length > 1, 1000);
  assert.deepEqual(asked.told, ['granted', 'expired']);
};

/** @type {Record<string, import('../stage.js').Schedule>} */
export const time = {
  async 'D5: a lease counts from its grant: the holder releases'(stage) {
    const [tab, other] = await stage.open(2);
    const held = await tab.hold('a');
    await lasts(stage, other.ask('a', { hold: LEASE }), () => tab.drop(held));
  },

  async 'D5: a lease counts from its grant: the next waiter gives up'(stage) {
    const [tab, other, third] = await stage.open(3);
    await tab.hold('a', { mode: 'shared' });
    const next = other.ask('a');
    await stage.run(100);
    await lasts(stage, third.ask('a', { hold: LEASE, mode: 'shared' }), () => other.drop(next));
  },

  async 'D2, D5: a joiner that was given the state while its storage opened has the present time'(stage) {
    const [tab] = await stage.open(1);
    await stage.run(1000);
    const joiner = stage.tab();
    const opens = stage.world.hold(isAnswered(joiner));
    const asked = joiner.ask('a', { hold: LEASE / 4 });
    await stage.until(() => tab.count('state'), 100);
    await stage.run(LEASE / 2);
    opens.release();
    await stage.until(() => asked.told.length, 500);
    assert.equal(tab.count('state'), 1);
    await stage.run(LEASE / 4 - 100);
    assert.deepEqual(asked.told, ['granted']);
    await stage.until(() => asked.told.length > 1, 500);
  },

  async 'D5: a lease counts from its grant: the holder dies'(stage) {
    const [, other, third] = await stage.open(3);
    await other.hold('a');
    await lasts(stage, third.ask('a', { hold: LEASE }), () => other.kill());
  },

  async 'D5: a lease counts from its grant: the holder leaves'(stage) {
    const [, other, third] = await stage.open(3);
    await other.hold('a');
    await lasts(stage, third.ask('a', { hold: LEASE }), () => other.log.leave());
  },

  async 'D5: a lease counts from its grant: the holder leaves in doubt'(first) {
    for (const kind of kinds) {
      const stage = first.with(kind);
      const [eldest, other, third] = await stage.open(3);
      await other.hold('a');
      await lasts(stage, third.ask('a', { hold: LEASE }), () => {
        eldest.speaks = third.speaks = answersNobody;
        other.missesOne();
        other.log.leave();
      });
    }
  },

  async 'D5: a lease counts from its grant: the holder releases, and has been busy all the while'(stage) {
    const [tab, other] = await stage.open(2);
    const held = await tab.hold('a');
    const deaf = stage.world.hold(hears(tab));
    await lasts(stage, other.ask('a', { hold: LEASE }), () => {
      tab.drop(held);
      void Promise.resolve().then(deaf.release);
    });
  },

  async 'D5: a lease counts from its grant: a context that was given the state since forces the release'(stage) {
    const [tab, other] = await stage.open(2);
    await tab.hold('a');
    const waiting = other.ask('a', { hold: LEASE });
    await stage.run(200);
    const newcomer = stage.tab();
    newcomer.drop(await newcomer.hold('b'));
    await lasts(stage, waiting, () => void newcomer.log.forceRelease(['a']));
  },

  async 'D5: a lease counts from its grant: the holder is alone'(stage) {
    const [tab] = await stage.open(1);
    const held = await tab.hold('a');
    const waiting = tab.ask('a', { hold: LEASE });
    await stage.until(() => tab.says.alone, 5000);
    await lasts(stage, waiting, () => tab.drop(held));
  },

  async 'D5: a deadline is posted once, though its `tick` is long on its way'(stage) {
    const [tab] = await stage.open(2);
    const held = await tab.hold('a', { hold: 300 });
    const before = tab.count('tick');
    const ticks = stage.world.hold(posts(tab, 'tick'));
    await stage.until(() => ticks.kept.length, 500);
    await stage.run(150);
    assert.equal(tab.count('tick'), before + 1);
    // The `tick` may be lost.
    await stage.until(() => tab.count('tick') > before + 1, 200);
    ticks.release();
    await stage.until(() => held.told.includes('expired'), 100);
  },

  async 'D5: a context in doubt does not look again and again whether it may post the time'(stage) {
    const { world } = stage;
    const [tab, other] = await stage.open(2);
    const held = await tab.hold('a', { hold: LEASE });
    other.context.freeze('all');
    tab.missesOne();
    await stage.run(LEASE);
    let timers = 0;
    world.hold(({ context, sort }) => {
      if (sort === 'timer' && context === tab.context) timers++;
      return false;
    });
    await stage.run(LEASE);
    assert.deepEqual([timers < 30, held.told], [true, ['granted']], `${timers} timers`);
    other.context.thaw();
    await stage.until(() => held.told.length > 1, 1000);
  },

  async 'D5: a context that is older than the log, and joins it late, has the log\'s time'(stage) {
    const old = stage.tab();
    await stage.run(SILENCE);
    const [tab] = await stage.open(1);
    const held = await tab.hold('a', { hold: LEASE });
    old.ask('a');
    await stage.run(LEASE - 300);
    assert.deepEqual(held.told, ['granted']);
    await stage.until(() => held.told.length > 1, 1000);
  },

  async 'D5: a member that is given the state again, and receives it late, does not set its clock back'(stage) {
    const [tab, other] = await stage.open(2);
    const held = await tab.hold('a', { hold: LEASE });
    const deaf = stage.world.hold(hears(tab, 'state'));
    tab.missesOne();
    await stage.until(() => deaf.kept.length, 500);
    other.kill();
    await stage.run(LEASE);
    deaf.release();
    await stage.until(() => held.told.includes('expired'), 500);
  },
};
