/** The patterns of a single lock, over Lockkeeper's manager and over one that shows no more than the standard's two methods. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import * as patterns from '../../glue/entries/patterns.js';
import { deferred, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { MANAGERS, namesIn } from './managers.js';

const { isLocked, tryAcquire, withTimeout } = /** @type {any} */ (patterns);

for (const [title, create] of Object.entries(MANAGERS)) {
  describe(`tryAcquire() and isLocked() over ${title}`, () => {
    /** @type {any} */
    let one;
    /** @type {any} */
    let other;
    beforeEach(() => {
      [one, other] = create();
    });

    it('a lock, or null', async () => {
      const lock = await tryAcquire('a', { locks: one });
      assert.deepEqual([lock.name, lock.mode, lock.signal.aborted], ['a', 'exclusive', false]);
      assert.deepEqual([await isLocked('a', { locks: other }), await isLocked('b', { locks: other })], [true, false]);
      assert.equal(await tryAcquire('a', { locks: other }), null);
      lock.release();
      lock.release();
      await lock.released;
      assert.equal(await isLocked('a', { locks: other }), false);
    });

    it('shared locks, and disposal', async function () {
      const first = await tryAcquire('a', { locks: one, mode: 'shared' });
      const second = await tryAcquire('a', { locks: other, mode: 'shared' });
      assert.equal(await tryAcquire('a', { locks: one }), null);
      second.release();
      if (!Symbol.asyncDispose) this.skip();
      await first[Symbol.asyncDispose]();
      assert.equal(await isLocked('a', { locks: one }), false);
    });

    it('a loss is told', async () => {
      const lost = deferred();
      const lock = await tryAcquire('a', { locks: one, onLost: lost.resolve });
      await other.request('a', { steal: true }, () => {});
      const error = await lost.promise;
      assert.equal(error.name, 'AbortError');
      assert.equal(await rejection(lock.released), error);
      assert.equal(lock.signal.reason, error);
      lock.release();
      if (Symbol.asyncDispose) await lock[Symbol.asyncDispose]();
    });

    it('a listener that throws does not hide the loss', async () => {
      const mistake = new Error('mine');
      const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve));
      const lock = await tryAcquire('a', { locks: one, onLost() {
        throw mistake;
      } });
      await other.request('a', { steal: true }, () => {});
      assert.equal((await rejection(lock.released)).name, 'AbortError');
      assert.equal(await unhandled, mistake);
    });

    it('a name that is no string is converted', async () => {
      const lock = await tryAcquire(5, { locks: one });
      assert.deepEqual([await isLocked(5, { locks: other }), await isLocked('5', { locks: other })], [true, true]);
      lock.release();
      await lock.released;
    });

    it('without onLost, a loss is not told, and nothing is unhandled', async () => {
      const unhandled = /** @type {unknown[]} */ ([]);
      const note = (/** @type {unknown} */ reason) => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      try {
        await tryAcquire('a', { locks: one });
        await other.request('a', { steal: true }, () => {});
        await settle();
      } finally {
        process.off('unhandledRejection', note);
      }
      assert.deepEqual(unhandled, []);
    });

    it('a release is no loss', async () => {
      const lock = await tryAcquire('a', { locks: one, onLost: () => assert.fail('lost') });
      lock.release();
      await lock.released;
      assert.equal(lock.signal.aborted, false);
    });

    it('a manager may call back at once, as a simple stand-in does', async () => {
      const request = async (/** @type {string} */ name, /** @type {any} */ _, /** @type {any} */ callback) =>
        callback({ name, mode: 'exclusive' });
      const lock = await tryAcquire('a', { locks: { query: () => one.query(), request } });
      lock.release();
      assert.equal(await lock.released, undefined);
    });

    it('reject as the manager does', async () => {
      const options = { locks: one, onLost: () => assert.fail('lost') };
      assert.equal((await rejection(tryAcquire('-a', options))).name, 'NotSupportedError');
    });
  });
}

