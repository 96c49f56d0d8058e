/** Keeping a lock (R20), and entering early (R21). */
import assert from 'node:assert/strict';
import { hears, isAnswered } from '../stage.js';

/** @typedef {import('../stage.js').Tab} Tab */

/** The options of a plain request by `navigator.locks`. */
const PLAIN = { steal: false };

/**
 * Asks for [name], releases it in the task of the grant, and asks for the same again, [times] times.
 * @param {Tab} tab @param {string} name @param {number} times @param {object} [options]
 */
const repeat = (tab, name, times, options = PLAIN) => {
  const grants = /** @type {{number: number, fence: number}[]} */ ([]);
  const again = () => {
    const request = tab.log.request({ names: [name], mode: 'exclusive', ...options }, (outcome, fence) => {
      assert.equal(outcome, 'granted');
      grants.push({ number: request.number, fence });
      tab.log.drop(request);
      if (grants.length < times) again();
    });
  };
  again();
  return grants;
};

/**
 * Waits for [name]. [early]: the core does not show the lock held yet when the listener is told of the grant.
 * @param {Tab} tab @param {string} name @param {object} [options] @param {() => void} [entered]
 */
const wait = (tab, name, options = PLAIN, entered = () => {}) => {
  const asked = Object.assign(tab.ask(name, options, (outcome) => {
    if (outcome !== 'granted') return;
    asked.early = !tab.core.state().held.some(({ client, number }) => client === tab.id && number === asked.handle.number);
    entered();
  }), { early: false });
  return asked;
};

/** @param {Tab} tab @returns {any} */
const numbersHeld = (tab) => tab.core.state().held.map(({ number }) => number);

