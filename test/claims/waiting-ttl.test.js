/** Claims that wait only for so long. Time moves when the test says so. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { until } from './support/service.js';
import { as, useTimedService } from './support/timed.js';

describe('claims: waiting_ttl', function () {
  this.timeout(60_000);
  const used = useTimedService();
  const { clock, fresh, move } = used;
  let running;
  let client;
  before(() => ({ running, client } = used));
  const waiting = async (resource, waitingTtl = 9) => client.claim(resource, 60, { waiting_ttl: waitingTtl });

  it('four that were abandoned do not cost the fifth their ttls', async () => {
    const resource = fresh();
    const first = await client.claim(resource);
    const abandoned = [];
    for (let turn = 0; turn < 4; turn += 1) abandoned.push(await waiting(resource));
    const fifth = await waiting(resource);
    await move(8);
    assert.equal((await client.patch(fifth, { status: 'active' })).status, 409);
    await move(2);
    for (const path of abandoned) assert.equal(await client.status(path), 'expired');
    await client.patch(first, { status: 'released' });
    assert.equal(await client.status(fifth), 'active');
  });

  it('two that end together: neither becomes active because the other one has ended', async () => {
    const resource = fresh();
    await client.claim(resource, 60, { mode: 'shared' });
    const exclusive = await waiting(resource);
    const shared = await client.claim(resource, 60, { mode: 'shared', waiting_ttl: 9 });
    assert.equal(await client.status(shared), 'waiting');
    await move(10);
    for (const path of [exclusive, shared]) {
      const { body } = await client.get(path);
      assert.deepEqual(body.status_history.map(({ status }) => status), ['waiting', 'expired']);
    }
  });

  it('is shown, and no longer matters when the claim is active', async () => {
    const resource = fresh();
    const first = await client.claim(resource, 60, { waiting_ttl: 5 });
    assert.equal((await client.get(first)).body.waiting_ttl, null);
    const second = await waiting(resource, 5);
    clock.move(2);
    assert.equal((await client.get(second)).body.waiting_ttl, 3);
    await client.patch(first, { status: 'released' });
    await move(30);
    const { body } = await client.get(second);
    assert.deepEqual([body.status, body.waiting_ttl, body.ttl], ['active', null, 30]);
    await move(40);
    assert.equal(await client.status(second), 'expired');
  });

  it('the owner\'s polling renews it, and writes only when a third is over; looking does not', async () => {
    const resource = fresh();
    await client.claim(resource, 600);
    const path = await waiting(resource);
    const place = () => running.service.orderer.place;
    const before = place();
    clock.move(2);
    for (const query of ['?wait=0.01', '?wait=0.01&while=waiting']) assert.equal((await client.get(`${path}${query}`)).body.waiting_ttl, 7);
    assert.equal((await client.patch(path, { status: 'active' })).status, 409);
    assert.equal(place(), before);
    clock.move(2);
    assert.equal((await client.get(path)).body.waiting_ttl, 5);
    const other = as(running.url, 'other');
    assert.equal((await other.get(`${path}?wait=0.01`)).body.waiting_ttl, 5);
    assert.equal(place(), before);
    assert.equal((await client.get(`${path}?wait=0.01`)).body.waiting_ttl, 9);
    clock.move(4);
    await client.patch(path, { status: 'active' });
    assert.equal((await client.get(path)).body.waiting_ttl, 9);
    assert.equal(place(), before + 2);
  });

  it('while a long poll lasts it is renewed, and no longer when the client has hung up', async () => {
    const resource = fresh();
    await client.claim(resource, 600);
    const path = await waiting(resource, 0.3);
    const controller = new AbortController();
    const { signal } = controller;
    const poll = fetch(`${running.url}${path}?wait=60`, { signal, headers: { authorization: 'me' } }).catch(() => 'hung up');
    await until(() => running.service.hub.size === 1, 'the poll');
    for (let turn = 0; turn < 5; turn += 1) {
      const before = running.service.orderer.place;
      clock.move(0.2);
      await until(() => running.service.orderer.place > before, 'the renewal');
    }
    assert.equal(await client.status(path), 'waiting');
    controller.abort();
    assert.equal(await poll, 'hung up');
    await until(() => running.service.hub.size === 0, 'the end of the poll');
    await move(0.4);
    assert.equal(await client.status(path), 'expired');
  });

  for (const [what, before] of [['none', undefined], ['a longer one', 600]]) {
    it(`a shorter one instead of ${what}, while a long poll lasts: that renews it`, async () => {
      const resource = fresh();
      const first = await client.claim(resource, 600);
      const path = await client.claim(resource, 60, { waiting_ttl: before });
      const poll = client.get(`${path}?wait=60&while=waiting`);
      await until(() => running.service.hub.size === 1, 'the poll');
      await client.patch(path, { waiting_ttl: 0.3 });
      for (let turn = 0; turn < 3; turn += 1) {
        const { place } = running.service.orderer;
        clock.move(0.2);
        await until(() => running.service.orderer.place > place, 'the renewal', 2000);
      }
      await client.patch(first, { status: 'released' });
      assert.equal((await poll).body.status, 'active');
    });
  }

  it('the longest one: a long poll does not look after it all the time', async () => {
    const resource = fresh();
    const first = await client.claim(resource, 600);
    const path = await waiting(resource, 1e9);
    const warnings = [];
    const note = ({ name }) => warnings.push(name);
    process.on('warning', note);
    const poll = client.get(`${path}?wait=60&while=waiting`);
    await until(() => running.service.hub.size === 1, 'the poll');
    await client.patch(first, { status: 'released' });
    assert.equal((await poll).body.status, 'active');
    process.off('warning', note);
    assert.deepEqual(warnings, []);
  });

  it('can be set while it waits, and only then', async () => {
    const resource = fresh();
    const first = await client.claim(resource);
    const path = await client.claim(resource);
    assert.equal((await client.get(path)).body.waiting_ttl, null);
    const { status, body } = await client.patch(path, { waiting_ttl: 7 });
    assert.deepEqual([status, body.status, body.waiting_ttl], [200, 'waiting', 7]);
    assert.deepEqual(Object.keys((await client.patch(first, { waiting_ttl: 7 })).body), ['waiting_ttl']);
    for (const wrong of [-1, 'x', null, 1e10]) assert.equal((await client.patch(path, { waiting_ttl: wrong })).status, 400);
    assert.equal((await client.patch(path, { waiting_ttl: 1, ttl: 1 })).status, 400);
    assert.equal((await client.post({ resource, ttl: 1, waiting_ttl: -1 })).status, 400);
    assert.equal((await as(running.url, 'other').patch(path, { waiting_ttl: 7 })).status, 403);
    await move(8);
    assert.equal(await client.status(path), 'expired');
    assert.equal((await client.patch(path, { waiting_ttl: 7 })).status, 400);
  });
});
