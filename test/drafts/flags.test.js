import assert from 'node:assert/strict';
import { Flag } from '../../glue/api/drafts/flags.js';
import { deferred, refusal, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { createContexts, holdScope, watch } from './kit.js';

describe('requestFlag()', () => {
  /** @type {any} */
  let one;
  /** @type {any} */
  let other;
  /** @type {(now: number) => void} */
  let tick;

  beforeEach(() => {
    const created = createContexts(2);
    [one, other] = created.contexts;
    tick = created.tick;
  });

  const held = async () => (await one.queryState()).held.map((/** @type {any} */ { mode, scope }) => `${scope} ${mode}`);

  it('gives a Flag with scope, mode and released', async () => {
    const flag = await one.requestFlag(['b', 'a', 'b'], 'shared');
    assert.ok(flag instanceof Flag);
    assert.equal(Object.prototype.toString.call(flag), '[object Flag]');
    assert.deepEqual([flag.scope, flag.mode], [['a', 'b'], 'shared']);
    assert.ok(Object.isFrozen(flag.scope));
    assert.ok(flag.released instanceof Promise && flag.released === flag.released);
    assert.deepEqual(Object.keys(Flag.prototype).sort(), ['fence', 'mode', 'released', 'scope', 'signal', 'waitUntil']);
    assert.throws(() => new Flag(), TypeError);
    assert.throws(() => Flag.prototype.released, TypeError);
    assert.equal((await refusal(() => Flag.prototype.waitUntil.call({}, 1))).constructor, TypeError);
  });

  it('wants a scope and a mode', async () => {
    const wrong = [[], ['a'], ['a', 'other'], ['a', undefined], [[], 'shared'], ['a', 'shared', 5], ['a', 'shared', { timeout: -1 }]];
    for (const given of wrong) {
      assert.equal((await refusal(() => one.requestFlag(...given))).constructor, TypeError);
    }
  });

  it('converts its arguments in order, the options by their names', async () => {
    /** @type {string[]} */
    const read = [];
    const options = new Proxy({}, { get: (_, name) => void read.push(String(name)) });
    const scope = { [Symbol.iterator]: () => (read.push('scope'), ['a'][Symbol.iterator]()) };
    const mode = { toString: () => (read.push('mode'), 'shared') };
    await one.requestFlag(scope, mode, options);
    assert.deepEqual(read, ['scope', 'mode', 'hold', 'onContention', 'signal', 'timeout']);
  });

  it('is released by a later microtask, after the code that awaits it', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    assert.deepEqual(watch(flag.released).state, 'pending');
    await settle();
    assert.deepEqual(await held(), []);
    assert.equal(await flag.released, undefined);
    assert.equal((await rejection(flag.waitUntil(1))).constructor, TypeError);
  });

  it('code that awaits it through functions still comes first', async () => {
    const inner = async () => one.requestFlag('a', 'exclusive');
    const outer = async () => await inner();
    const flag = await outer();
    const end = deferred();
    void flag.waitUntil(end.promise);
    await settle();
    assert.deepEqual(await held(), ['a exclusive']);
    end.resolve();
    await flag.released;
  });

  it('waitUntil() returns released, and every promise is awaited', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    const [first, second, third] = [deferred(), deferred(), deferred()];
    assert.equal(flag.waitUntil(first.promise), flag.released);
    void flag.waitUntil(second.promise);
    first.resolve();
    await settle();
    assert.deepEqual(await held(), ['a exclusive']);
    void flag.waitUntil(third.promise);
    second.resolve();
    await settle();
    assert.deepEqual(await held(), ['a exclusive']);
    third.resolve();
    await flag.released;
    assert.deepEqual(await held(), []);
  });

  it('may be extended by code that follows the promise it waits for', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    const [first, second] = [deferred(), deferred()];
    void flag.waitUntil(first.promise);
    first.promise.then(() => void flag.waitUntil(second.promise));
    first.resolve();
    await settle();
    assert.deepEqual(await held(), ['a exclusive']);
    second.resolve();
    await flag.released;
  });

  it('the first rejection releases, and rejects released', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    const end = deferred();
    const error = new Error('mine');
    const released = flag.waitUntil(new Promise(() => {}));
    void flag.waitUntil(end.promise);
    void flag.waitUntil(Promise.reject(error));
    assert.equal(await rejection(released), error);
    assert.deepEqual(await held(), []);
    end.reject(new Error('later'));
    await settle();
    assert.equal(await rejection(flag.released), error);
    assert.equal((await rejection(flag.waitUntil(end.promise))).constructor, TypeError);
  });

  it('once a promise has rejected, waitUntil() comes too late, even before the release is known', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    const failure = new Error('mine');
    /** @type {any} */
    let fail;
    const released = rejection(flag.waitUntil({ then: (/** @type {any} */ _, /** @type {any} */ reject) => (fail = reject) }));
    await undefined;
    fail(failure);
    await undefined;
    assert.equal((await rejection(flag.waitUntil(1))).constructor, TypeError);
    assert.equal(await released, failure);
  });

  it('a promise rejects and released is not handled: the rejection is unhandled', async () => {
    const failure = new Error('mine');
    const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve));
    const flag = await one.requestFlag('a', 'exclusive');
    void flag.waitUntil(Promise.reject(failure));
    assert.equal(await unhandled, failure);
  });

  it('waits for thenables, and not at all for a value that is no promise', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    /** @type {any} */
    let end;
    void flag.waitUntil({ then: (/** @type {any} */ resolve) => (end = resolve) });
    void flag.waitUntil(7);
    await settle();
    assert.deepEqual(await held(), ['a exclusive']);
    end();
    await flag.released;
  });

  it('released settles when the next request can have the lock', async () => {
    const flag = await one.requestFlag(['a', 'b'], 'exclusive');
    const next = one.acquire('b', { ifAvailable: true }, (/** @type {any} */ lock) => lock);
    assert.equal(await next, null);
    await flag.released;
    assert.notEqual(await one.acquire('b', { ifAvailable: true }, (/** @type {any} */ lock) => lock), null);
  });

  describe('timeout', () => {
    it('rejects with a TimeoutError, and the request no longer blocks others', async () => {
      const holder = holdScope(one, 'a', { mode: 'shared' });
      await settle();
      const flag = watch(other.requestFlag(['a', 'b'], 'exclusive', { timeout: 50 }));
      const behind = watch(one.requestFlag('a', 'shared'));
      tick(49);
      await settle();
      assert.deepEqual([flag.state, behind.state], ['pending', 'pending']);
      tick(50);
      await settle();
      assert.deepEqual([flag.state, behind.state], ['rejected', 'fulfilled']);
      assert.deepEqual([flag.value.name, flag.value instanceof DOMException], ['TimeoutError', true]);
      holder.release();
    });

    it('0 tries once', async () => {
      const flag = await one.requestFlag('a', 'shared', { timeout: 0 });
      void flag.waitUntil(new Promise(() => {}));
      const again = watch(other.requestFlag('a', 'shared', { timeout: 0 }));
      const refused = watch(other.requestFlag('a', 'exclusive', { timeout: 0 }));
      await settle();
      assert.deepEqual([again.state, refused.state, refused.value.name], ['fulfilled', 'rejected', 'TimeoutError']);
    });

    it('0 fails also if others wait before it', async () => {
      const holder = holdScope(one, 'a', { mode: 'shared' });
      const waiter = holdScope(other, 'a');
      await settle();
      assert.equal((await rejection(one.requestFlag('a', 'shared', { timeout: 0 }))).name, 'TimeoutError');
      holder.release();
      waiter.release();
    });

    it('has no effect once the flag is held', async () => {
      const flag = await one.requestFlag('a', 'exclusive', { timeout: 10 });
      const end = deferred();
      void flag.waitUntil(end.promise);
      tick(100);
      await settle();
      assert.deepEqual(await held(), ['a exclusive']);
      end.resolve();
      await flag.released;
    });
  });

  it('flags and locks share names, queue and order', async () => {
    const flag = await one.requestFlag(['a', 'b'], 'exclusive');
    const end = deferred();
    void flag.waitUntil(end.promise);
    /** @type {string[]} */
    const order = [];
    const all = [
      other.locks.request('b', () => void order.push('request')),
      other.requestFlag(['b', 'c'], 'exclusive').then(() => order.push('flag')),
      one.acquire(['c'], () => void order.push('acquire')),
    ];
    await settle();
    assert.deepEqual(order, []);
    end.resolve();
    await Promise.all(all);
    assert.deepEqual(order, ['request', 'flag', 'acquire']);
  });

  it('a forced flag is released, and says so', async () => {
    const flag = await one.requestFlag('a', 'exclusive');
    void flag.waitUntil(new Promise(() => {}));
    await other.forceRelease('a');
    assert.equal((await rejection(flag.released)).name, 'AbortError');
    assert.equal((await rejection(flag.waitUntil(1))).constructor, TypeError);
  });
});
