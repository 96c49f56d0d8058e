/** Queues, time, several resources, shared claims: which claim is active when. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { startService, until, watchDelay } from './support/service.js';

describe('claims: contention', function () {
  this.timeout(60_000);
  let running;
  let client;
  let count = 0;
  const fresh = () => `resource ${(count += 1)}`;
  before(async () => {
    running = await startService();
    ({ client } = running);
  });
  after(() => running.stop());

  const statuses = (paths) => Promise.all(paths.map((path) => client.status(path)));

  it('when a claim ends, however it does, the oldest waiter becomes active', async () => {
    for (const final of ['released', 'aborted', 'revoked', 'withdrawn']) {
      const resource = fresh();
      const paths = [await client.claim(resource), await client.claim(resource), await client.claim(resource)];
      assert.deepEqual(await statuses(paths), ['active', 'waiting', 'waiting']);
      await client.patch(paths[0], { status: final });
      assert.deepEqual(await statuses(paths), [final, 'active', 'waiting']);
      await client.patch(paths[2], { status: 'withdrawn' });
      await client.patch(paths[1], { status: final });
      assert.deepEqual(await statuses(paths), [final, final, 'withdrawn']);
      assert.equal((await client.post({ resource, ttl: 1 })).status, 201);
    }
  });

  it('the waiter\'s ttl begins when it becomes active', async () => {
    const resource = fresh();
    const began = performance.now();
    const first = await client.claim(resource, 0.3);
    const second = await client.claim(resource, 30);
    const between = (performance.now() - began) / 1000;
    await until(async () => (await client.status(second)) === 'active', 'the second claim\'s turn');
    const { body } = await client.get(second);
    assert.ok(body.ttl > 29 && body.ttl <= 30);
    assert.ok(body.waiting_duration >= 0.3 - between, `${body.waiting_duration}`);
    assert.equal(await client.status(first), 'expired');
  });

  it('expires not before its ttl is over and at most 50 ms after', async () => {
    const ttls = Array.from({ length: 40 }, (each, place) => 0.05 + place * 0.0137);
    const heldUp = watchDelay();
    const paths = await Promise.all(ttls.map((ttl) => client.claim(fresh(), ttl)));
    await delay(750);
    const allowed = 0.05 + heldUp();
    const late = [];
    for (const [place, path] of paths.entries()) {
      const { body } = await client.get(path);
      assert.equal(body.status, 'expired');
      late.push(body.active_duration - ttls[place]);
    }
    assert.ok(Math.min(...late) >= 0, `too early by ${-Math.min(...late)} s`);
    assert.ok(Math.max(...late) < allowed, `too late by ${Math.max(...late)} s`);
  });

  it('a ttl of 0 is over at once, and hands on', async () => {
    const resource = fresh();
    const held = await client.claim(resource);
    const chain = [await client.claim(resource, 0), await client.claim(resource, 0), await client.claim(resource, 60)];
    await client.patch(held, { status: 'released' });
    await until(async () => (await client.status(chain[2])) === 'active', 'the end of the chain');
    assert.deepEqual(await statuses(chain), ['expired', 'expired', 'active']);
  });

  it('a new ttl counts from the update, longer or shorter, and does not change the order', async () => {
    const resource = fresh();
    const path = await client.claim(resource, 0.2);
    const waiter = await client.claim(resource, 5);
    const { body: before } = await client.patch(path, { ttl: 30 });
    await delay(350);
    assert.deepEqual(await statuses([path, waiter]), ['active', 'waiting']);
    assert.equal((await client.get(path)).body.fence, before.fence);
    await client.patch(path, { ttl: 0.05 });
    await until(async () => (await client.status(path)) === 'expired', 'the end of the shorter ttl');
    assert.equal(await client.status(waiter), 'active');
    assert.ok((await client.get(path)).body.active_duration >= 0.4);
  });

  it('fences grow', async () => {
    const resource = fresh();
    const fences = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const path = await client.claim(resource);
      fences.push((await client.get(path)).body.fence);
      await client.patch(path, { ttl: 10 });
      await client.patch(path, { status: 'released' });
    }
    assert.ok(fences[0] < fences[1] && fences[1] < fences[2], `${fences}`);
  });

  it('a claim of several resources is active when it has all of them, and overtakes no other', async () => {
    const [a, b, c] = [fresh(), fresh(), fresh()];
    const holder = await client.claim(b);
    const both = await client.claim([a, b]);
    const behind = await client.claim(a);
    const free = await client.claim(c);
    assert.deepEqual(await statuses([holder, both, behind, free]), ['active', 'waiting', 'waiting', 'active']);
    assert.deepEqual((await client.get(both)).body.resource, [a, b]);
    assert.equal(new URL((await client.patch(behind, { status: 'active' })).body.url).pathname, both);
    assert.equal(new URL((await client.patch(both, { status: 'active' })).body.url).pathname, holder);
    await client.patch(holder, { status: 'released' });
    assert.deepEqual(await statuses([both, behind]), ['active', 'waiting']);
    await client.patch(both, { status: 'released' });
    assert.equal(await client.status(behind), 'active');
  });

  it('shared claims are active together; an exclusive one waits for all and later ones for it', async () => {
    const resource = fresh();
    const shared = { mode: 'shared' };
    const paths = [
      await client.claim(resource, 60, shared), await client.claim(resource, 60, shared), await client.claim(resource),
      await client.claim(resource, 60, shared),
    ];
    assert.deepEqual(await statuses(paths), ['active', 'active', 'waiting', 'waiting']);
    assert.equal((await client.patch(paths[0], { ttl: 90 })).body.ttl, 90);
    assert.deepEqual(await statuses(paths), ['active', 'active', 'waiting', 'waiting']);
    assert.equal(new URL((await client.patch(paths[3], { status: 'active' })).body.url).pathname, paths[2]);
    await client.patch(paths[0], { ttl: 0.01 });
    await until(async () => (await client.status(paths[0])) === 'expired', 'the end of the first shared claim');
    assert.deepEqual(await statuses(paths.slice(1)), ['active', 'waiting', 'waiting']);
    await client.patch(paths[1], { status: 'released' });
    assert.deepEqual(await statuses(paths.slice(2)), ['active', 'waiting']);
    await client.patch(paths[2], { status: 'released' });
    assert.equal(await client.status(paths[3]), 'active');
  });

  it('a limit: so many at once, first come first served, each with a fence of its own', async () => {
    const resource = fresh();
    const paths = [];
    for (let turn = 0; turn < 5; turn += 1) paths.push(await client.claim(resource, 60, { limit: 2 }));
    assert.deepEqual(await statuses(paths), ['active', 'active', 'waiting', 'waiting', 'waiting']);
    const { body } = await client.get(paths[0]);
    assert.deepEqual([body.limit, body.mode], [2, 'shared']);
    assert.notEqual(body.fence, (await client.get(paths[1])).body.fence);
    assert.equal(new URL((await client.patch(paths[2], { status: 'active' })).body.url).pathname, paths[0]);
    const alone = await client.claim(resource);
    await client.patch(paths[1], { status: 'released' });
    assert.deepEqual(await statuses(paths), ['active', 'released', 'active', 'waiting', 'waiting']);
    for (const path of [paths[0], paths[2], paths[3], paths[4]]) await client.patch(path, { status: 'aborted' });
    assert.equal(await client.status(alone), 'active');
    for (const bad of [{ limit: 0 }, { limit: 1.5 }, { limit: '2' }, { limit: 2, mode: 'exclusive' }]) {
      const { status, body: wrong } = await client.post({ resource, ttl: 1, ...bad });
      assert.equal(status, 400);
      assert.ok(wrong.limit, JSON.stringify(bad));
    }
  });

  describe('Idempotency-Key', () => {
    it('the same request again gives the same claim', async () => {
      const request = { resource: fresh(), ttl: 30 };
      const headers = { 'idempotency-key': `key ${request.resource}` };
      const [first, second] = await Promise.all([client.post(request, headers), client.post(request, headers)]);
      assert.equal(first.status, 201);
      assert.equal(second.status, 201);
      assert.equal(first.body.url, second.body.url);
      await client.patch(new URL(first.body.url).pathname, { status: 'released' });
      const third = await client.post(request, headers);
      assert.equal(third.status, 201);
      assert.equal(third.body.status, 'released');
      assert.equal((await client.get(`/v1/claims/?resource=${encodeURIComponent(request.resource)}`)).body.length, 1);
    });

    it('a waiting one stays 202 when it has become active', async () => {
      const resource = fresh();
      const held = await client.claim(resource);
      const headers = { 'idempotency-key': resource };
      assert.equal((await client.post({ resource, ttl: 30 }, headers)).status, 202);
      await client.patch(held, { status: 'released' });
      const again = await client.post({ resource, ttl: 30 }, headers);
      assert.equal(again.status, 202);
      assert.equal(again.body.status, 'active');
    });

    it('another request with the key is 422, a key that will not do 400', async () => {
      const headers = { 'idempotency-key': fresh() };
      await client.post({ resource: fresh(), ttl: 30 }, headers);
      assert.equal((await client.post({ resource: fresh(), ttl: 30 }, headers)).status, 422);
      for (const key of ['', 'x'.repeat(256), 'ä']) {
        assert.equal((await client.post({ resource: fresh(), ttl: 30 }, { 'idempotency-key': key })).status, 400, key);
      }
    });
  });
});
