/** The drafts over a manager whose locks are claims. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { createLockManager } from 'lockkeeper';
import { draftsOf } from 'lockkeeper/drafts';
import { headerAuthentication } from '../../claims/source/auth-header.js';
import { startService, until } from './support/service.js';

describe('claims: the drafts over the service', function () {
  this.timeout(60_000);
  let running;
  let managers;
  let one;
  let other;
  before(async () => {
    running = await startService();
    managers = ['one', 'other'].map((clientId) => createLockManager({ url: running.url, clientId }));
    [one, other] = managers.map(draftsOf);
  });
  after(async () => {
    await Promise.all(managers.map((manager) => manager.close()));
    await running.stop();
  });
  const waiting = (count) => until(async () => (await one.queryState()).pending.length === count, `${count} that wait`);

  it('acquire(): all names or none, in one queue with requests of the standard; fences grow', async () => {
    const order = [];
    const first = await one.requestExplicitLock(['b', 'a', 'b']);
    assert.deepEqual([first.scope, first.mode], [['a', 'b'], 'exclusive']);
    const second = other.acquire(['c', 'b'], { mode: 'shared' }, ({ fence }) => {
      order.push('b c');
      assert.ok(fence > first.fence);
      return 'result';
    });
    await waiting(1);
    const third = managers[0].request('c', () => void order.push('c'));
    await waiting(2);
    assert.deepEqual(await other.queryState(), {
      held: [{ mode: 'exclusive', scope: ['a', 'b'] }],
      pending: [{ mode: 'shared', scope: ['b', 'c'] }, { mode: 'exclusive', scope: ['c'] }],
    });
    first.release();
    await first.released;
    assert.equal(await second, 'result');
    await third;
    assert.deepEqual(order, ['b c', 'c']);
    assert.deepEqual(await one.queryState(), { held: [], pending: [] });
  });

  it('ifAvailable, and timeouts: the claim is given back, and 0 tries once', async () => {
    const lock = await one.requestExplicitLock('taken');
    assert.equal(await other.requestExplicitLock(['free', 'taken'], { ifAvailable: true }), null);
    for (const timeout of [0, 50]) {
      await assert.rejects(other.acquire('taken', { timeout }, () => assert.fail()), {
        name: 'TimeoutError', message: 'The lock on "taken" was not granted within the timeout.',
      });
      assert.equal((await one.queryState()).pending.length, 0);
    }
    lock.release();
    await lock.released;
    assert.equal(await other.acquire('taken', { timeout: 0 }, () => 'granted'), 'granted');
  });

  it('a lease ends here before it ends at the service, however long a claim lives otherwise', async () => {
    let lost;
    const done = one.acquire('leased', { hold: 400 }, (lock) => new Promise((resolve) => {
      lost = lock.signal;
      lost.addEventListener('abort', resolve);
    }));
    const next = other.acquire('leased', () => lost.aborted);
    await assert.rejects(done, { name: 'TimeoutError', message: 'The lease of the lock on "leased" is over.' });
    assert.equal(lost.reason.name, 'TimeoutError');
    assert.equal(await next, true);
    // One that is longer than a claim is prolonged until then.
    const short = createLockManager({ url: running.url, ttl: 1.5 });
    const began = performance.now();
    await assert.rejects(draftsOf(short).acquire('leased', { hold: 2500 }, () => new Promise(() => {})), { name: 'TimeoutError' });
    assert.ok(performance.now() - began >= 2490);
    assert.equal(await other.acquire('leased', { ifAvailable: true }, (lock) => lock && 'free'), 'free');
    await short.close();
  });

  it('forceRelease(): the holder learns of it when its claim is prolonged; the waiter is next', async () => {
    const short = createLockManager({ url: running.url, ttl: 0.6 });
    const lock = await draftsOf(short).requestExplicitLock(['forced', 'more']);
    const next = one.acquire('forced', () => 'next');
    await waiting(1);
    await other.forceRelease(['forced', 'unused']);
    assert.equal(await next, 'next');
    await assert.rejects(lock.released, { name: 'AbortError' });
    assert.ok(lock.signal.aborted);
    await short.close();
  });

  it('forceRelease() if the service does not permit it to this client', async () => {
    const auth = headerAuthentication({ header: 'x-user', proxies: ['127.0.0.1'] });
    const guarded = await startService({ server: { auth } });
    const [alice, bob] = ['alice', 'bob'].map((user) => createLockManager({ url: guarded.url, headers: { 'x-user': user } }));
    await alice.request('a', async () => {
      await assert.rejects(draftsOf(bob).forceRelease('a'), { name: 'NotAllowedError', message: /does not let you revoke/ });
      await draftsOf(bob).forceRelease('b');
    });
    await Promise.all([alice.close(), bob.close()]);
    await guarded.stop();
  });

  it('flags, and locks that release themselves', async () => {
    const flag = await one.requestFlag(['f'], 'shared');
    void flag.waitUntil(delay(20));
    await flag.released;
    const lock = await one.requestAutoReleaseLock('f');
    await lock.released;
    assert.equal(await other.requestScopedLock('f', ({ scope }) => scope.join(), { ifAvailable: true }), 'f');
  });

  it('a signal ends the waiting; close() ends what is held, and its signal says so', async () => {
    const lock = await one.requestExplicitLock('s');
    const controller = new AbortController();
    const second = other.acquire('s', { signal: controller.signal }, () => assert.fail());
    await waiting(1);
    controller.abort(new Error('enough'));
    await assert.rejects(second, /enough/);
    assert.equal((await one.queryState()).pending.length, 0);
    lock.release();
    await lock.released;

    const manager = createLockManager({ url: running.url });
    const held = await draftsOf(manager).requestExplicitLock('s');
    await manager.close();
    const message = 'The request for the lock on "s" has ended: its lock manager was closed.';
    await assert.rejects(held.released, { name: 'AbortError', message });
    assert.ok(held.signal.aborted);
    await assert.rejects(draftsOf(manager).acquire('s', () => assert.fail()), { name: 'InvalidStateError' });
  });

  it('onContention is refused: the service does not tell which clients wait', async () => {
    await assert.rejects(one.acquire('x', { onContention() {} }, () => assert.fail()), {
      name: 'NotSupportedError', message: 'The option onContention cannot be used over a claims service.',
    });
  });
});
