/** No client has to poll: ?wait=, and the events. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { startService, until } from './support/service.js';
import { openEvents } from './support/events.js';

describe('claims: waiting', function () {
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

  describe('GET /v1/claims/(id)/?wait=', () => {
    it('answers as soon as the status changes', async () => {
      const resource = fresh();
      const active = await client.claim(resource);
      const path = await client.claim(resource);
      const began = performance.now();
      const waiting = client.get(`${path}?wait=30`);
      await until(() => running.service.hub.size === 1, 'the wait');
      await client.patch(active, { status: 'released' });
      const { status, body } = await waiting;
      assert.equal(status, 200);
      assert.equal(body.status, 'active');
      assert.ok(performance.now() - began < 5000);
    });

    it('answers with the claim as it is when the time is over', async () => {
      const path = await client.claim(fresh());
      const began = performance.now();
      const { status, body } = await client.get(`${path}?wait=0.1`);
      assert.equal(status, 200);
      assert.equal(body.status, 'active');
      assert.ok(performance.now() - began >= 99);
    });

    it('with while=, a change before the request counts', async () => {
      const path = await client.claim(fresh());
      assert.equal((await client.get(`${path}?wait=30&while=waiting`)).body.status, 'active');
    });

    it('answers at once when the claim is final', async () => {
      const path = await client.claim(fresh());
      await client.patch(path, { status: 'released' });
      assert.equal((await client.get(`${path}?wait=30`)).body.status, 'released');
    });

    it('404 and 400', async () => {
      assert.equal((await client.get('/v1/claims/99999/?wait=1')).status, 404);
      const path = await client.claim(fresh());
      for (const query of [
        'wait=x', 'wait=-1', 'wait=301', 'wait=', 'wait=1&wait=2', 'foo=1', 'while=active', 'wait=1&while=expired', 'wait=NaN',
      ]) {
        const { status, body } = await client.get(`${path}?${query}`);
        assert.equal(status, 400, query);
        assert.equal(Object.keys(body).length, 1, query);
      }
    });

    it('a client that hangs up leaves nothing behind', async () => {
      const path = await client.claim(fresh());
      const before = running.service.hub.size;
      const controller = new AbortController();
      const waiting = fetch(`${running.url}${path}?wait=60`, { signal: controller.signal }).catch(() => {});
      await until(() => running.service.hub.size === before + 1, 'the wait');
      controller.abort();
      await waiting;
      await until(() => running.service.hub.size === before, 'the end of the wait');
    });

    it('is refused when too many wait', async () => {
      const small = await startService({ server: { maxListeners: 1 } });
      try {
        const path = await small.client.claim('a');
        const waiting = small.client.get(`${path}?wait=1`);
        await until(() => small.service.hub.size === 1, 'the wait');
        assert.equal((await small.client.get(`${await small.client.claim('b')}?wait=1`)).status, 503);
        assert.equal((await waiting).status, 200);
      } finally {
        await small.stop();
      }
    });

    it('waiting requests are answered when the service stops', async () => {
      const other = await startService();
      const path = await other.client.claim('a');
      const waiting = other.client.get(`${path}?wait=60`);
      await until(() => other.service.hub.size === 1, 'the wait');
      await other.stop();
      assert.equal((await waiting).body.status, 'active');
    });
  });

  describe('GET /v1/events', () => {
    it('tells every change in its order', async () => {
      const events = await openEvents(running.url);
      const resource = fresh();
      const first = await client.claim(resource, 60, { user_data: 1 });
      const second = await client.post(`{"resource":${JSON.stringify(resource)},"ttl":0.05,"user_data":{\n"two":\r\n2}}`);
      await client.patch(first, { status: 'released' });
      const told = await events.take(6);
      const id = (path) => path.split('/').at(-2);
      const secondPath = new URL(second.body.url).pathname;
      assert.deepEqual(told.map(({ event, data }) => `${event} ${id(new URL(data.url).pathname)}`), [
        `waiting ${id(first)}`, `active ${id(first)}`, `waiting ${id(secondPath)}`, `released ${id(first)}`, `active ${id(secondPath)}`,
        `expired ${id(secondPath)}`,
      ]);
      assert.deepEqual(told[2].data.user_data, { two: 2 });
      assert.ok(told.every(({ event, data }) => event === data.status));
      events.close();
    });

    it('of one resource alone', async () => {
      const resource = fresh();
      const events = await openEvents(running.url, `?resource=${encodeURIComponent(resource)}`);
      await client.claim(fresh());
      await client.claim([fresh(), resource]);
      assert.deepEqual((await events.take(2)).map(({ event }) => event), ['waiting', 'active']);
      events.close();
    });

    it('goes on after Last-Event-ID, or says that it cannot', async () => {
      const events = await openEvents(running.url);
      const path = await client.claim(fresh());
      const [, { id }] = await events.take(2);
      events.close();
      await client.patch(path, { status: 'released' });
      const next = await client.claim(fresh());
      const later = await openEvents(running.url, '', { 'last-event-id': id });
      assert.deepEqual((await later.take(3)).map(({ event, data }) => [event, new URL(data.url).pathname]), [
        ['released', path], ['waiting', next], ['active', next],
      ]);
      later.close();
      const lost = await openEvents(running.url, '', { 'last-event-id': '0-0' });
      assert.equal((await lost.take(1))[0].event, 'reset');
      lost.close();
    });

    it('megabytes at once: a client that reads gets them all, live and after Last-Event-ID', async () => {
      const events = await openEvents(running.url);
      await client.claim(fresh());
      const [{ id }] = await events.take(2);
      const session = await client.ask('POST', '/v1/sessions/', { ttl: 60 });
      const more = { session: session.body.url, user_data: 'x'.repeat(20_000) };
      for (let turn = 0; turn < 60; turn += 1) await client.claim(fresh(), null, more);
      await events.take(120);
      const { pathname } = new URL(session.body.url);
      await client.ask('DELETE', pathname);
      const released = (each) => each.filter(({ event }) => event === 'released').length;
      assert.equal(released(await events.take(60)), 60);
      events.close();
      const later = await openEvents(running.url, '', { 'last-event-id': id });
      assert.equal(released(await later.take(181)), 60);
      // And it goes on.
      await client.claim(fresh());
      assert.deepEqual((await later.take(2)).map(({ event }) => event), ['waiting', 'active']);
      later.close();
    });

    it('400 for what it does not know', async () => {
      for (const query of ['?resource=', '?foo=1', '?resource=a&resource=b']) {
        assert.equal((await client.get(`/v1/events${query}`)).status, 400);
      }
    });

    it('a client that does not read is cut off, and the others do not wait for it', async () => {
      const { hostname, port } = new URL(running.url);
      const deaf = net.connect(Number(port), hostname);
      deaf.write('GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => running.service.hub.size === 1, 'the follower');
      deaf.pause();
      const userData = 'x'.repeat(200_000);
      for (let turn = 0; turn < 200 && running.service.hub.size > 0; turn += 1) {
        await client.claim(fresh(), 0, { user_data: userData });
        await delay(1);
      }
      assert.equal(running.service.hub.size, 0);
      deaf.destroy();
    });
  });
});