/** @type {Record<string, import('../stage.js').Schedule>} */
export const entering = {
  async 'R20: a lock that is released and asked for again in the task of its grant is kept, mostly without a message'(stage) {
    const [first, other, third] = await stage.open(3);
    for (const tab of [first, other]) {
      const before = tab.posted.length;
      const grants = repeat(tab, 'a', 400);
      await stage.until(() => grants.length === 400, 5000);
      const numbers = new Set(grants.map(({ number }) => number));
      assert.ok(numbers.size > 1, 'in one task not without end');
      assert.ok(numbers.size < 40, `${numbers.size} numbers`);
      assert.ok(tab.posted.length - before <= 2 * numbers.size);
    }
    await third.hold('a');
    await stage.run(50);
    assert.deepEqual([numbersHeld(first).length, first.core.state().pending.length], [1, 0]);
    assert.equal(first.core.hash(), third.core.hash());
  },

  async 'R20: a release is posted at once, unless the lock was asked for again at once the last time'(stage) {
    const [, tab] = await stage.open(2);
    const posted = /** @type {number[]} */ ([]);
    /** @param {string} name @param {number} again how often it is asked for again at once */
    const turns = (name, again) => new Promise((resolve) => {
      const handle = tab.ask(name, PLAIN, () => {
        const before = tab.posted.length;
        tab.drop(handle);
        posted.push(tab.posted.length - before);
        resolve(again && turns(name, again - 1));
      });
    });
    const done = turns('a', 2).then(() => turns('b', 0)).then(() => turns('a', 0)).then(() => turns('b', 0));
    await stage.until(() => posted.length === 6, 1000);
    await done;
    // Before the second and the third release the lock was asked for again at once. So these two wait, the third in vain.
    assert.deepEqual(posted, [1, 0, 0, 1, 1, 1]);
  },

  async 'R20: a lock is not kept while another context waits for it'(stage) {
    const [, other, third] = await stage.open(3);
    /** @type {any} */
    let second;
    // The lock is asked for again at once, so the next release waits for that.
    const first = other.ask('a', PLAIN, () => {
      other.drop(first);
      second = other.ask('a', PLAIN);
    });
    await stage.until(() => second && second.told.length, 500);
    const waiting = third.ask('a');
    await stage.run(50);
    /** @type {any} */
    let again;
    // This runs in the task of a delivery.
    other.ask('b', PLAIN, () => {
      other.drop(second);
      again = other.ask('a', PLAIN);
    });
    await stage.until(() => waiting.told.length, 500);
    await stage.run(100);
    assert.deepEqual(again.told, []);
    third.drop(waiting);
    await stage.until(() => again.told.length, 500);
  },

  async 'R20: a context that asks again without end lets other contexts in'(stage) {
    const [first, , third] = await stage.open(3);
    const grants = repeat(first, 'a', Infinity);
    await stage.until(() => grants.length > 500, 3000);
    const asked = await third.hold('a');
    const during = grants.length;
    await stage.run(200);
    assert.equal(grants.length, during, 'beside another holder');
    third.drop(asked);
    await stage.until(() => grants.length > during, 500);
    first.kill();
  },

  async 'R20: a lock is not kept if its release was sent, it shows its fence, or the next request steals or has another mode'(stage) {
    const [, other] = await stage.open(2);
    const held = await other.hold('a', PLAIN);
    await stage.run(10);
    other.drop(held);
    await stage.run(1);
    const next = other.ask('a', PLAIN);
    await stage.until(() => next.told.length, 500);
    assert.notEqual(next.handle.number, held.handle.number);
    const draft = repeat(other, 'c', 10, {});
    await stage.until(() => draft.length === 10, 5000);
    draft.reduce((before, { fence }) => (assert.ok(fence > before), fence), 0);
    for (const options of [{ steal: true }, { mode: 'shared', steal: false }]) {
      /** @type {any} */
      let second;
      const first = other.ask('d', PLAIN, () => {
        other.drop(first);
        second = other.ask('d', options);
      });
      await stage.until(() => second && second.told.length, 500);
      assert.notEqual(second.handle.number, first.handle.number);
      other.drop(second);
    }
  },

  async 'R20: a lock is not kept if the same task delivers a message in which it is stolen'(stage) {
    const again = stage.with('store');
    const { world } = again;
    const [tab, other] = await again.open(2);
    const before = await other.hold('b');
    const first = await tab.hold('a', PLAIN);
    /** @type {any[]} */
    const asked = [];
    tab.ask('b', PLAIN, () => {
      tab.drop(asked[0]);
      void Promise.resolve().then(() => asked.push(tab.ask('a', PLAIN)));
    });
    await again.run(100);
    const deaf = world.hold(isAnswered(tab));
    other.drop(before);
    await again.run(50);
    tab.drop(first);
    // The lock is asked for again at once, so the next release waits for that.
    asked.push(tab.ask('a', PLAIN));
    await again.run(50);
    const thief = other.ask('a', { steal: true });
    await again.until(() => thief.told.length, 500);
    deaf.release();
    await again.until(() => asked.length > 1, 500);
    await again.run(100);
    assert.deepEqual([thief.told, asked[1].told], [['granted'], []]);
    other.drop(thief);
    await again.until(() => asked[1].told.length, 500);
  },

  async 'R20: a lock is not kept where contexts share a thread'(stage) {
    await stage.open(1);
    const opener = stage.tab();
    const popup = stage.tab({ opener });
    for (const tab of [opener, popup]) tab.drop(await tab.hold('door'));
    const grants = repeat(popup, 'b', 10);
    await stage.until(() => grants.length === 10, 5000);
    assert.equal(new Set(grants.map(({ number }) => number)).size, 10);
  },

  async 'R20: a request that only waited, and is dropped and made again, is not taken for a lock that is kept'(stage) {
    const [first, other] = await stage.open(2);
    await first.hold('a');
    /** @type {any} */
    let again;
    const waiting = other.ask('a', PLAIN, () => assert.fail('granted'));
    await stage.run(50);
    const signal = other.ask('b', PLAIN, () => {
      other.drop(waiting);
      again = other.ask('a', PLAIN);
    });
    await stage.run(100);
    assert.deepEqual([signal.told, again.told], [['granted'], []]);
  },

  async 'R21: a context that is next after itself enters at once'(stage) {
    for (const place of [0, 1]) {
      const again = stage.with('broadcast');
      const tabs = await again.open(3);
      const tab = tabs[place];
      const held = await tab.hold('a', PLAIN);
      const own = [1, 2, 3].map(() => {
        const next = wait(tab, 'a', PLAIN, () => tab.drop(next));
        return next;
      });
      await again.run(50);
      const last = tabs[2].ask('a');
      await again.run(50);
      const before = tab.posted.length;
      tab.drop(held);
      for (let job = 0; job < 60; job++) await undefined;
      assert.deepEqual(own.map(({ told, early }) => [told, early]), [1, 2, 3].map(() => [['granted'], true]));
      assert.deepEqual(last.told, []);
      await again.until(() => last.told.length, 500);
      assert.equal(tab.posted.length, before + 4, 'every release at once');
      assert.deepEqual(own.map(({ told }) => told), [['granted'], ['granted'], ['granted']]);
    }
  },

  async 'R21: a context posts all its releases before it enters early, so that nobody waits for what it does then'(stage) {
    for (const waits of [false, true]) {
      const again = stage.with('broadcast');
      const [tab, other] = await again.open(3);
      const held = [await tab.hold('a', PLAIN), await tab.hold('b', PLAIN)];
      let sent = 0;
      const next = wait(tab, 'a', PLAIN, () => {
        sent = tab.posted.length;
      });
      await again.run(50);
      const waiting = other.ask(waits ? 'b' : 'c');
      await again.run(50);
      const before = tab.posted.length;
      held.forEach((each) => tab.drop(each));
      await again.until(() => next.told.length, 500);
      assert.ok(next.early);
      assert.equal(sent - before, 2);
      await again.until(() => waiting.told.length, 500);
    }
  },

  async 'R21: a release is sent, though the context goes on holding the lock that it has entered early'(stage) {
    const [other, third] = await stage.open(2);
    const held = await other.hold('a', PLAIN);
    const next = wait(other, 'a');
    await stage.run(50);
    other.drop(held);
    await stage.run(50);
    assert.ok(next.early);
    assert.deepEqual(next.told, ['granted']);
    assert.deepEqual(numbersHeld(third), [next.handle.number]);
  },

  async 'R21: a context does not enter early if another one is next or holds too, or its request is undelivered or a draft\'s'(stage) {
    const [first, other, third] = await stage.open(3);
    await first.hold('z', PLAIN);
    wait(other, 'z');
    const own = await other.hold('a', PLAIN);
    const last = wait(other, 'a');
    other.drop(own);
    await stage.until(() => last.told.length, 500);
    assert.ok(!last.early, 'no place yet');

    const held = await other.hold('b', PLAIN);
    const before = first.ask('b');
    await stage.run(50);
    const behind = wait(other, 'b');
    await stage.run(50);
    other.drop(held);
    await stage.until(() => before.told.length, 500);
    await stage.run(50);
    assert.deepEqual(behind.told, [], 'another is next');
    first.drop(before);
    await stage.until(() => behind.told.length, 500);
    assert.ok(!behind.early);

    const readers = [await other.hold('c', { mode: 'shared' }), await third.hold('c', { mode: 'shared' })];
    const writer = wait(other, 'c');
    await stage.run(50);
    other.drop(readers[0]);
    await stage.run(50);
    assert.deepEqual(writer.told, [], 'another holds, too');
    third.drop(readers[1]);
    await stage.until(() => writer.told.length, 500);

    const drafts = await other.hold('d');
    const draft = wait(other, 'd', {});
    await stage.run(50);
    other.drop(drafts);
    await stage.until(() => draft.told.length, 500);
    assert.ok(!draft.early, 'a draft asks');
  },

  async 'R21: a context does not enter early while a steal of its own is on its way'(stage) {
    const { world } = stage;
    const [tab, other] = await stage.open(2);
    const [held, also] = [await tab.hold('a', PLAIN), await tab.hold('b', PLAIN)];
    let posted = 0;
    const sent = world.hold(({ context, sort }) => sort === 'post' && context === tab.context && ++posted > 1);
    const next = wait(tab, 'a');
    for (let job = 0; job < 10; job++) await undefined;
    // The request has no place yet, so it is not entered here.
    tab.drop(held);
    const thief = tab.ask('a', { steal: true });
    await stage.run(50);
    // Now the request has a place.
    tab.drop(also);
    await stage.run(50);
    assert.deepEqual(next.told, []);
    sent.release();
    await stage.until(() => thief.told.length, 100);
    await stage.run(100);
    assert.deepEqual(thief.told, ['granted']);
    assert.deepEqual(numbersHeld(other), [thief.handle.number]);
  },

  async 'R21: a lock that was entered early ends as stolen if a steal was delivered before the release'(stage) {
    const { world } = stage;
    const [tab, other] = await stage.open(2);
    const held = await tab.hold('a', PLAIN);
    const next = wait(tab, 'a');
    await stage.run(50);
    const deaf = world.hold(hears(tab));
    const thief = other.ask('a', { steal: true });
    await stage.until(() => thief.told.length, 100);
    tab.drop(held);
    await stage.run(50);
    assert.ok(next.early);
    deaf.release();
    await stage.run(200);
    assert.deepEqual([next.told, thief.told], [['granted', 'broken'], ['granted']]);
    assert.deepEqual(numbersHeld(other), [thief.handle.number]);
    assert.deepEqual(other.core.state().pending, []);
  },

  async 'R21: a context does not enter early a lock whose release it is about to force'(stage) {
    const [, other, third] = await stage.open(3);
    const held = await third.hold('a');
    const next = wait(other, 'a');
    await stage.run(50);
    const forced = other.log.forceRelease(['a']);
    await stage.until(() => next.told.length, 500);
    assert.ok(!next.early);
    await forced;
    await stage.until(() => held.told.length > 1, 500);
    assert.deepEqual(held.told, ['granted', 'broken']);
  },

  async 'R7, R21: a context that has entered early keeps the lock if it is given the state anew before its release is delivered'(stage) {
    const { world } = stage;
    const [other, tab] = await stage.open(2);
    const first = await tab.hold('a', PLAIN);
    const second = wait(tab, 'a');
    await stage.run(50);
    const releases = world.hold(({ context, sort, subject }) => sort === 'post' && context === tab.context && /"operations"/.test(subject));
    tab.drop(first);
    await stage.until(() => second.told.length, 100);
    tab.missesOne();
    await stage.until(() => !tab.says.acting, 10);
    await stage.until(() => tab.says.acting, 1000);
    releases.release();
    const waiting = other.ask('a');
    await stage.run(1000);
    assert.deepEqual([second.told, second.early, waiting.told], [['granted'], true, []]);
    tab.drop(second);
    await stage.until(() => waiting.told.length, 1000);
  },
};
