/** What the lock manager over a claims service leaves behind, and what it does with headers and late answers. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'mocha';
import { createClaimsLockManager } from '../../glue/claims/manager.js';
import * as realTime from '../../glue/platform/node/timers.js';

const taken = ['URL', 'DOMException', 'AbortController', 'Headers', 'performance'];

/** A realm whose service grants every claim, and whose timers are counted. */
const createRealm = () => {
  const timers = new Set();
  const asked = [];
  const global = {
    ...Object.fromEntries(taken.map((name) => [name, globalThis[name]])),
    console: { warn: (text) => assert.fail(text) },
    async fetch(url, { method = 'GET', headers }) {
      asked.push(new Headers(headers));
      const path = new URL(url).pathname;
      const claim = { url: `http://x/v1/claims/${asked.length}/`, status: 'active', ttl: null, fence: asked.length };
      const session = { url: 'http://x/v1/sessions/1/', ttl: 30, active: [] };
      if (method === 'PATCH' && path.includes('claims')) return { status: 204, text: async () => '', headers: new Headers() };
      const text = JSON.stringify(path.includes('session') ? session : claim);
      return { status: method === 'POST' ? 201 : 200, text: async () => text, headers: new Headers() };
    },
  };
  const time = {
    ...realTime,
    setTimeout(call, milliseconds) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        call();
      }, milliseconds);
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer) {
      timers.delete(timer);
      clearTimeout(timer);
    },
  };
  const create = (options = {}) => (
    createClaimsLockManager(global, time, { url: 'http://x', ...options }, randomUUID, () => undefined).manager);
  return { timers, asked, create };
};

describe('claims: the requests of the lock manager', () => {
  it('a request leaves no timer behind, which would keep a process of Node alive', async () => {
    const { timers, create } = createRealm();
    const manager = create();
    assert.equal(await manager.request('a', () => 'done'), 'done');
    assert.equal(timers.size, 0);
  });

  it('many requests at once, and many one after the other: Node does not warn of a leak', async () => {
    const warnings = [];
    const warn = (warning) => warnings.push(String(warning));
    process.on('warning', warn);
    try {
      const manager = createRealm().create();
      const names = Array.from({ length: 12 }, (_, index) => `name ${index}`);
      await Promise.all(names.map((name) => manager.request(name, () => {})));
      for (const name of names) await manager.request(name, () => {});
      // Node warns in a later turn.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(warnings, []);
      await manager.close();
    } finally {
      process.off('warning', warn);
    }
  });

  it('takes headers in every form that fetch() takes, and gives all of them to every request', async () => {
    const { asked, create } = createRealm();
    const pairs = [['Authorization', 'Bearer 1'], ['X-Team', 'blue']];
    const forms = [Object.fromEntries(pairs), new Headers(pairs), pairs, new Map(pairs)];
    for (const headers of [...forms, ...forms.map((form) => async () => form), () => new Map(pairs)]) {
      const manager = create({ headers });
      await manager.request('a', () => {});
      await manager.close();
      for (const sent of asked) assert.deepEqual(['authorization', 'x-team'].map((name) => sent.get(name)), ['Bearer 1', 'blue']);
      assert.deepEqual(asked.slice(0, 2).map((sent) => sent.get('content-type')), ['application/json', 'application/json']);
      assert.ok(asked.splice(0).length >= 3);
    }
  });

  it('refuses what would send a request without its headers', async () => {
    const { asked, create } = createRealm();
    const refusal = {
      message: 'The option headers must be an object of headers, a Headers or a list of pairs, or a function that gives one of these.',
    };
    const promise = Promise.resolve({ authorization: 'Bearer 1' });
    const once = new Map([['authorization', 'Bearer 1']]).entries();
    for (const headers of ['authorization: Bearer 1', null, promise, once, ['authorization'], [['authorization']]]) {
      assert.throws(() => create({ headers }), { name: 'TypeError', ...refusal });
      if (headers === promise) continue;
      await assert.rejects(create({ headers: () => headers }).request('a', () => assert.fail()), { name: 'DataError', ...refusal });
    }
    assert.deepEqual(asked, []);
  });

  it('a header that no request can have is refused at once, and its value is not shown', async () => {
    const { asked, create } = createRealm();
    const wrong = { authorization: 'Bearer secret\nX' };
    const refusal = { message: 'The option headers: "authorization" or its value has characters that no header can have.' };
    assert.throws(() => create({ headers: wrong }), { name: 'TypeError', ...refusal });
    await assert.rejects(create({ headers: async () => wrong }).request('a', () => assert.fail()), { name: 'DataError', ...refusal });
    assert.deepEqual(asked, []);
  });

  it('an answer that was read too late grants nothing: the lease may be over', async () => {
    let now = 0;
    const asked = [];
    const global = {
      ...Object.fromEntries(taken.map((name) => [name, globalThis[name]])),
      async fetch(url, { method = 'GET' }) {
        const [, kind] = /v1\/(\w+)\//.exec(url);
        asked.push(`${method} ${kind}`);
        const claims = asked.filter((each) => each === 'POST claims').length;
        // The client stands still for the session's time after it has asked for the first claim.
        if (method === 'POST' && kind === 'claims' && claims === 1) now += 28_000;
        const body = { url: `http://x/v1/${kind}/${claims}/`, status: 'active', ttl: null, fence: claims };
        const status = { POST: 201, GET: 200, PATCH: 204 }[method];
        return { status, text: async () => (status === 204 ? '' : JSON.stringify(body)), headers: new Headers() };
      },
    };
    const time = { setTimeout: () => {}, clearTimeout: () => {}, readClock: () => now, readWallClock: () => 1e12 };
    const { manager } = createClaimsLockManager(global, time, { url: 'http://x' }, randomUUID, () => undefined);
    assert.equal(await manager.request('a', ({ fence }) => fence), 2);
    assert.deepEqual(asked.slice(0, 2), ['POST sessions', 'POST claims']);
    // Before it ends the first claim, the client checks whether that is still the same one.
    assert.deepEqual(asked.slice(2).sort(), ['GET claims', 'PATCH claims', 'PATCH claims', 'POST claims', 'POST sessions']);
  });
});
