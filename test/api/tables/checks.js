/** The steps of request() that refuse a request after WebIDL's conversion, and their order. */
import { deferred, isAbortReason, linesOf, refusal } from '../kit.js';

/** @typedef {import('../kit.js').Table} Table */

const nothing = () => {};

/** @param {import('../kit.js').Kit} kit @param {any} reason @param {string} name */
const isException = ({ assert, global }, reason, name) => {
  assert.ok(reason instanceof global.DOMException, `${reason} is a DOMException`);
  assert.strictEqual(reason.name, name);
};

/** @type {Table} */
export const checks = {
  async 'names that start with a hyphen are reserved'(kit) {
    for (const name of ['-', '-a', `-${kit.uniqueName()}`]) {
      isException(kit, await refusal(() => kit.locks.request(name, nothing)), 'NotSupportedError');
    }
    await kit.locks.request(`a-${kit.uniqueName()}`, nothing);
    await kit.locks.request('\u2010', nothing);
  },

  async 'steal and ifAvailable exclude each other'(kit) {
    const options = { steal: true, ifAvailable: true };
    isException(kit, await refusal(() => kit.locks.request(kit.uniqueName(), options, nothing)), 'NotSupportedError');
  },

  async 'a stolen lock is exclusive'(kit) {
    const options = { steal: true, mode: 'shared' };
    isException(kit, await refusal(() => kit.locks.request(kit.uniqueName(), options, nothing)), 'NotSupportedError');
  },

  async 'a signal goes neither with steal nor with ifAvailable'(kit) {
    const { signal } = new kit.global.AbortController();
    for (const options of [{ signal, steal: true }, { signal, ifAvailable: true }]) {
      isException(kit, await refusal(() => kit.locks.request(kit.uniqueName(), options, nothing)), 'NotSupportedError');
    }
  },

  async 'an aborted signal rejects with its own reason, whatever that is'(kit) {
    const { locks, global, uniqueName } = kit;
    for (const reason of [new Error('why'), 'why', 0, null, { then: 'no function' }]) {
      const controller = new global.AbortController();
      controller.abort(reason);
      isAbortReason(kit, await refusal(() => locks.request(uniqueName(), { signal: controller.signal }, nothing)), reason);
    }
  },

  async 'a signal that is aborted without a reason has an AbortError as its reason'(kit) {
    const controller = new kit.global.AbortController();
    controller.abort();
    const reason = await refusal(() => kit.locks.request(kit.uniqueName(), { signal: controller.signal }, nothing));
    isException(kit, reason, 'AbortError');
    isAbortReason(kit, reason, controller.signal.reason);
  },

  async 'a signal is checked last: conflicts come before its reason'(kit) {
    const controller = new kit.global.AbortController();
    controller.abort('reason');
    const { signal } = controller;
    for (const [name, options] of /** @type {[string, object][]} */ ([
      ['-', { signal }],
      [kit.uniqueName(), { signal, steal: true }],
      [kit.uniqueName(), { signal, ifAvailable: true }],
      [kit.uniqueName(), { signal, steal: true, mode: 'shared' }],
    ])) {
      isException(kit, await refusal(() => kit.locks.request(name, options, nothing)), 'NotSupportedError');
    }
  },

  async 'conversion comes before all checks'({ locks, global, assert }) {
    const controller = new global.AbortController();
    controller.abort('reason');
    const options = { signal: controller.signal, steal: true, ifAvailable: true };
    assert.ok(await refusal(() => locks.request('-', options, 'no function')) instanceof TypeError);
    assert.ok(await refusal(() => locks.request('-', { ...options, mode: 'none' }, nothing)) instanceof TypeError);
  },

  async 'a refused request never calls back, takes nothing and waits for nothing'({ locks, global, assert, uniqueName }) {
    const controller = new global.AbortController();
    controller.abort();
    const name = uniqueName();
    const called = deferred();
    await refusal(() => locks.request(name, { signal: controller.signal }, called.resolve));
    await refusal(() => locks.request(name, { steal: true, ifAvailable: true }, called.resolve));
    assert.deepStrictEqual(await linesOf(locks, name), []);
    assert.strictEqual(await Promise.race([called.promise, locks.request(name, () => 'not called')]), 'not called');
  },
};
