import assert from 'node:assert/strict';
import { refusal, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { createContexts, holdScope, watch } from './kit.js';

describe('acquire()', () => {
  /** @type {any[]} */
  let contexts;
  /** @type {any} */
  let one;
  /** @type {any} */
  let other;

  beforeEach(() => {
    contexts = createContexts(3).contexts;
    [one, other] = contexts;
  });

  describe('the scope', () => {
    it('is unique, sorted by code units, and frozen', async () => {
      await one.acquire(['b', 'a\u{10000}', 'a\uffff', 'b', 'A', ''], (/** @type {any} */ { scope }) => {
        assert.deepEqual(scope, ['', 'A', 'a\u{10000}', 'a\uffff', 'b']);
        assert.ok(Object.isFrozen(scope));
      });
    });

    it('is a string, or any iterable', async () => {
      const scopeOf = (/** @type {any} */ scope) => one.acquire(scope, (/** @type {any} */ lock) => lock.scope);
      assert.deepEqual(await scopeOf('ab'), ['ab']);
      assert.deepEqual(await scopeOf(''), ['']);
      assert.deepEqual(await scopeOf(new Set(['b', 'a'])), ['a', 'b']);
      assert.deepEqual(await scopeOf((function* () {
        yield 'y';
        yield 'x';
      })()), ['x', 'y']);
      assert.deepEqual(await scopeOf(Object.assign(() => {}, { [Symbol.iterator]: () => ['f'][Symbol.iterator]() })), ['f']);
      assert.deepEqual(await scopeOf([1, null, undefined, { toString: () => 'z' }]), ['1', 'null', 'undefined', 'z']);
      assert.deepEqual(await scopeOf(undefined), ['undefined']);
      assert.deepEqual(await scopeOf(null), ['null']);
      assert.deepEqual(await scopeOf({ toString: () => 'object' }), ['object']);
      assert.deepEqual(await scopeOf('\ud800'), ['\ud800']);
    });

    it('is a TypeError if it is empty, or cannot be converted', async () => {
      for (const scope of [[], new Set(), Symbol('a'), ['a', Symbol('b')], { [Symbol.iterator]: 1 }, Object.create(null)]) {
        assert.equal((await refusal(() => one.acquire(scope, () => {}))).constructor, TypeError);
      }
      const broken = { * [Symbol.iterator]() {
        yield 'a';
        throw new RangeError('broken');
      } };
      assert.equal((await refusal(() => one.acquire(broken, () => {}))).constructor, RangeError);
    });

    it('has no name that starts with -, as in the standard', async () => {
      assert.equal((await refusal(() => one.acquire(['a', '-b'], () => {}))).name, 'NotSupportedError');
      await one.acquire('a-b', () => {});
    });
  });

  describe('the arguments', () => {
    it('are scope and callback, or scope, options and callback', async () => {
      assert.equal(await one.acquire('a', () => 1), 1);
      assert.equal(await one.acquire('a', {}, () => 2), 2);
      assert.equal(await one.acquire('a', null, () => 3), 3);
      for (const given of [[], ['a'], ['a', {}], ['a', () => {}, {}], ['a', 5, () => {}], ['a', { mode: 'other' }, () => {}]]) {
        assert.equal((await refusal(() => one.acquire(...given))).constructor, TypeError);
      }
    });

    it('are converted in order, the options by their names', async () => {
      /** @type {string[]} */
      const read = [];
      const options = new Proxy({}, { get: (_, name) => void read.push(String(name)) });
      const scope = { [Symbol.iterator]: () => (read.push('scope'), ['a'][Symbol.iterator]()) };
      await one.acquire(scope, options, () => {});
      assert.deepEqual(read, ['scope', 'hold', 'ifAvailable', 'mode', 'onContention', 'signal', 'timeout']);
    });

    it('durations are numbers from 0 on', async () => {
      for (const duration of [-1, -0.5, NaN, 'x', '', ' ', {}, null, true, [], Symbol('1')]) {
        for (const name of ['timeout', 'hold']) {
          assert.equal((await refusal(() => one.acquire('a', { [name]: duration }, () => {}))).constructor, TypeError);
        }
      }
      for (const duration of [0, 0.5, '7', 2 ** 53, Infinity]) await one.acquire('a', { timeout: duration }, () => {});
    });
  });

  it('the callback gets a Lock with scope and mode, and does not run at once', async () => {
    let entered = false;
    const done = one.acquire(['b', 'a'], { mode: 'shared' }, (/** @type {any} */ lock) => {
      entered = true;
      assert.equal(Object.prototype.toString.call(lock), '[object Lock]');
      assert.deepEqual(Object.keys(lock), []);
      assert.deepEqual([lock.scope, lock.mode], [['a', 'b'], 'shared']);
      assert.equal(lock.scope, lock.scope);
      assert.throws(() => new lock.constructor(), TypeError);
      assert.throws(() => Object.getPrototypeOf(lock).scope, TypeError);
      return 'result';
    });
    assert.ok(!entered);
    assert.equal(await done, 'result');
  });

  it('takes all names or none', async () => {
    const b = holdScope(one, 'b');
    const ab = holdScope(other, ['a', 'b']);
    await settle();
    assert.ok(b.lock && !ab.lock);
    assert.deepEqual((await one.queryState()).held, [{ mode: 'exclusive', scope: ['b'] }]);
    b.release();
    await settle();
    assert.ok(ab.lock);
  });

  it('is first come, first served, and a waiter blocks later requests, also under free names', async () => {
    /** @type {any[]} */
    const order = [];
    const ask = (/** @type {any} */ scope) => one.acquire(scope, async () => void order.push(scope));
    const holder = holdScope(other, 'a');
    await settle();
    const all = [ask('ab'.split('')), ask('bc'.split('')), ask('cd'.split('')), ask('d'), ask('e')];
    await settle();
    assert.deepEqual(order, ['e']);
    holder.release();
    await Promise.all(all);
    assert.deepEqual(order, ['e', ['a', 'b'], ['b', 'c'], ['c', 'd'], 'd']);
  });

  it('no deadlock whatever the order of the names', async () => {
    const scopes = [['a', 'b', 'c'], ['c', 'b', 'a'], ['b', 'a'], ['c', 'a'], ['b', 'c']];
    /** @type {Promise<any>[]} */
    const all = [];
    for (let round = 0; round < 20; round++) {
      for (const [index, scope] of scopes.entries()) all.push(contexts[index % 3].acquire(scope, () => settle()));
    }
    await Promise.all(all);
  });

  describe('beside locks.request() on the same names', () => {
    it('one queue, one order', async () => {
      /** @type {string[]} */
      const order = [];
      const holder = holdScope(one, ['a', 'b']);
      await settle();
      const requested = other.locks.request('a', () => void order.push('request a'));
      const acquired = one.acquire(['a', 'c'], () => void order.push('acquire a c'));
      const free = other.locks.request('c', () => void order.push('request c'));
      await settle();
      assert.deepEqual(order, []);
      holder.release();
      await Promise.all([requested, acquired, free]);
      assert.deepEqual(order, ['request a', 'acquire a c', 'request c']);
    });

    it('query() shows a scoped lock once for each of its names, queryState() once', async () => {
      const holder = holdScope(one, ['b', 'a']);
      const waiter = holdScope(other, ['c', 'a'], { mode: 'shared' });
      const single = other.locks.request('b', () => {});
      await settle();
      const lines = (/** @type {any[]} */ infos) => infos.map(({ name, mode }) => `${name} ${mode}`);
      const { held, pending } = await one.locks.query();
      assert.deepEqual([lines(held), lines(pending)], [['a exclusive', 'b exclusive'], ['a shared', 'c shared', 'b exclusive']]);
      assert.deepEqual(await other.queryState(), {
        held: [{ mode: 'exclusive', scope: ['a', 'b'] }],
        pending: [{ mode: 'shared', scope: ['a', 'c'] }, { mode: 'exclusive', scope: ['b'] }],
      });
      holder.release();
      waiter.release();
      await single;
    });

    it('steal breaks a scoped lock, and its late end releases no other lock', async () => {
      const holder = holdScope(one, ['a', 'b']);
      await settle();
      const thief = other.locks.request('a', { steal: true }, () => new Promise(() => {}));
      assert.equal((await rejection(holder.done)).name, 'AbortError');
      holder.release();
      await settle();
      assert.deepEqual((await one.queryState()).held, [{ mode: 'exclusive', scope: ['a'] }]);
      void thief;
    });
  });

  describe('mode, ifAvailable and signal in every combination', () => {
    for (const mode of ['exclusive', 'shared']) {
      for (const ifAvailable of [false, true]) {
        for (const abort of ['no signal', 'not aborted', 'aborted before', 'aborted while waiting', 'aborted while held']) {
          for (const held of ['nothing', 'shared', 'exclusive']) {
            it(`${mode}, ifAvailable ${ifAvailable}, ${abort}, ${held} held`, async () => {
              const controller = new AbortController();
              const options = { mode, ifAvailable, ...(abort === 'no signal' ? {} : { signal: controller.signal }) };
              const holder = held !== 'nothing' && holdScope(one, 'b', { mode: held });
              await settle();
              if (abort === 'aborted before') controller.abort('reason');
              const request = holdScope(other, ['a', 'b'], options);
              const done = watch(request.done);
              await settle();
              const isFree = held === 'nothing' || (held === 'shared' && mode === 'shared');
              if (abort === 'aborted before') {
                assert.deepEqual(done, { state: 'rejected', value: 'reason' });
                assert.equal(request.lock, undefined);
              } else if (isFree) {
                assert.deepEqual(request.lock.scope, ['a', 'b']);
                if (abort === 'aborted while held') controller.abort('reason');
                await settle();
                assert.equal(done.state, 'pending');
                request.release('result');
                await settle();
                assert.deepEqual(done, { state: 'fulfilled', value: 'result' });
              } else if (ifAvailable) {
                assert.equal(request.lock, null);
                request.release('result');
                await settle();
                assert.deepEqual(done, { state: 'fulfilled', value: 'result' });
              } else {
                assert.equal(request.lock, undefined);
                if (abort === 'aborted while waiting') controller.abort('reason');
                await settle();
                if (abort === 'aborted while waiting') {
                  assert.deepEqual(done, { state: 'rejected', value: 'reason' });
                  assert.deepEqual((await one.queryState()).pending, []);
                } else {
                  assert.equal(done.state, 'pending');
                  if (holder) holder.release();
                  await settle();
                  assert.deepEqual(request.lock.scope, ['a', 'b']);
                  request.release();
                }
              }
              if (holder) holder.release();
              await settle();
              assert.deepEqual((await one.queryState()).held, []);
            });
          }
        }
      }
    }
  });

  it('a callback that throws or rejects releases, and rejects the result', async () => {
    const error = new Error('mine');
    assert.equal(await rejection(one.acquire(['a', 'b'], () => {
      throw error;
    })), error);
    assert.equal(await rejection(one.acquire(['a', 'b'], () => Promise.reject(error))), error);
    assert.equal(await other.acquire(['b', 'a'], { ifAvailable: true }, (/** @type {any} */ lock) => lock.mode), 'exclusive');
  });

  it('a refusal is not thrown, and leaves nothing in the queue', async () => {
    const environment = { ...globalThis, DOMException, AbortSignal, origin: 'null', location: { protocol: 'https:' } };
    const [sandboxed] = createContexts(1, environment).contexts;
    for (const act of ['acquire', 'requestScopedLock']) {
      assert.equal((await refusal(() => sandboxed[act](['a'], () => {}))).name, 'SecurityError', act);
    }
    for (const act of ['requestExplicitLock', 'requestAutoReleaseLock', 'forceRelease', 'queryState']) {
      assert.equal((await refusal(() => sandboxed[act](['a']))).name, 'SecurityError', act);
    }
    assert.equal((await refusal(() => sandboxed.requestFlag('a', 'shared'))).name, 'SecurityError');
  });
});
