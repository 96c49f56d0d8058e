/** Aborting a request: before, while it waits, when it is granted, and after. */
import { deferred, hold, isAbortReason, linesOf, rejection } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */

/** @type {Table} */
export const signal = {
  async 'a waiting request is rejected with the reason, at once, and waits no more'(kit) {
    const { locks, global, assert, uniqueName } = kit;
    const name = uniqueName();
    const holder = hold(locks, name);
    await holder.entered;
    for (const reason of [new Error('why'), 'why', 0, null]) {
      const controller = new global.AbortController();
      const called = deferred();
      const waiting = rejection(locks.request(name, { signal: controller.signal }, called.resolve));
      assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`, `pending ${name} exclusive`]);
      controller.abort(reason);
      isAbortReason(kit, await waiting, reason);
      assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
    }
    holder.release();
    await holder.done;
  },

  async 'aborted in the same task: no callback, and the lock is free'(kit) {
    const { locks, global, assert, uniqueName } = kit;
    const name = uniqueName();
    const controller = new global.AbortController();
    let called = false;
    const waiting = rejection(locks.request(name, { signal: controller.signal }, () => (called = true)));
    controller.abort('gave up');
    isAbortReason(kit, await waiting, 'gave up');
    assert.strictEqual(await locks.request(name, () => 'free'), 'free');
    assert.strictEqual(called, false);
  },

  async 'once it is granted the signal is ignored'({ locks, global, assert, uniqueName }) {
    const name = uniqueName();
    const controller = new global.AbortController();
    const holder = hold(locks, name, { signal: controller.signal });
    await holder.entered;
    controller.abort('too late');
    assert.deepStrictEqual(await linesOf(locks, name), [`held ${name} exclusive`]);
    holder.release('kept');
    assert.strictEqual(await holder.done, 'kept');
  },

  async 'aborting inside the callback is too late as well'({ locks, global, assert, uniqueName }) {
    const controller = new global.AbortController();
    assert.strictEqual(await locks.request(uniqueName(), { signal: controller.signal }, () => {
      controller.abort('too late');
      return 'kept';
    }), 'kept');
  },

  async 'one signal can be given to many requests'(kit) {
    const { locks, global, uniqueName } = kit;
    const name = uniqueName();
    const controller = new global.AbortController();
    const holder = hold(locks, name);
    const waiting = [1, 2, 3].map(() => rejection(locks.request(name, { signal: controller.signal }, () => {})));
    controller.abort('all');
    for (const reason of await Promise.all(waiting)) isAbortReason(kit, reason, 'all');
    holder.release();
    await holder.done;
  },

  async 'an event named abort is no abort'({ locks, global, assert, uniqueName }) {
    const name = uniqueName();
    const controller = new global.AbortController();
    const first = hold(locks, name);
    const second = hold(locks, name, { signal: controller.signal });
    controller.signal.dispatchEvent(new global.Event('abort'));
    first.release();
    await second.entered;
    second.release('granted');
    assert.strictEqual(await second.done, 'granted');
  },

  async 'an abort event that others stop counts all the same'(kit) {
    const { locks, global, assert, uniqueName } = kit;
    const name = uniqueName();
    const controller = new global.AbortController();
    controller.signal.addEventListener('abort', (/** @type {Event} */ event) => event.stopImmediatePropagation());
    const first = hold(locks, name);
    let called = false;
    const second = rejection(locks.request(name, { signal: controller.signal }, () => (called = true)));
    controller.abort('heard');
    first.release();
    isAbortReason(kit, await second, 'heard');
    assert.strictEqual(called, false);
    assert.strictEqual(await locks.request(name, () => 'free'), 'free');
  },
};
