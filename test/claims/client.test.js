/** The lock manager over a claims service. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { createLockManager } from 'lockkeeper';
import * as realTime from '../../glue/platform/node/timers.js';
import { freePort } from '../browsers/drivers/processes.js';
import { startProcess } from './support/process.js';
import { startService, until } from './support/service.js';

describe('claims: the lock manager over the service', function () {
  this.timeout(60_000);
  let running;
  let one;
  let other;
  before(async () => {
    running = await startService();
    one = createLockManager({ url: running.url, clientId: 'one' });
    other = createLockManager({ url: `${running.url}/`, clientId: 'other' });
  });
  after(() => running.stop());

  /** A lock that is held until release() is called. */
  async function held(manager, name, options = {}) {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    let result;
    const lock = await new Promise((resolve, reject) => {
      result = manager.request(name, options, (granted) => {
        resolve(granted);
        return released;
      });
      result.catch(reject);
    });
    return { lock, release, result };
  }

  it('one holder at a time, in the order of the requests; the results come through', async () => {
    const { lock, release, result } = await held(one, 'a');
    assert.equal(lock.name, 'a');
    assert.equal(lock.mode, 'exclusive');
    const order = [];
    const second = other.request('a', async (granted) => {
      order.push('second');
      assert.ok(granted.fence > lock.fence);
      return 2;
    });
    await until(async () => (await one.query()).pending.length === 1, 'the second request');
    const third = one.request('a', () => order.push('third'));
    await until(async () => (await one.query()).pending.length === 2, 'the third request');
    assert.deepEqual(await other.query(), {
      held: [{ name: 'a', mode: 'exclusive', clientId: 'one' }],
      pending: [{ name: 'a', mode: 'exclusive', clientId: 'other' }, { name: 'a', mode: 'exclusive', clientId: 'one' }],
    });
    assert.deepEqual(order, []);
    release('first');
    assert.equal(await result, 'first');
    assert.equal(await second, 2);
    await third;
    assert.deepEqual(order, ['second', 'third']);
    assert.deepEqual(await one.query(), { held: [], pending: [] });
  });

  it('shared locks are held together', async () => {
    const [first, second] = [await held(one, 'b', { mode: 'shared' }), await held(other, 'b', { mode: 'shared' })];
    assert.equal(first.lock.mode, 'shared');
    first.release();
    second.release();
    await Promise.all([first.result, second.result]);
  });

  it('ifAvailable: null, and nothing is left behind', async () => {
    const { release, result } = await held(one, 'c');
    assert.equal(await other.request('c', { ifAvailable: true }, (lock) => lock), null);
    assert.equal((await one.query()).pending.length, 0);
    release();
    await result;
    assert.equal(await other.request('c', { ifAvailable: true }, (lock) => lock.name), 'c');
  });

  it('a request that is aborted leaves the queue', async () => {
    const { release, result } = await held(one, 'd');
    const controller = new AbortController();
    const waiting = other.request('d', { signal: controller.signal }, () => assert.fail('it was aborted'));
    await until(async () => (await one.query()).pending.length === 1, 'the request');
    controller.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    assert.equal((await one.query()).pending.length, 0);
    const early = new AbortController();
    const hasty = other.request('d', { signal: early.signal }, () => assert.fail('it was aborted'));
    early.abort();
    await assert.rejects(hasty, { name: 'AbortError' });
    await until(async () => (await one.query()).pending.length === 0, 'the end of the hasty one');
    await assert.rejects(other.request('d', { signal: AbortSignal.abort() }, () => assert.fail('it was aborted')), { name: 'AbortError' });
    release();
    await result;
  });

  it('a callback that throws releases', async () => {
    await assert.rejects(one.request('e', () => {
      throw new Error('mine');
    }), /mine/);
    assert.equal(await other.request('e', { ifAvailable: true }, (lock) => lock?.name), 'e');
  });

  it('is prolonged as long as the callback runs', async () => {
    const short = createLockManager({ url: running.url, ttl: 2 });
    const { release, result } = await held(short, 'f');
    await delay(3000);
    assert.equal(await other.request('f', { ifAvailable: true }, (lock) => lock), null);
    release('kept');
    assert.equal(await result, 'kept');
  });

  it('is prolonged while a test of the program has faked timers and clocks', async () => {
    // The service has timers of its own.
    const service = await startProcess(['--memory']);
    const manager = createLockManager({ url: service.url, ttl: 1 });
    const { setTimeout: whole, clearTimeout: clear, Date: { now }, performance: { now: sinceStart } } = globalThis;
    const timer = { ref: () => timer, unref: () => timer, refresh: () => timer };
    try {
      Object.assign(globalThis, { setTimeout: () => timer, clearTimeout() {} });
      Date.now = performance.now = () => 0;
      const { lock, release, result } = await held(manager, 'a');
      await delay(2500);
      const [claim] = await (await fetch(`${service.url}/v1/claims/?status=active`)).json();
      assert.equal(claim?.resource, 'a');
      assert.equal(lock.signal.aborted, false);
      release();
      await result;
    } finally {
      Object.assign(globalThis, { setTimeout: whole, clearTimeout: clear });
      Date.now = now;
      performance.now = sinceStart;
      await service.stop('SIGKILL');
    }
  });

  it('a lock that is revoked is lost: the signal fires and the request rejects', async () => {
    const short = createLockManager({ url: running.url, ttl: 0.6 });
    const { lock, result } = await held(short, 'g');
    const [{ url }] = (await running.client.get('/v1/claims/?resource=g&status=active')).body;
    await running.client.patch(new URL(url).pathname, { status: 'revoked' });
    await assert.rejects(result, { name: 'AbortError', message: 'The lock on "g" was lost: the claim has ended.' });
    assert.ok(lock.signal.aborted);
  });

  it('a request whose claim is revoked while it waits rejects, and names the lock', async () => {
    const { release, result } = await held(one, 'revoked');
    const waiting = other.request('revoked', () => assert.fail('it was revoked'));
    const claims = () => running.client.get('/v1/claims/?resource=revoked&status=waiting');
    await until(async () => (await claims()).body.length === 1, 'a claim that waits');
    const [{ url }] = (await claims()).body;
    await running.client.patch(new URL(url).pathname, { status: 'revoked' });
    await assert.rejects(waiting, { name: 'AbortError', message: 'The lock on "revoked" was not granted: its claim is revoked.' });
    release('done');
    assert.equal(await result, 'done');
  });

  it('a lock is lost before its time is over when the service is gone', async () => {
    const away = await startService();
    const short = createLockManager({ url: away.url, ttl: 4 });
    const { lock, result } = await held(short, 'h');
    const began = performance.now();
    await away.stop();
    await assert.rejects(result, { name: 'AbortError', message: /^The lock on "h" was lost: .*cannot be reached/ });
    assert.ok(lock.signal.aborted);
    assert.ok(performance.now() - began < 4000);
  });

  it('survives a restart of the service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const first = await startProcess(['--data', folder]);
    const { port } = new URL(first.url);
    const manager = createLockManager({ url: first.url, ttl: 10 });
    const { release, result } = await held(manager, 'i');
    const waiting = manager.request('i', () => 'next');
    await delay(200);
    await first.stop('SIGKILL');
    const second = await startProcess(['--data', folder, '--port', port]);
    release('done');
    assert.equal(await result, 'done');
    assert.equal(await waiting, 'next');
    await second.stop();
    await rm(folder, { recursive: true });
  });

  it('refuses what it cannot do', async () => {
    const callback = () => assert.fail('it was refused');
    await assert.rejects(one.request('x'), TypeError);
    await assert.rejects(one.request('x', { mode: 'odd' }, callback), TypeError);
    await assert.rejects(one.request('x', { steal: true }, callback), { name: 'NotSupportedError' });
    const both = { ifAvailable: true, signal: new AbortController().signal };
    await assert.rejects(one.request('x', both, callback), { name: 'NotSupportedError' });
    await assert.rejects(one.request('', callback), /answered 400/);
  });

  it('is a LockManager like the others: the same type, conversions and refusals', async () => {
    const { LockManager, Lock } = await import('lockkeeper');
    assert.ok(one instanceof LockManager);
    assert.equal(one.request.length, 2);
    const lock = await one.request({ toString: () => 'converted' }, (granted) => granted);
    assert.ok(lock instanceof Lock);
    assert.equal(lock.name, 'converted');
    const callback = () => assert.fail('it was refused');
    await assert.rejects(one.request('-reserved', callback), { name: 'NotSupportedError' });
    await assert.rejects(one.request('x', { steal: true, mode: 'shared' }, callback), { name: 'NotSupportedError' });
    await assert.rejects(one.request('x', 5, callback), TypeError);
    await assert.rejects(one.request('x', { signal: {} }, callback), TypeError);
    for (const options of [{ url: '' }, { url: 'ftp://x' }, { url: 'http://x', ttl: 0 }, { url: 'http://x', patience: -1 },
      { url: 'http://x', headers: 'a' }]) assert.throws(() => createLockManager(options), TypeError, JSON.stringify(options));
  });

  it('asks the address that it was given, whatever the service calls itself, with new headers each time', async () => {
    const behind = await startService({ server: { baseUrl: 'http://elsewhere.invalid' } });
    const seen = [];
    behind.server.server.on('request', ({ headers }) => seen.push(headers.authorization));
    let token = 0;
    const headers = async () => ({ authorization: `Bearer ${(token += 1)}` });
    const manager = createLockManager({ url: behind.url, ttl: 30, headers });
    assert.equal(await manager.request('a', () => 'done'), 'done');
    assert.deepEqual(seen, seen.map((_, index) => `Bearer ${index + 1}`));
    assert.ok(seen.length >= 3);
    await behind.stop();
  });

  it('another server than a claims service: the error comes at once', async () => {
    const other = http.createServer((request, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const manager = createLockManager({ url: `http://127.0.0.1:${other.address().port}` });
    await assert.rejects(manager.request('a', () => assert.fail()), /is no claims service: it answered 200 with "<html>/);
    await assert.rejects(manager.query(), /is no claims service/);
    other.close();
  });

  it('a service that cannot be reached: one warning, then a rejection after the stated time', async () => {
    const warnings = [];
    const { warn } = console;
    console.warn = (text) => warnings.push(text);
    try {
      const url = `http://127.0.0.1:${await freePort()}`;
      const manager = createLockManager({ url, patience: 0.6 });
      const requests = [manager.request('a', () => assert.fail()), manager.request('b', () => assert.fail())];
      for (const request of requests) {
        await assert.rejects(request, { name: 'NetworkError', message: /could not be reached for 0\.6 s: / });
      }
      assert.equal(warnings.length, 1);
      assert.ok(warnings[0].includes(`${url} cannot be reached`), warnings[0]);
      const patient = createLockManager({ url, patience: Infinity });
      const forEver = patient.request('a', () => assert.fail());
      const early = await Promise.race([forEver.catch(() => 'rejected'), delay(900, 'waits')]);
      assert.equal(early, 'waits');
      const closing = patient.close();
      await assert.rejects(forEver, { name: 'AbortError' });
      await closing;
    } finally {
      console.warn = warn;
    }
  });

  it('close: held and waiting requests end, and no more are taken', async () => {
    const manager = createLockManager({ url: running.url });
    const { result } = await held(manager, 'closing');
    const waiting = manager.request('closing', () => assert.fail());
    await until(async () => (await one.query()).pending.length === 1, 'the request');
    const ends = [assert.rejects(result, { name: 'AbortError' }), assert.rejects(waiting, { name: 'AbortError' })];
    await manager.close();
    await Promise.all(ends);
    await assert.rejects(manager.request('x', () => assert.fail()), { name: 'InvalidStateError' });
    await until(async () => (await one.request('closing', { ifAvailable: true }, (lock) => lock)) !== null, 'the lock');
  });

  it('close: no further request is sent, not even by a manager that would ask for ever', async () => {
    const { createClaimsLockManager: create } = await import('../../glue/claims/manager.js');
    let asked = 0;
    const fetch = async () => {
      asked++;
      throw new TypeError('there is no network');
    };
    const global = { ...Object.fromEntries(['URL', 'DOMException', 'AbortController', 'AbortSignal', 'Headers', 'performance']
      .map((name) => [name, globalThis[name]])), fetch, console: { warn() {} } };
    const { manager } = create(global, realTime, { url: 'http://x', patience: Infinity }, randomUUID, () => undefined);
    const forEver = manager.request('a', () => assert.fail());
    await until(() => asked === 1, 'the first attempt');
    const ended = assert.rejects(forEver, { name: 'AbortError' });
    await manager.close();
    await ended;
    const before = asked;
    await delay(1200);
    assert.equal(asked, before);
  });

  it('inspect(): what holds and waits, since when, and what waits for what', async () => {
    const before = Date.now();
    const { release, result } = await held(one, 'inspected');
    const end = new AbortController();
    const waiting = assert.rejects(other.request('inspected', { signal: end.signal }, () => assert.fail()), { name: 'AbortError' });
    await until(async () => (await one.query()).pending.length === 1, 'the request');
    const foreign = await running.client.post({ resource: ['inspected', 'second'], ttl: 20, mode: 'shared' });
    const id = /(\d+)\/$/.exec(foreign.body.url)[1];
    const report = await other.inspect();
    assert.deepEqual([report.client, report.leader, report.entries], ['other', '', 0]);
    assert.deepEqual(report.members.map(({ client }) => client), ['one', 'other', `claim ${id}`]);
    const [first, second, third] = report.members;
    assert.deepEqual(first.held.map(({ names, mode }) => [names, mode]), [[['inspected'], 'exclusive']]);
    assert.ok(first.held[0].fence > 0 && first.held[0].since >= before && first.held[0].since <= Date.now());
    assert.deepEqual([first.pending, second.held, third.held], [[], [], []]);
    assert.deepEqual(second.pending.map(({ names, since }) => [names, since >= before]), [[['inspected'], true]]);
    assert.deepEqual(third.pending.map(({ names, mode }) => [names, mode]), [[['inspected', 'second'], 'shared']]);
    assert.deepEqual([report.deadlocks, report.waitsForItself], [[], []]);
    const again = new AbortController();
    const itself = assert.rejects(one.request('inspected', { signal: again.signal }, () => assert.fail()), { name: 'AbortError' });
    await until(async () => (await one.query()).pending.filter(({ clientId }) => clientId === 'one').length === 1, 'its own request');
    assert.deepEqual((await other.inspect()).waitsForItself, ['one']);
    end.abort();
    again.abort();
    release();
    await Promise.all([waiting, itself, result, running.client.patch(`/v1/claims/${id}/`, { status: 'aborted' })]);
  });

  (Symbol.asyncDispose ? it : it.skip)('Symbol.asyncDispose closes it', async () => {
    const manager = createLockManager({ url: running.url });
    await manager[Symbol.asyncDispose]();
    await assert.rejects(manager.request('x', () => assert.fail()), { name: 'InvalidStateError' });
    await assert.rejects(manager.inspect(), { name: 'InvalidStateError' });
  });

  it('a lease counts from when it was requested', async () => {
    let now = 0;
    const timers = [];
    const asked = [];
    const global = {
      ...Object.fromEntries(['URL', 'DOMException', 'AbortController', 'AbortSignal', 'Headers', 'crypto']
        .map((name) => [name, globalThis[name]])),
      async fetch(url, { method }) {
        asked.push(method);
        // The answer takes 25 of the lease's 30 seconds.
        now += asked.length === 1 ? 25_000 : 0;
        const claim = { url: 'http://x/v1/claims/1/', status: 'active', ttl: null, fence: 1 };
        const session = { url: 'http://x/v1/sessions/1/', ttl: 30, active: [claim.url] };
        if (method === 'PATCH' && /claims/.test(url)) return { status: 204, text: async () => '', headers: new Headers() };
        const text = JSON.stringify(/sessions/.test(url) ? session : claim);
        return { status: method === 'POST' ? 201 : 200, text: async () => text, headers: new Headers() };
      },
    };
    const { createClaimsLockManager: create } = await import('../../glue/claims/manager.js');
    const time = {
      setTimeout: (call, milliseconds) => {
        // An attempt without an answer is given up after 12 s. Each second the manager checks whether the machine was suspended.
        if (milliseconds === 12_000 || milliseconds === 1000) return undefined;
        timers.push(Math.round(milliseconds));
        return milliseconds === 0 ? setTimeout(call, 0) : undefined;
      },
      clearTimeout: () => {},
      readClock: () => now, readWallClock: () => now,
    };
    let release;
    const { manager } = create(global, time, { url: 'http://x' }, randomUUID, () => undefined);
    const request = manager.request('a', () => new Promise((resolve) => (release = resolve)));
    await until(() => asked.length === 3, 'the renewal');
    // The end of the lease, and a renewal at once; then the end of the new lease, and a renewal when a third of it is over.
    await until(() => timers.length === 4, 'the next one');
    assert.deepEqual(timers, [2000, 0, 27_000, 10_000]);
    release();
    await request;
    assert.deepEqual(asked.slice(0, 3).sort(), ['PATCH', 'POST', 'POST']);
    assert.deepEqual(asked.slice(3), ['PATCH']);
  });

  it('one renewal for all locks of a manager, and none when there are no more', async () => {
    const manager = createLockManager({ url: running.url, ttl: 3 });
    const seen = [];
    const see = ({ method, url }) => seen.push(`${method} ${url.replace(/\d+\/(\?created=.*)?$/, 'N/')}`);
    running.server.server.on('request', see);
    const locks = await Promise.all(['m', 'n', 'o'].map((name) => held(manager, name)));
    const renewals = () => seen.filter((each) => each === 'PATCH /v1/sessions/N/').length;
    await until(() => renewals() >= 3, 'three renewals');
    for (const { release } of locks) release();
    await Promise.all(locks.map(({ result }) => result));
    running.server.server.off('request', see);
    assert.equal(seen.filter((each) => each === 'POST /v1/sessions/').length, 1);
    assert.equal(seen.filter((each) => each === 'PATCH /v1/claims/N/').length, 3);
  });

  it('a session has ended while a request waited: the request is made again, and held locks are lost', async () => {
    const first = await held(one, 'p');
    const manager = createLockManager({ url: running.url, clientId: 'again' });
    const other = await held(manager, 'q');
    const waiting = manager.request('p', () => 'granted');
    const claims = async (query) => (await running.client.get(`/v1/claims/?${query}`)).body;
    await until(async () => (await claims('resource=p&status=waiting')).length === 1, 'the request');
    const [{ session }] = await claims('resource=q&status=active');
    // As if its time was over: its claims expire.
    const { machine } = running.service;
    await running.client.patch(new URL(session).pathname, { ttl: 0 });
    await running.client.claim('any');
    assert.equal(machine.session(Number(session.split('/').at(-2))), undefined);
    await until(async () => (await claims('resource=p&status=waiting')).length === 1, 'the second request');
    await assert.rejects(other.result, { name: 'AbortError' });
    first.release();
    assert.equal(await waiting, 'granted');
  });
});
