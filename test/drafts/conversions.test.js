/** The explainer's conversions among its proposals, as written there. Each is tried with every proposal that has the function it needs. */
import assert from 'node:assert/strict';
import { deferred, rejection } from '../api/kit.js';
import { settle } from '../api/settle.js';
import { createContexts } from './kit.js';

/** "Can you implement explicit release in terms of auto-release?" @param {any} requestLock */
const explicitFromAuto = (requestLock) => {
  async function requestExplicitLock(/** @type {any[]} */ ...args) {
    const lock = await requestLock(...args);
    lock.waitUntil(new Promise(resolve => { lock.release = resolve; }));
    return lock;
  }
  return requestExplicitLock;
};

/**
 * "Can you implement auto-release in terms of explicit-release?" There, the second function lacks its `async`.
 * @param {any} requestLock
 */
const autoFromExplicit = (requestLock) => {
  function Extendable() {
    /** @type {any} */
    let resolve;
    /** @type {any} */
    let reject;
    /** @type {any} */
    const promise = new Promise((res, rej) => {
      resolve = res;
      reject = rej;
    });

    /** @type {any} */
    let ps;
    promise.waitUntil = function(/** @type {any} */ p) {
      ps = ps ? Promise.all([ps, p]) : p;
      const snapshot = ps;
      ps.then(
        () => { if (snapshot === ps) resolve(); },
        (/** @type {any} */ err) => { if (snapshot === ps) reject(err); }
      );
    };
    return promise;
  }

  async function requestAutoReleaseLock(/** @type {any[]} */ ...args) {
    const lock = await requestLock(...args);
    const ext = Extendable();
    ext.then(() => lock.release(), () => lock.release());
    ext.waitUntil(Promise.resolve().then(() => Promise.resolve().then()));
    lock.waitUntil = ext.waitUntil.bind(ext);
    return lock;
  }
  return requestAutoReleaseLock;
};

/** "Can you implement explicit release in terms of scoped release?" @param {any} requestLock */
const explicitFromScoped = (requestLock) => {
  function requestExplicitLock(/** @type {any} */ scope, /** @type {any[]} */ ...rest) {
    return new Promise(resolve => {
      requestLock(scope, (/** @type {any} */ lock) => {
        // p waits until lock.release() is called
        const p = new Promise(r => { lock.release = r; });
        resolve(lock);
        return p;
      }, ...rest);
    });
  }
  return requestExplicitLock;
};

/** "Can you implement scoped release in terms of explict release?" @param {any} requestLock */
const scopedFromExplicit = (requestLock) => {
  async function requestScopedLock(/** @type {any} */ scope, /** @type {any} */ callback, /** @type {any[]} */ ...rest) {
    const lock = await requestLock(scope, ...rest);
    try {
      await callback(lock);
    } finally {
      lock.release();
    }
  }
  return requestScopedLock;
};

describe('the explainer\'s conversions', () => {
  /** @type {any} */
  let face;
  /** @type {any} */
  let observer;

  beforeEach(() => {
    [face, observer] = createContexts(2).contexts;
  });

  const held = async () => (await observer.queryState()).held.map((/** @type {any} */ { scope, mode }) => `${scope.join()} ${mode}`);
  const options = { mode: 'shared' };

  /** @param {(face: any) => any} make */
  const behavesExplicitly = (make) => async () => {
    const lock = await make(face)(['b', 'a'], options);
    assert.deepEqual([lock.scope, lock.mode], [['a', 'b'], 'shared']);
    await settle();
    assert.deepEqual(await held(), ['a,b shared']);
    lock.release();
    await settle();
    assert.deepEqual(await held(), []);
    lock.release();
  };

  /** @param {(face: any) => any} make */
  const behavesAutomatically = (make) => async () => {
    const lock = await make(face)(['b', 'a'], options);
    assert.deepEqual([lock.scope, lock.mode], [['a', 'b'], 'shared']);
    await settle();
    assert.deepEqual(await held(), []);
    const kept = await make(face)('a');
    const [first, second] = [deferred(), deferred()];
    kept.waitUntil(first.promise);
    kept.waitUntil(second.promise);
    first.resolve();
    await settle();
    assert.deepEqual(await held(), ['a exclusive']);
    second.resolve();
    await settle();
    assert.deepEqual(await held(), []);
  };

  /** @param {(face: any) => any} make */
  const behavesScoped = (make) => async () => {
    const end = deferred();
    const done = make(face)(['b', 'a'], (/** @type {any} */ lock) => {
      assert.deepEqual([lock.scope, lock.mode], [['a', 'b'], 'shared']);
      return end.promise;
    }, options);
    await settle();
    assert.deepEqual(await held(), ['a,b shared']);
    end.resolve();
    await done;
    // If the release is explicit, it is asked for by then, and done soon.
    await settle();
    assert.deepEqual(await held(), []);
    const error = new Error('mine');
    assert.equal(await rejection(make(face)('a', () => Promise.reject(error))), error);
    await settle();
    assert.deepEqual(await held(), []);
  };

  /** @type {Record<string, (face: any) => any>} */
  const explicit = {
    'requestExplicitLock': ({ requestExplicitLock }) => requestExplicitLock,
    'explicit from requestAutoReleaseLock': ({ requestAutoReleaseLock }) => explicitFromAuto(requestAutoReleaseLock),
    'explicit from requestScopedLock': ({ requestScopedLock }) => explicitFromScoped(requestScopedLock),
  };
  /** @type {Record<string, (face: any) => any>} */
  const automatic = { requestAutoReleaseLock: ({ requestAutoReleaseLock }) => requestAutoReleaseLock };
  /** @type {Record<string, (face: any) => any>} */
  const scoped = { requestScopedLock: ({ requestScopedLock }) => requestScopedLock };
  for (const [title, make] of Object.entries(explicit)) {
    automatic[`auto from ${title}`] = (drafts) => autoFromExplicit(make(drafts));
    scoped[`scoped from ${title}`] = (drafts) => scopedFromExplicit(make(drafts));
  }

  for (const [title, make] of Object.entries(explicit)) it(title, behavesExplicitly(make));
  for (const [title, make] of Object.entries(automatic)) it(title, behavesAutomatically(make));
  for (const [title, make] of Object.entries(scoped)) it(title, behavesScoped(make));

  it('explicit from a flag that takes its mode as an argument', async () => {
    const request = explicitFromAuto(face.requestFlag);
    const lock = await request(['b', 'a'], 'exclusive');
    await settle();
    assert.deepEqual(await held(), ['a,b exclusive']);
    lock.release();
    await settle();
    assert.deepEqual(await held(), []);
  });

  it('"wait at most 200ms"', async () => {
    const holder = await observer.requestExplicitLock('resource');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    assert.equal((await rejection(face.requestScopedLock('resource', async () => {}, { signal: controller.signal }))).name, 'AbortError');
    holder.release();
  });
});
