/** Which request is granted when: modes, order, ifAvailable, steal. */
import { hold, isAbortReason, linesOf, rejection } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */
/** @typedef {import('../kit.js').Kit} Kit */

const shared = { mode: 'shared' };

/** Of either realm. @param {Kit} kit @param {any} reason */
const isAbortError = ({ assert }, reason) => {
  assert.strictEqual(Object.prototype.toString.call(reason), '[object DOMException]');
  assert.strictEqual(reason.name, 'AbortError');
};

/** @param {...{release: Function, done: Promise<any>}} holders */
const releaseAll = (...holders) => Promise.all(holders.map(({ release, done }) => (release(), done)));

/** @type {Table} */
export const scheduling = {
  async 'an exclusive lock keeps all others out, here and elsewhere'({ locks, elsewhere, assert, uniqueName }) {
    const name = uniqueName();
    const holder = hold(locks, name);
    await holder.entered;
    const waiting = [hold(locks, name), hold(elsewhere, name), hold(elsewhere, name, shared)];
    await elsewhere.query();
    assert.deepStrictEqual((await linesOf(locks, name))[0], `held ${name} exclusive`);
    assert.strictEqual((await linesOf(locks, name)).filter((line) => line.startsWith('held')).length, 1);
    await releaseAll(holder, ...waiting);
  },

  async 'shared locks are held together, here and elsewhere'({ locks, elsewhere, assert, uniqueName }) {
    const name = uniqueName();
    const holders = [hold(locks, name, shared), hold(locks, name, shared), hold(elsewhere, name, shared)];
    await Promise.all(holders.map((holder) => holder.entered));
    assert.deepStrictEqual(await linesOf(locks, name), Array(3).fill(`held ${name} shared`));
    await releaseAll(...holders);
  },

  async 'names are independent of each other'({ locks, assert, uniqueName }) {
    const holder = hold(locks, uniqueName());
    await holder.entered;
    assert.strictEqual(await locks.request(uniqueName(), () => 'granted'), 'granted');
    await releaseAll(holder);
  },

  async 'requests of one name are granted in the order in which they were made'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const order = /** @type {number[]} */ ([]);
    await Promise.all([1, 2, 3, 4, 5].map((each) => locks.request(name, () => order.push(each))));
    assert.deepStrictEqual(order, [1, 2, 3, 4, 5]);
  },

  async 'a shared request does not overtake a waiting exclusive one'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const reader = hold(locks, name, shared);
    const writer = hold(locks, name);
    const late = hold(locks, name, shared);
    await reader.entered;
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} shared`, `pending ${name} exclusive`, `pending ${name} shared`]);
    await releaseAll(reader);
    await writer.entered;
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`, `pending ${name} shared`]);
    await releaseAll(writer);
    await late.entered;
    await releaseAll(late);
  },

  async 'readers that wait behind a writer are granted together'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const writer = hold(locks, name);
    const readers = [hold(locks, name, shared), hold(locks, name, shared)];
    await releaseAll(writer);
    await Promise.all(readers.map((reader) => reader.entered));
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} shared`, `held ${name} shared`]);
    await releaseAll(...readers);
  },

  async 'when the head of the queue is aborted, those behind it move up'(kit) {
    const { locks, global, assert, uniqueName } = kit;
    const name = uniqueName();
    const controller = new global.AbortController();
    const reader = hold(locks, name, shared);
    const writer = rejection(locks.request(name, { signal: controller.signal }, () => {}));
    const late = hold(locks, name, shared);
    await reader.entered;
    controller.abort('gave up');
    isAbortReason(kit, await writer, 'gave up');
    await late.entered;
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} shared`, `held ${name} shared`]);
    await releaseAll(reader, late);
  },

  async 'ifAvailable: granted if nothing blocks it'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const ifAvailable = true;
    assert.strictEqual(await locks.request(name, { ifAvailable }, (/** @type {any} */ lock) => lock.name), name);
    const reader = hold(locks, name, shared);
    assert.strictEqual(await locks.request(name, { ifAvailable, mode: 'shared' }, (/** @type {any} */ lock) => lock.mode), 'shared');
    await releaseAll(reader);
  },

  async 'ifAvailable: null if the lock is held, and never pending'({ locks, elsewhere, assert, uniqueName }) {
    const name = uniqueName();
    const holder = hold(elsewhere, name);
    await holder.entered;
    const tried = locks.request(name, { ifAvailable: true }, async (/** @type {any} */ lock) => {
      assert.strictEqual(lock, null);
      assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
      return 'tried';
    });
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
    assert.strictEqual(await tried, 'tried');
    await releaseAll(holder);
  },

  async 'ifAvailable: null also behind requests that merely wait'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const reader = hold(locks, name, shared);
    const writer = hold(locks, name);
    const tried = await locks.request(name, { ifAvailable: true, mode: 'shared' }, (/** @type {any} */ lock) => lock);
    assert.strictEqual(tried, null);
    await releaseAll(reader, writer);
  },

  async 'ifAvailable: the callback\'s answer to null is the result'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const holder = hold(locks, name);
    const ifAvailable = true;
    const reason = new Error('why');
    assert.strictEqual(await locks.request(name, { ifAvailable }, async () => 'later'), 'later');
    const thenable = { then: (/** @type {Function} */ resolve) => resolve('adopted') };
    assert.strictEqual(await locks.request(name, { ifAvailable }, () => thenable), 'adopted');
    assert.strictEqual(await rejection(locks.request(name, { ifAvailable }, () => {
      throw reason;
    })), reason);
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`], 'and the lock of the holder stays');
    await releaseAll(holder);
  },

  async 'steal: granted at once, before waiting requests, and these wait on'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const victim = hold(locks, name);
    const broken = rejection(victim.done);
    const waiting = hold(locks, name, shared);
    await victim.entered;
    const thief = hold(locks, name, { steal: true });
    await thief.entered;
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`, `pending ${name} shared`]);
    await broken;
    await releaseAll(thief);
    await waiting.entered;
    await releaseAll(waiting);
  },

  async 'steal: if nothing is held, an ordinary grant'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    assert.strictEqual(await locks.request(name, { steal: true }, (/** @type {any} */ lock) => lock.mode), 'exclusive');
    assert.deepStrictEqual(await linesOf(locks, name), []);
  },

  async 'steal: every holder of the name, wherever it is, and of no other name, is rejected with AbortError'(kit) {
    const { locks, elsewhere, assert, uniqueName } = kit;
    const name = uniqueName();
    const victims = [hold(locks, name, shared), hold(elsewhere, name, shared)];
    const reasons = victims.map((victim) => rejection(victim.done));
    const bystander = hold(locks, uniqueName());
    await Promise.all([...victims, bystander].map((each) => each.entered));
    const thief = hold(locks, name, { steal: true });
    for (const reason of await Promise.all(reasons)) isAbortError(kit, reason);
    bystander.release('kept');
    assert.strictEqual(await bystander.done, 'kept');
    await releaseAll(thief);
  },

  async 'steal: the robbed callback goes on, and its end releases nothing of the thief'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    for (const end of ['release', 'fail']) {
      const victim = hold(locks, name);
      const broken = rejection(victim.done);
      await victim.entered;
      const thief = hold(locks, name, { steal: true });
      await Promise.all([thief.entered, broken]);
      if (end === 'release') victim.release();
      else victim.fail(new Error('late'));
      const tried = await locks.request(name, { ifAvailable: true }, (/** @type {any} */ lock) => lock);
      assert.strictEqual(tried, null, `the thief holds it after ${end}`);
      assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
      await releaseAll(thief);
    }
  },

  async 'steal: a second thief steals from the first'(kit) {
    const { locks, assert, uniqueName } = kit;
    const name = uniqueName();
    const first = hold(locks, name, { steal: true });
    const broken = rejection(first.done);
    await first.entered;
    const second = hold(locks, name, { steal: true });
    await second.entered;
    isAbortError(kit, await broken);
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
    await releaseAll(second);
  },
};
