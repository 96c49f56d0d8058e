/** Several servers over etcd: they are one service. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { hasEtcd, startCluster, startProxy } from './support/etcd-cluster.js';
import { openEvents } from './support/events.js';
import { failToStart, startProcess } from './support/process.js';
import { startService, until, watchDelay } from './support/service.js';

describe('claims: several servers over etcd', function () {
  this.timeout(120_000);
  let cluster;
  let prefixes = 0;
  before(async function () {
    if (!hasEtcd) this.skip();
    cluster = await startCluster();
  });
  after(() => cluster?.stop());

  const freshPrefix = () => `/test/${(prefixes += 1)}/`;
  const start = (prefix, options = {}, members = cluster.urls) => startService({
    log: createEtcdLog({ members, prefix, ...options }),
    service: { heartbeat: 1000, ...options.service },
  });

  async function together(count, work, options) {
    const prefix = freshPrefix();
    const servers = await Promise.all(Array.from({ length: count }, () => start(prefix, options)));
    try {
      await work(servers.map(({ client }) => client), servers, prefix);
      for (const { fatal } of servers) assert.deepEqual(fatal, []);
    } finally {
      for (const server of servers) await server.stop();
    }
  }

  it('any server answers any request, at once as it is', () => together(3, async (clients) => {
    const first = await clients[0].claim('a');
    const second = await clients[1].claim('a');
    assert.deepEqual(await Promise.all(clients.map(({ status }) => status(first))), ['active', 'active', 'active']);
    const { status, body } = await clients[2].patch(second, { status: 'active' });
    assert.equal(status, 409);
    assert.equal(new URL(body.url).pathname, first);
    assert.equal((await clients[2].patch(first, { ttl: 90 })).status, 200);
    assert.equal((await clients[1].patch(first, { status: 'released' })).status, 204);
    for (const client of clients) assert.equal(await client.status(second), 'active');
    assert.equal((await clients[0].patch(second, { status: 'active' })).status, 200);
  }));

  it('claims of all servers at the same time: one order, equal states', () => together(3, async (clients, servers) => {
    const posts = Array.from({ length: 150 }, (each, place) => clients[place % 3].post({ resource: `r${place % 5}`, ttl: 60 }));
    const answers = await Promise.all(posts);
    assert.equal(answers.filter(({ status }) => status === 201).length, 5);
    assert.equal(new Set(answers.map(({ body }) => new URL(body.url).pathname)).size, 150);
    await Promise.all(servers.map(({ service }) => service.orderer.sync()));
    assert.equal(new Set(servers.map(({ service }) => service.machine.hash())).size, 1);
    assert.equal(new Set(servers.map(({ service }) => service.orderer.place)).size, 1);
  }));

  it('expires to 50 ms at whichever server it was made, and also when that server is gone', () => together(2, async (clients, servers) => {
    const heldUp = watchDelay();
    const quick = await clients[0].claim('a', 0.2);
    const waiter = await clients[1].claim('a', 60);
    const orphan = await clients[0].claim('b', 0.6);
    await until(async () => (await clients[1].status(quick)) === 'expired', 'the expiry');
    assert.equal(await clients[1].status(waiter), 'active');
    const { body } = await clients[1].get(quick);
    assert.ok(body.active_duration >= 0.2 && body.active_duration < 0.25 + heldUp(), `${body.active_duration}`);
    const heldUpLater = watchDelay();
    await servers[0].stop();
    await until(async () => (await clients[1].status(orphan)) === 'expired', 'the orphan\'s expiry');
    const { body: late } = await clients[1].get(orphan);
    assert.ok(late.active_duration >= 0.6 && late.active_duration < 0.65 + heldUpLater(), `${late.active_duration}`);
  }));

  it('events and waits see the changes of other servers', () => together(2, async (clients, servers) => {
    const events = await openEvents(servers[1].url);
    const first = await clients[0].claim('a');
    const second = await clients[0].claim('a');
    const waiting = clients[1].get(`${second}?wait=20`);
    await until(() => servers[1].service.hub.size === 2, 'the wait');
    await clients[0].patch(first, { status: 'released' });
    assert.equal((await waiting).body.status, 'active');
    const told = await events.take(5);
    assert.deepEqual(told.map(({ event }) => event), ['waiting', 'active', 'waiting', 'released', 'active']);
    events.close();
    // An event has the same name everywhere, so one may go on at another server.
    const other = await openEvents(servers[0].url, '', { 'last-event-id': told[3].id });
    assert.deepEqual((await other.take(1))[0], { ...told[4], data: { ...told[4].data, url: `${servers[0].url}${second}` } });
    other.close();
  }));

  it('one Idempotency-Key, two servers, one claim', () => together(2, async (clients) => {
    const request = { resource: 'a', ttl: 60 };
    const headers = { 'idempotency-key': 'k' };
    const answers = await Promise.all([0, 1, 0, 1].map((place) => clients[place].post(request, headers)));
    assert.equal(new Set(answers.map(({ body }) => new URL(body.url).pathname)).size, 1);
  }));

  it('a server that starts later has everything, from a checkpoint and the entries after it', async () => {
    const options = { service: { checkpointEvery: 50 } };
    await together(1, async ([client], [server], prefix) => {
      const kept = await client.claim('kept', 1000, { user_data: { x: 1.0 } });
      for (let turn = 0; turn < 120; turn += 1) {
        const path = await client.claim('a', 1000);
        if (turn % 2) await client.patch(path, { status: 'withdrawn' });
      }
      await until(async () => (await checkpointOf(prefix)) > 0, 'a checkpoint');
      const first = await firstEntryOf(prefix);
      await until(async () => {
        await client.claim('a', 1000);
        return await firstEntryOf(prefix) !== first;
      }, 'the end of entries before a checkpoint', 60_000);
      const late = await start(prefix, options);
      // An entry, such as a heartbeat, may be on its way to one of them.
      await until(() => late.service.machine.hash() === server.service.machine.hash(), 'equal states');
      const normal = (body) => body.map((claim) => (
        { ...claim, url: new URL(claim.url).pathname, ttl: 0, active_duration: 0, waiting_duration: 0 }));
      assert.deepEqual(normal((await late.client.get('/v1/claims/')).body), normal((await client.get('/v1/claims/')).body));
      assert.ok((await late.client.get(kept)).body.ttl <= (await client.get(kept)).body.ttl + 1.1);
      await late.stop();
    }, options);
  });

  it('a server that was cut off while the log was shortened loads anew, and does not write where entries were dropped', async () => {
    const proxies = await Promise.all(cluster.members.map(({ host, port }) => startProxy(host, port)));
    const options = { patience: 600, deadline: 200, service: { checkpointEvery: 20 } };
    const prefix = freshPrefix();
    const server = await start(prefix, options);
    const cut = await start(prefix, options, proxies.map(({ url }) => url));
    const events = await openEvents(cut.url);
    const path = await cut.client.claim('a', 60);
    await events.take(2);
    for (const proxy of proxies) proxy.cut();
    const place = cut.service.orderer.place;
    const lost = cut.client.post({ resource: 'lost', ttl: 60 });
    await server.client.patch(path, { status: 'released' });
    await until(async () => {
      await server.client.claim('b', 60);
      return (await checkpointOf(prefix, 'dropped')) > place;
    }, 'a checkpoint after another', 60_000);
    assert.equal((await lost).status, 503);
    // A server that cannot ask does not say that it is active.
    assert.equal((await cut.client.get(path)).status, 503);
    assert.equal((await cut.client.patch(path, { status: 'active' })).status, 503);
    assert.equal((await cut.client.get('/healthz')).status, 503);
    for (const proxy of proxies) proxy.heal();
    await until(async () => (await cut.client.get('/healthz')).status === 200, 'the way back');
    assert.equal(await cut.client.status(path), 'released');
    assert.equal((await events.take(1))[0].event, 'reset');
    events.close();
    await cut.client.claim('a', 60);
    await server.service.orderer.sync();
    await cut.service.orderer.sync();
    await until(() => cut.service.machine.hash() === server.service.machine.hash(), 'equal states');
    assert.equal((await server.client.get('/v1/claims/?resource=lost')).body.length, 0);
    assert.deepEqual(cut.fatal, []);
    await cut.stop();
    await server.stop();
    for (const proxy of proxies) proxy.stop();
  });

  it('by the command; refuses data of a newer version and members that do not answer', async () => {
    const prefix = freshPrefix();
    const service = await startProcess(['--etcd', cluster.urls.join(','), '--etcd-prefix', prefix]);
    const response = await fetch(`${service.url}/v1/claims/`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"resource":"a","ttl":1}',
    });
    assert.equal(response.status, 201);
    assert.equal((await service.stop()).code, 0);
    await put(`${prefix}format`, `{"format":9}`);
    const newer = await failToStart(['--etcd', cluster.urls.join(','), '--etcd-prefix', prefix]);
    assert.equal(newer.code, 1);
    assert.match(newer.errors, /^lockkeeper-claims: The claims in etcd below \S+ were written by a newer version .*\n$/);
    const silent = start(prefix, { patience: 300 }, ['http://127.0.0.1:1', 'http://127.0.0.1:2']);
    await assert.rejects(silent, { name: 'Unavailable', message: /^no member of etcd answers / });
  });

  const call = async (path, body) => {
    const response = await fetch(`${cluster.urls[0]}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return response.json();
  };
  const base64 = (text) => Buffer.from(text).toString('base64');
  const put = (key, value) => call('/v3/kv/put', { key: base64(key), value: base64(value) });
  const checkpointOf = async (prefix, field = 'place') => {
    const { kvs: [found] = [] } = await call('/v3/kv/range', { key: base64(`${prefix}checkpoint`) });
    return found ? JSON.parse(Buffer.from(found.value, 'base64'))[field] : 0;
  };
  const firstEntryOf = async (prefix) => {
    const range = { key: base64(`${prefix}batch/`), range_end: base64(`${prefix}batch0`), keys_only: true, limit: 1 };
    return (await call('/v3/kv/range', range)).kvs[0].key;
  };

  it('is idle when nothing is claimed', () => together(2, async (clients, servers) => {
    const path = await clients[0].claim('a', 60);
    await clients[1].patch(path, { status: 'released' });
    const place = () => servers[0].service.orderer.place;
    await until(async () => {
      const before = place();
      // Five heartbeats.
      await delay(1000);
      return place() === before;
    }, 'a second without an entry');
  }, { service: { heartbeat: 200 } }));
});
