/** The callback and the two promises: how the callback's result is awaited, and how request()'s promise settles. */
import { deferred, hold, linesOf, rejection } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */

/** @type {Table} */
export const callback = {
  async 'the callback never runs inside request()'({ locks, assert, uniqueName }) {
    let inside = true;
    const done = locks.request(uniqueName(), () => assert.strictEqual(inside, false));
    const tried = locks.request(uniqueName(), { ifAvailable: true }, () => assert.strictEqual(inside, false));
    const stolen = locks.request(uniqueName(), { steal: true }, () => assert.strictEqual(inside, false));
    inside = false;
    await Promise.all([done, tried, stolen]);
  },

  async 'the callback is given one Lock and no this'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    await locks.request(name, { mode: 'shared' }, /** @this {any} */ function () {
      'use strict';
      assert.strictEqual(this, undefined);
      assert.strictEqual(arguments.length, 1);
      assert.strictEqual(arguments[0].name, name);
      assert.strictEqual(arguments[0].mode, 'shared');
    });
  },

  async 'the lock is held before the callback runs, and while its promise is open'({ locks, elsewhere, assert, uniqueName }) {
    const name = uniqueName();
    await locks.request(name, async () => {
      assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
      assert.deepStrictEqual(await linesOf(elsewhere, name), [`held ${name} exclusive`]);
    });
    assert.deepStrictEqual(await linesOf(locks, name), []);
  },

  async 'every request has a Lock and a promise of its own'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const first = hold(locks, name, { mode: 'shared' });
    const second = hold(locks, name, { mode: 'shared' });
    assert.ok(first.done !== second.done && first.done instanceof Promise);
    assert.ok(await first.entered !== await second.entered);
    first.release();
    second.release();
    await Promise.all([first.done, second.done]);
  },

  async 'the promise is fulfilled with the value that the callback returns'({ locks, assert, uniqueName }) {
    const object = {};
    for (const value of [undefined, null, 0, 'text', object]) {
      assert.strictEqual(await locks.request(uniqueName(), () => value), value);
      assert.strictEqual(await locks.request(uniqueName(), async () => value), value);
    }
  },

  async 'the promise rejects with the reason that the callback throws or rejects with'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    for (const reason of [new Error('why'), undefined, 'text']) {
      assert.strictEqual(await rejection(locks.request(name, () => {
        throw reason;
      })), reason);
      assert.strictEqual(await rejection(locks.request(name, () => Promise.reject(reason))), reason);
    }
    assert.deepStrictEqual(await linesOf(locks, name), [], 'and the lock is released all the same');
  },

  async 'a thenable is adopted, and holds the lock until it settles'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const asked = deferred();
    const done = locks.request(name, () => ({ then: (/** @type {Function} */ resolve) => asked.resolve(resolve) }));
    const resolve = await asked.promise;
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
    resolve('adopted');
    assert.strictEqual(await done, 'adopted');
    assert.deepStrictEqual(await linesOf(locks, name), []);
  },

  async 'a thenable with a then that cannot be read rejects'({ locks, assert, uniqueName }) {
    const reason = new Error('then');
    assert.strictEqual(await rejection(locks.request(uniqueName(), () => ({
      get then() {
        throw reason;
      },
    }))), reason);
  },

  async 'a thenable that is thrown is a reason, and its then is left alone'({ locks, assert, uniqueName }) {
    let called = false;
    const reason = { then: () => (called = true) };
    const settled = await locks.request(uniqueName(), () => {
      throw reason;
    }).then(() => false, (/** @type {any} */ given) => given === reason);
    assert.strictEqual(settled, true);
    assert.strictEqual(called, false);
  },

  async 'the promise settles after the release: the name is free again by then'({ locks, elsewhere, assert, uniqueName }) {
    const name = uniqueName();
    const isFree = (/** @type {any} */ manager) => manager.request(name, { ifAvailable: true }, (/** @type {any} */ lock) => lock !== null);
    await locks.request(name, () => {});
    assert.strictEqual(await isFree(locks), true);
    await rejection(locks.request(name, () => Promise.reject(new Error('failed'))));
    assert.strictEqual(await isFree(locks), true);
    await locks.request(name, () => {});
    assert.strictEqual(await isFree(elsewhere), true);
  },

  async 'there is no re-entrancy: a request inside the callback waits for the callback'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const order = /** @type {string[]} */ ([]);
    let inner;
    await locks.request(name, async () => {
      inner = locks.request(name, () => order.push('inner'));
      assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`, `pending ${name} exclusive`]);
      order.push('outer');
    });
    await inner;
    assert.deepStrictEqual(order, ['outer', 'inner']);
  },

  async 'a Lock shows its name and mode after its release, too'({ locks, assert, uniqueName }) {
    const name = uniqueName();
    const lock = await locks.request(name, (/** @type {any} */ given) => given);
    assert.strictEqual(lock.name, name);
    assert.strictEqual(lock.mode, 'exclusive');
  },
};