for (const [title, create] of Object.entries(MANAGERS)) {
  describe(`withTimeout() over ${title}`, () => {
    /** @type {any} */
    let one;
    /** @type {any} */
    let other;
    beforeEach(() => {
      [one, other] = create();
    });

    it('is a request if the lock is available in time', async () => {
      const describeLock = (/** @type {any} */ { name, mode }) => `${name}: ${mode}`;
      const { signal } = new AbortController();
      for (const milliseconds of [0, 10000, Infinity]) {
        assert.equal(await withTimeout('a', milliseconds, { locks: one }, describeLock), 'a: exclusive');
        assert.equal(await withTimeout('a', milliseconds, { locks: one, mode: 'shared', signal }, describeLock), 'a: shared');
      }
      const failure = new Error('failed');
      assert.equal(await rejection(withTimeout('a', 10000, { locks: one }, () => Promise.reject(failure))), failure);
    });

    it('a TimeoutError if it is not, and the request is gone', async () => {
      const lock = await tryAcquire('a', { locks: one });
      for (const milliseconds of [0, 1]) {
        const error = await rejection(withTimeout('a', milliseconds, { locks: other }, () => assert.fail('it runs')));
        assert.equal(error.name, 'TimeoutError');
        assert.equal(error.message, `The lock on "a" was not granted within ${milliseconds} ms.`);
      }
      assert.deepEqual((await namesIn(other)).pending, []);
      lock.release();
      await lock.released;
      assert.equal(await withTimeout('a', 0, { locks: other }, () => 'granted'), 'granted');
    });

    it('tries once with a timeout of 0, however long the answer takes', async () => {
      const seen = /** @type {any[]} */ ([]);
      const request = (/** @type {string} */ name, /** @type {any} */ options, /** @type {any} */ callback) => {
        seen.push(options);
        return one.request(name, options, callback);
      };
      await withTimeout('a', 0, { locks: { query: () => one.query(), request } }, () => {});
      assert.deepEqual(seen, [{ mode: undefined, ifAvailable: true }]);
    });

    it('leaves no timer and no listener behind, granted or not', async () => {
      const { setTimeout, clearTimeout } = globalThis;
      const timers = new Set();
      Object.assign(globalThis, {
        setTimeout: (/** @type {any} */ callback, /** @type {number} */ milliseconds) => {
          const timer = setTimeout(callback, milliseconds);
          timers.add(timer);
          return timer;
        },
        clearTimeout: (/** @type {any} */ timer) => {
          timers.delete(timer);
          clearTimeout(timer);
        },
      });
      try {
        const controller = new AbortController();
        const { signal } = controller;
        const listeners = () => getEventListeners(signal, 'abort').length;
        const during = await withTimeout('a', 10000, { locks: one, signal }, () => [timers.size, listeners()]);
        assert.deepEqual([during, timers.size, listeners()], [[0, 0], 0, 0]);
        const lock = await tryAcquire('a', { locks: one });
        const waiting = rejection(withTimeout('a', 10000, { locks: other, signal }, () => {}));
        assert.equal(timers.size, 1);
        controller.abort();
        await waiting;
        assert.deepEqual([timers.size, listeners()], [0, 0]);
        // A timer of that many milliseconds would fire at once.
        for (const [milliseconds, count] of [[Infinity, 0], [2 ** 31, 0], [2 ** 31 - 1, 1]]) {
          const end = new AbortController();
          const endless = rejection(withTimeout('a', milliseconds, { locks: other, signal: end.signal }, () => {}));
          assert.equal(timers.size, count);
          end.abort();
          await endless;
        }
        lock.release();
      } finally {
        Object.assign(globalThis, { setTimeout, clearTimeout });
      }
    });

    it('limits the waiting, not the holding', async () => {
      const result = await withTimeout('a', 1, { locks: one }, () => new Promise((resolve) => setTimeout(resolve, 20, 'held on')));
      assert.equal(result, 'held on');
    });

    it('a signal that aborts meanwhile ends the only try', async () => {
      const controller = new AbortController();
      const trying = withTimeout('a', 0, { locks: one, signal: controller.signal }, () => assert.fail('it runs'));
      controller.abort('gave up');
      assert.equal(await rejection(trying), 'gave up');
      assert.deepEqual(await namesIn(other), { held: [], pending: [] });
    });

    it('a signal ends it too', async () => {
      const lock = await tryAcquire('a', { locks: one });
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = rejection(withTimeout('a', 10000, { locks: other, signal }, () => {}));
      controller.abort('gave up');
      assert.equal(await waiting, 'gave up');
      assert.equal(await rejection(withTimeout('a', 10000, { locks: other, signal }, () => {})), 'gave up');
      // Early implementations of signals have no reason.
      Object.defineProperty(signal, 'reason', { value: undefined });
      const error = await rejection(withTimeout('a', 10000, { locks: other, signal }, () => {}));
      assert.deepEqual([error.name, error.message], ['AbortError', 'The signal has aborted the request.']);
      lock.release();
    });

    it('a callback that fails has not lost its lock', async () => {
      const onLost = () => assert.fail('lost');
      /** @type {any} */
      let signal;
      const failure = new Error('failed');
      assert.equal(await rejection(withTimeout('a', 10000, { locks: one, onLost }, async (/** @type {any} */ lock) => {
        ({ signal } = lock);
        throw failure;
      })), failure);
      assert.equal(signal.aborted, false);
    });

    it('a loss is told', async () => {
      for (const milliseconds of [0, 10000]) {
        const lost = /** @type {unknown[]} */ ([]);
        const begun = deferred();
        const options = { locks: one, onLost: (/** @type {unknown} */ error) => lost.push(error) };
        const done = rejection(withTimeout('a', milliseconds, options, (/** @type {any} */ lock) => {
          begun.resolve(lock);
          return new Promise(() => {});
        }));
        const { signal } = await begun.promise;
        await other.request('a', { steal: true }, () => {});
        const error = await done;
        await settle();
        assert.deepEqual(lost, [error]);
        assert.equal(signal.reason, error);
      }
    });
  });
}
