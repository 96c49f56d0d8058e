/** query(): plain data, a moment in the life of the manager, the same from all contexts. */
import { hold, linesOf } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */

const shared = { mode: 'shared' };

/** @type {Table} */
export const snapshot = {
  async 'it is made of plain objects with exactly the standard\'s keys'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const holder = hold(locks, name);
    const waiting = hold(locks, name, shared);
    const given = await locks.query();
    assert.deepStrictEqual(Object.keys(given), ['held', 'pending']);
    for (const part of [given.held, given.pending]) {
      assert.ok(Array.isArray(part));
      const info = part.find((/** @type {any} */ each) => each.name === name);
      assert.deepStrictEqual(Object.keys(info), ['clientId', 'mode', 'name']);
      for (const object of [given, info]) {
        assert.deepStrictEqual(Object.prototype.toString.call(object), '[object Object]');
        for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(object))) {
          assert.ok(descriptor.writable && descriptor.enumerable && descriptor.configurable);
        }
      }
      assert.strictEqual(typeof info.clientId, 'string');
    }
    holder.release();
    waiting.release();
    await waiting.done;
  },

  async 'it shows the held and pending requests, and their modes'({ locks, assert, uniqueName }) {
    const [one, other] = [uniqueName(), uniqueName()];
    const holders = [hold(locks, one), hold(locks, other, shared), hold(locks, other, shared)];
    const waiting = [hold(locks, one, shared), hold(locks, other)];
    assert.deepStrictEqual(await linesOf(locks, one), [`held ${one} exclusive`, `pending ${one} shared`]);
    assert.deepStrictEqual(await linesOf(locks, other), [`held ${other} shared`, `held ${other} shared`, `pending ${other} exclusive`]);
    holders.concat(waiting).forEach(({ release }) => release());
    await Promise.all(waiting.map(({ done }) => done));
    assert.deepStrictEqual(await linesOf(locks, one, other), []);
  },

  async 'requests for a name stand in their order'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const modes = ['exclusive', 'shared', 'exclusive', 'shared', 'shared', 'exclusive'];
    const requests = modes.map((mode) => hold(locks, name, { mode }));
    const pending = (await locks.query()).pending.filter((/** @type {any} */ info) => info.name === name);
    assert.deepStrictEqual(pending.map((/** @type {any} */ info) => info.mode), modes.slice(1));
    requests.forEach(({ release }) => release());
    await Promise.all(requests.map(({ done }) => done));
  },

  async 'all contexts see the same, and the same client ids'({ locks, elsewhere, assert, uniqueName }) {
    const name = uniqueName();
    const holder = hold(locks, name);
    await holder.entered;
    const waiting = hold(elsewhere, name);
    await elsewhere.query();
    const seen = await Promise.all([locks, elsewhere].map(async (manager) => {
      const { held, pending } = await manager.query();
      return [held, pending].map((part) => part.filter((/** @type {any} */ info) => info.name === name));
    }));
    assert.deepStrictEqual(seen[0], seen[1]);
    const [[mine], [theirs]] = seen[0];
    assert.ok(mine.clientId !== theirs.clientId);
    const again = hold(locks, `${name} again`);
    const { held } = await locks.query();
    assert.strictEqual(held.find((/** @type {any} */ info) => info.name === `${name} again`).clientId, mine.clientId);
    [holder, waiting, again].forEach(({ release }) => release());
    await Promise.all([waiting.done, again.done]);
  },

  async 'it shows what its task did before it, and nothing of what its task does after it'({ locks, elsewhere, assert, uniqueName }) {
    const check = async () => {
      const [name, other] = [uniqueName(), uniqueName()];
      const holder = hold(locks, name);
      const before = linesOf(locks, name, other);
      const waiting = hold(locks, name, shared);
      const between = linesOf(locks, name, other);
      const last = hold(locks, other);
      assert.deepStrictEqual(await before, [`held ${name} exclusive`]);
      assert.deepStrictEqual(await between, [`held ${name} exclusive`, `pending ${name} shared`]);
      await Promise.all([holder.entered, last.entered]);
      const atRelease = linesOf(locks, name);
      holder.release();
      assert.deepStrictEqual(await atRelease, [`held ${name} exclusive`, `pending ${name} shared`]);
      [waiting, last].forEach(({ release }) => release());
      await Promise.all([waiting.done, last.done]);
    };
    await check();
    // A query that shows locks of other contexts may look twice.
    const others = hold(elsewhere, uniqueName());
    await others.entered;
    await check();
    others.release();
    await others.done;
  },

  async 'queries are answered in the order in which they were made'({ locks, assert }) {
    /** @type {number[]} */
    const order = [];
    const queries = Array.from({ length: 450 }, (_, number) => locks.query().then(() => order.push(number)));
    await Promise.all(queries);
    assert.deepStrictEqual(order, queries.map((_, number) => number));
  },

  async 'a snapshot stays as it is'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const holder = hold(locks, name);
    const before = await locks.query();
    const copy = JSON.stringify(before);
    holder.release();
    await holder.done;
    const after = await locks.query();
    assert.ok(before !== after);
    assert.strictEqual(JSON.stringify(before), copy);
  },
};
