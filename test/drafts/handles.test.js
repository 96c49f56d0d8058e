import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { createObservation } from '../../glue/api/observation.js';
import { deferred, refusal, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { createContexts, facesOver, holdScope, watch } from './kit.js';

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

describe('handles', () => {
  /** @type {any} */
  let one;
  /** @type {any} */
  let other;

  beforeEach(() => {
    [one, other] = createContexts(2).contexts;
  });

  const heldScopes = async () => (await one.queryState()).held.map((/** @type {any} */ { scope }) => scope.join());

  describe('requestExplicitLock()', () => {
    it('holds until release(), which may be called again', async () => {
      const lock = await one.requestExplicitLock(['b', 'a'], { mode: 'shared' });
      assert.deepEqual([lock.scope, lock.mode, String(lock)], [['a', 'b'], 'shared', '[object ExplicitLock]']);
      await settle();
      assert.deepEqual(await heldScopes(), ['a,b']);
      const released = watch(lock.released);
      assert.equal(lock.release(), undefined);
      assert.equal(lock.release(), undefined);
      await settle();
      assert.deepEqual(released, { state: 'fulfilled', value: undefined });
      assert.deepEqual(await heldScopes(), []);
      lock.release();
      const next = await other.requestExplicitLock('a');
      lock.release();
      await settle();
      assert.deepEqual(await heldScopes(), ['a']);
      next.release();
    });

    it('Symbol.asyncDispose releases, waits for the release, and never rejects', async () => {
      const lock = await one.requestExplicitLock('a');
      assert.equal(await lock[Symbol.asyncDispose](), undefined);
      assert.deepEqual(await heldScopes(), []);
      await lock[Symbol.asyncDispose]();
      const forced = await one.requestExplicitLock('a');
      await other.forceRelease('a');
      await forced[Symbol.asyncDispose]();
      assert.equal((await rejection(forced.released)).name, 'AbortError');
    });

    it('released rejects if the lock is lost, and need not be handled', async () => {
      /** @type {any[]} */
      const unhandled = [];
      const note = (/** @type {any} */ error) => unhandled.push(error);
      process.prependListener('unhandledRejection', note);
      const lock = await one.requestExplicitLock('a');
      await other.forceRelease('a');
      await sleep(5);
      process.off('unhandledRejection', note);
      assert.deepEqual(unhandled, []);
      assert.equal((await rejection(lock.released)).name, 'AbortError');
      lock.release();
      await settle();
    });

    it('is the only request with a lock that does not keep a thread alive', async () => {
      /** @type {any[]} */
      const detached = [];
      /** @type {any} */
      let made;
      const request = (/** @type {[any, any]} */ ...given) => (made = one.log.request(...given));
      const faces = facesOver({ ...one.log, request, detach: (each) => void detached.push(each) }, createObservation(() => 0));
      await (await faces.requestAutoReleaseLock('a')).released;
      await faces.acquire('a', () => {});
      await (await faces.requestFlag('a', 'shared')).released;
      assert.deepEqual(detached, []);
      const lock = await faces.requestExplicitLock('a');
      assert.deepEqual(detached, [made]);
      lock.release();
      await lock.released;
    });

    it('null if it is not available', async () => {
      const holder = holdScope(one, 'a');
      await settle();
      assert.equal(await other.requestExplicitLock('a', { ifAvailable: true }), null);
      assert.equal(await other.requestAutoReleaseLock('a', { ifAvailable: true }), null);
      holder.release();
      await settle();
      (await other.requestExplicitLock('a', { ifAvailable: true })).release();
    });

    it('a signal ends only the waiting', async () => {
      const holder = holdScope(one, 'a');
      await settle();
      const controller = new AbortController();
      const waiting = other.requestExplicitLock('a', { signal: controller.signal });
      const held = await other.requestExplicitLock('b', { signal: controller.signal });
      controller.abort('reason');
      assert.equal(await rejection(waiting), 'reason');
      await settle();
      assert.deepEqual(await heldScopes(), ['a', 'b']);
      held.release();
      holder.release();
    });

    it('refuses a value that is no scope', async () => {
      for (const act of ['requestExplicitLock', 'requestAutoReleaseLock']) {
        for (const given of [[], [[]], ['a', 5], ['a', { mode: 'other' }], ['a', { onContention: 5 }], ['a', () => {}]]) {
          assert.equal((await refusal(() => one[act](...given))).constructor, TypeError);
        }
      }
    });

    it('a lost handle is reported once the garbage collector has found it; its lock stays held', async () => {
      /** @type {string[]} */
      const warnings = [];
      const console = { warn: (/** @type {string} */ text) => warnings.push(text) };
      const global = { DOMException, AbortController, AbortSignal, FinalizationRegistry, console };
      const [face] = createContexts(1, global).contexts;
      await (async () => void await face.requestExplicitLock(['lost', 'handle'], { onContention: () => {} }))();
      const released = async () => void (await face.requestExplicitLock('released')).release();
      await released();
      const kept = await face.requestExplicitLock('kept');
      // The object that was used last is never garbage.
      assert.deepEqual(kept.scope, ['kept']);
      for (let round = 0; round < 100 && !warnings.length; round++) {
        await sleep(2);
        collectGarbage();
      }
      await sleep(5);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0], /\["handle","lost"\]/);
      assert.deepEqual((await face.queryState()).held.length, 2);
      kept.release();
    });

    it('if the realm cannot tell of garbage, nothing is reported and nothing fails', async () => {
      const [face] = createContexts(1, { DOMException }).contexts;
      const lock = await face.requestExplicitLock('a');
      assert.equal(lock.signal, undefined);
      lock.release();
      await lock.released;
    });
  });

  describe('requestAutoReleaseLock()', () => {
    it('is released by a later microtask unless it waits for something', async () => {
      const lock = await one.requestAutoReleaseLock(['b', 'a'], { mode: 'shared' });
      assert.deepEqual([lock.scope, lock.mode, String(lock)], [['a', 'b'], 'shared', '[object AutoReleaseLock]']);
      await lock.released;
      assert.deepEqual(await heldScopes(), []);
      const again = await one.requestAutoReleaseLock('a');
      const end = deferred();
      assert.equal(again.waitUntil(end.promise), again.released);
      await settle();
      assert.deepEqual(await heldScopes(), ['a']);
      end.resolve();
      await again.released;
      const error = await rejection(again.waitUntil(1));
      assert.deepEqual([error.constructor, error.message], [TypeError, 'waitUntil() comes too late: the lock is released already.']);
    });
  });

  describe('requestScopedLock()', () => {
    it('takes the callback before the options', async () => {
      const describeLock = (/** @type {any} */ { scope, mode }) => `${scope} ${mode}`;
      assert.equal(await one.requestScopedLock(['b', 'a'], describeLock, { mode: 'shared' }), 'a,b shared');
      assert.equal(await one.requestScopedLock('a', () => 1), 1);
      for (const given of [['a'], ['a', {}, () => {}], ['a', () => {}, 5], [[], () => {}]]) {
        assert.equal((await refusal(() => one.requestScopedLock(...given))).constructor, TypeError);
      }
    });
  });
});
