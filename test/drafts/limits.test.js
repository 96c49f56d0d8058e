/** Later wishes of users: time limits, word of a loss, fences, word of others that wait. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createObservation } from '../../glue/api/observation.js';
import { deferred, rejection } from '../api/kit.js';
import { createMemoryLog } from '../api/memory-log.js';
import { settle } from '../api/settle.js';
import { createModel } from '../model/model.js';
import { createContexts, facesOver, holdScope, watch } from './kit.js';

describe('on every face', () => {
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

  /** Each face: requests a lock and returns its stand-in; `done` settles as the lock's promise does. */
  /** @type {Record<string, (face: any, scope: any, options?: any) => Promise<{lock: any, done: Promise<any>, release: () => void}>>} */
  const faces = {
    acquire: (face, scope, options) => new Promise((resolve, reject) => {
      const done = face.acquire(scope, { ...options }, (/** @type {any} */ lock) => new Promise((release) => {
        queueMicrotask(() => resolve({ lock, done, release: () => release(undefined) }));
      }));
      done.catch(reject);
    }),
    requestScopedLock: (face, scope, options) => new Promise((resolve, reject) => {
      const done = face.requestScopedLock(scope, (/** @type {any} */ lock) => new Promise((release) => {
        queueMicrotask(() => resolve({ lock, done, release: () => release(undefined) }));
      }), options);
      done.catch(reject);
    }),
    requestExplicitLock: async (face, scope, options) => {
      const lock = await face.requestExplicitLock(scope, options);
      return { lock, done: lock.released, release: () => lock.release() };
    },
    requestAutoReleaseLock: async (face, scope, options) => {
      const lock = await face.requestAutoReleaseLock(scope, options);
      let release = () => {};
      lock.waitUntil(new Promise((resolve) => (release = () => resolve(undefined)))).catch(() => {});
      return { lock, done: lock.released, release };
    },
    requestFlag: async (face, scope, options) => {
      const lock = await face.requestFlag(scope, 'exclusive', options);
      let release = () => {};
      lock.waitUntil(new Promise((resolve) => (release = () => resolve(undefined)))).catch(() => {});
      return { lock, done: lock.released, release };
    },
  };

  for (const [title, request] of Object.entries(faces)) {
    describe(title, () => {
      it('timeout: the waiting ends', async () => {
        const holder = holdScope(one, 'b');
        await settle();
        const waiting = watch(request(other, ['a', 'b'], { timeout: 30 }));
        tick(29);
        await settle();
        assert.equal(waiting.state, 'pending');
        tick(30);
        await settle();
        assert.deepEqual([waiting.state, waiting.value.name], ['rejected', 'TimeoutError']);
        const held = await request(other, 'c', { timeout: 30 });
        tick(1000);
        await settle();
        held.release();
        await held.done;
        holder.release();
      });

      it('hold: the lock is broken, and the holder is told', async () => {
        const { lock, done } = await request(one, ['a', 'b'], { hold: 30 });
        const ended = watch(done);
        const next = holdScope(other, 'b');
        const { signal } = lock;
        tick(29);
        await settle();
        assert.deepEqual([ended.state, signal.aborted, next.lock], ['pending', false, undefined]);
        tick(30);
        await settle();
        assert.deepEqual([ended.state, ended.value.name, signal.aborted], ['rejected', 'TimeoutError', true]);
        assert.equal(signal.reason, ended.value);
        assert.ok(next.lock);
        next.release();
      });

      it('signal fires when the lock is forced, and not at an ordinary end', async () => {
        const forced = await request(one, 'a');
        const kept = await request(one, 'b');
        assert.equal(forced.lock.signal, forced.lock.signal);
        /** @type {string[]} */
        const heard = [];
        for (const [name, { lock }] of Object.entries({ forced, kept })) lock.signal.addEventListener('abort', () => heard.push(name));
        const ended = watch(forced.done);
        await other.forceRelease('a');
        await settle();
        assert.deepEqual([ended.state, ended.value.name, heard], ['rejected', 'AbortError', ['forced']]);
        kept.release();
        await kept.done;
        assert.equal(kept.lock.signal.aborted, false);
      });

      it('a signal that is read late has fired already', async () => {
        const { lock, done } = await request(one, 'a');
        const thief = other.locks.request('a', { steal: true }, () => new Promise(() => {}));
        const error = await rejection(done);
        assert.deepEqual([lock.signal.aborted, lock.signal.reason], [true, error]);
        void thief;
      });

      it('signal fires when the context is lost', async () => {
        const { lock, done } = await request(one, 'a');
        const { signal } = lock;
        const ended = watch(done);
        one.log.leave();
        await settle();
        assert.deepEqual([ended.value.name, signal.aborted], ['AbortError', true]);
      });

      it('fence grows with every grant', async () => {
        let last = 0;
        for (const scope of [['a'], ['a', 'b'], ['b'], ['c']]) {
          const { lock, done, release } = await request(last % 2 ? other : one, scope);
          assert.ok(lock.fence > last);
          last = lock.fence;
          release();
          await done;
        }
      });

      it('onContention tells of each request that the lock blocks', async () => {
        /** @type {any[]} */
        const told = [];
        const { release, done } = await request(one, ['a', 'b'], { onContention: (/** @type {any} */ waiter) => told.push(waiter) });
        holdScope(one, 'c').release();
        assert.deepEqual(told, []);
        const first = other.locks.request('b', { mode: 'shared' }, () => {});
        assert.deepEqual(told, []);
        await settle();
        assert.deepEqual(told, [{ clientId: other.log.clientId(), mode: 'shared', scope: ['b'] }]);
        const second = one.acquire(['c', 'a'], () => {});
        await settle();
        assert.deepEqual(told.slice(1), [{ clientId: one.log.clientId(), mode: 'exclusive', scope: ['a', 'c'] }]);
        release();
        await Promise.all([done, first, second]);
        const again = holdScope(other, 'a');
        const behind = holdScope(other, 'a');
        await settle();
        assert.equal(told.length, 2);
        again.release();
        behind.release();
      });
    });
  }

  describe('onContention', () => {
    /** @type {any[]} */
    let told;
    const onContention = (/** @type {any} */ waiter) => told.push(`${waiter.scope} ${waiter.mode}`);

    beforeEach(() => {
      told = [];
    });

    it('tells of requests that waited before the grant', async () => {
      const holder = holdScope(one, 'a');
      const next = holdScope(one, ['a', 'b'], { onContention });
      const readers = [holdScope(other, 'b', { mode: 'shared' }), holdScope(other, 'a', { mode: 'shared' })];
      await settle();
      assert.deepEqual(told, []);
      holder.release();
      await settle();
      assert.deepEqual(told, ['b shared', 'a shared']);
      next.release();
      readers.forEach(({ release }) => release());
    });

    it('tells a shared lock only of exclusive requests', async () => {
      const reader = holdScope(one, 'a', { mode: 'shared', onContention });
      await settle();
      const another = holdScope(other, 'a', { mode: 'shared' });
      await settle();
      assert.deepEqual(told, []);
      const writer = holdScope(other, 'a');
      const late = holdScope(other, 'a', { mode: 'shared' });
      await settle();
      assert.deepEqual(told, ['a exclusive']);
      for (const { release } of [reader, another, writer, late]) release();
    });

    it('tells nothing of requests for other names', async () => {
      const requests = [holdScope(one, 'b'), holdScope(other, ['b', 'c'])];
      await settle();
      requests.push(holdScope(one, 'a', { onContention }), holdScope(other, ['b', 'd']));
      await settle();
      assert.deepEqual((await one.queryState()).pending.length, 2);
      assert.deepEqual(told, []);
      for (const { release } of requests) release();
    });

    it('tells nothing of a request that does not wait, or that took the lock', async () => {
      const holder = holdScope(one, 'a', { onContention });
      await settle();
      await other.acquire('a', { ifAvailable: true }, () => {});
      await rejection(other.requestFlag('a', 'exclusive', { timeout: 0 }));
      await other.locks.request('a', { steal: true }, () => {});
      await rejection(holder.done);
      assert.deepEqual(told, []);
    });

    it('tells nothing once the lock is lost or released, in the same message too', async () => {
      const holder = holdScope(one, 'a', { onContention });
      await settle();
      const waiting = holdScope(other, 'a');
      void other.forceRelease('a');
      await settle();
      assert.ok(told.length <= 1);
      const late = holdScope(other, 'a');
      await settle();
      assert.ok(told.length <= 1);
      for (const { release } of [holder, waiting, late]) release();
    });

    it('tells nothing of a request that waits for others, in the message that breaks the lock', async () => {
      const observation = createObservation(() => 0);
      const core = observation.watch(createModel)();
      const log = createMemoryLog(core).open();
      core.apply({ type: 'join', client: 'two', number: 1 });
      const face = facesOver({
        ...log,
        request: (description, listener) => log.request(description, (...given) => {
          // One of them is granted, and the other one waits for it.
          const ask = /** @type {const} */ ({ type: 'request', client: 'two', mode: 'exclusive', names: ['a'] });
          if (given[0] === 'broken') [2, 3].forEach((number) => core.apply({ ...ask, number }));
          listener(...given);
        }),
      }, observation);
      const holder = holdScope(face, 'a', { onContention });
      await settle();
      await face.forceRelease('a');
      await rejection(holder.done);
      assert.equal((await face.queryState()).pending.length, 1);
      assert.deepEqual(told, []);
    });

    it('tells nothing once the callback has failed', async () => {
      const failing = holdScope(one, 'a', { onContention });
      await settle();
      failing.fail(new Error('failed'));
      await rejection(failing.done);
      const [next, waiting] = [holdScope(other, 'a'), holdScope(other, 'a')];
      await settle();
      assert.deepEqual(told, []);
      next.release();
      waiting.release();
    });

    it('an error in it is an unhandled rejection, and harms nothing else', async () => {
      const error = new Error('mine');
      const thrown = new Promise((resolve) => process.once('unhandledRejection', resolve));
      const holder = holdScope(one, 'a', { onContention() {
        throw error;
      } });
      await settle();
      const waiting = holdScope(other, 'a');
      assert.equal(await thrown, error);
      holder.release();
      await settle();
      assert.ok(waiting.lock);
      waiting.release();
    });
  });

  it('a callback that fails has not lost its lock', async () => {
    const failing = holdScope(one, 'a');
    await settle();
    const { signal } = failing.lock;
    failing.fail(new Error('failed'));
    await rejection(failing.done);
    assert.equal(signal.aborted, false);
  });

  it('a signal ends the waiting before the timeout does', async () => {
    const holder = holdScope(one, 'a');
    await settle();
    for (const aborts of ['later', 'before']) {
      const controller = new AbortController();
      const { signal } = controller;
      if (aborts === 'before') controller.abort('gave up');
      const waiting = rejection(other.acquire('a', { timeout: 30, signal }, () => assert.fail('it runs')));
      controller.abort('gave up');
      assert.equal(await waiting, 'gave up');
      assert.deepEqual(getEventListeners(signal, 'abort'), []);
    }
    assert.deepEqual((await other.queryState()).pending, []);
    const { signal } = new AbortController();
    assert.equal(await other.acquire('b', { timeout: 30, signal }, () => getEventListeners(signal, 'abort').length), 0);
    // Another listener may have stopped the event.
    const controller = new AbortController();
    controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
    const waiting = rejection(other.acquire('a', { timeout: 30, signal: controller.signal }, () => assert.fail('it runs')));
    controller.abort('gave up');
    holder.release();
    assert.equal(await waiting, 'gave up');
  });

  it('a log may say when a request has ended for all: its promise settles then', async () => {
    /** @type {[() => Promise<string>, string][]} */
    const ends = [[async () => 'done', 'fulfilled'], [() => Promise.reject(new Error('failed')), 'rejected']];
    for (const [end, result] of ends) {
      const rested = deferred();
      /** @type {any[]} */
      const [made, asked] = [[], []];
      const log = {
        ...one.log,
        request(/** @type {[any, any]} */ ...given) {
          made.push(one.log.request(...given));
          return made[0];
        },
        rest(/** @type {any} */ request) {
          asked.push(request);
          return rested.promise;
        },
      };
      const done = watch(facesOver(log, createObservation(() => 0)).acquire('a', end));
      await settle();
      assert.equal(done.state, 'pending');
      assert.deepEqual(asked, made);
      rested.resolve();
      await settle();
      assert.deepEqual([done.state, done.value.message || done.value], [result, result === 'fulfilled' ? 'done' : 'failed']);
    }
  });

  it('fails with the reason of the log, if it has one, and so does the signal of the lock', async () => {
    const reason = new Error('no space');
    let fail = () => {};
    const log = {
      ...one.log,
      request(/** @type {any} */ description, /** @type {any} */ listener) {
        fail = () => listener('lost', 0, reason);
        return one.log.request(description, listener);
      },
    };
    const held = holdScope(facesOver(log, createObservation(() => 0)), 'a');
    await settle();
    fail();
    assert.equal(await rejection(held.done), reason);
    assert.equal(held.lock.signal.reason, reason);
  });

  describe('a request that the log does not answer', () => {
    it('does not keep a process alive by its clock', async () => {
      let [made, kept] = [0, 0];
      const setTimeout = () => {
        made++;
        kept++;
        return { unref: () => void kept-- };
      };
      const global = { DOMException, setTimeout, clearTimeout: () => {} };
      const [face] = createContexts(1, global).contexts;
      await face.acquire('a', { timeout: 100 }, () => {});
      assert.deepEqual([made, kept], [1, 0]);
    });

    it('ends by this context\'s own clock, some time after its timeout', async () => {
      /** @type {Map<number, {run: () => void, milliseconds: number}>} */
      const timers = new Map();
      let last = 0;
      const global = {
        DOMException,
        setTimeout(/** @type {() => void} */ run, /** @type {number} */ milliseconds) {
          timers.set(++last, { run, milliseconds });
          return last;
        },
        clearTimeout: (/** @type {number} */ timer) => timers.delete(timer),
      };
      const [face, holder] = createContexts(2, global).contexts;
      const held = holdScope(holder, 'a');
      await settle();
      const waiting = watch(face.acquire('a', { timeout: 100 }, () => {}));
      const [{ run, milliseconds }] = timers.values();
      assert.ok(milliseconds > 100);
      run();
      await settle();
      assert.deepEqual([waiting.state, waiting.value.name], ['rejected', 'TimeoutError']);
      assert.equal(waiting.value.message, 'The lock on "a" was not granted within the timeout: the lock manager has not answered. '
        + 'docs/faq.md, "Why does a request not settle?", says what to check.');
      assert.deepEqual((await face.queryState()).pending, []);
      held.release();
      timers.clear();
      await face.acquire('a', { timeout: 100 }, () => {});
      assert.equal(timers.size, 0);
      // With the grace on top, the delay does not fit in 31 bits, and would be none.
      const patient = watch(face.acquire('a', { timeout: 2 ** 31 - 1 }, () => new Promise(() => {})));
      const next = watch(face.acquire('a', { timeout: 2 ** 31 - 1 }, () => {}));
      await settle();
      assert.deepEqual([patient.state, next.state, timers.size], ['pending', 'pending', 0]);
      const latest = watch(face.acquire('a', { timeout: 2 ** 31 - 1 - (milliseconds - 100) }, () => {}));
      assert.deepEqual([latest.state, ...[...timers.values()].map((timer) => timer.milliseconds)], ['pending', 2 ** 31 - 1]);
    });
  });
});
