/** Sessions. Time moves when the test says so. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { openLevelLog } from '../../claims/source/log-level.js';
import { LEVEL } from '../../claims/source/operations.js';
import { useEtcd } from './support/etcd-use.js';
import { startService } from './support/service.js';
import { as, auth, useTimedService } from './support/timed.js';

describe('claims: sessions', function () {
  this.timeout(60_000);
  const used = useTimedService();
  const { clock, fresh } = used;
  let running;
  let client;
  before(() => ({ running, client } = used));
  const begin = async (ttl = 10, who = client) => {
    const { status, body, headers } = await who.ask('POST', '/v1/sessions/', { ttl });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), body.url);
    return { url: body.url, path: new URL(body.url).pathname };
  };
  const inSession = (session, resource, more = {}) => client.claim(resource, null, { session: session.url, ...more });

  it('to make or end a claim in a session with many claims, none of these is looked at', async () => {
    const session = await begin();
    const { created } = (await client.ask('GET', session.path)).body;
    const resource = fresh();
    for (let count = 0; count < 20; count += 1) await inSession(session, resource);
    const { sessions } = running.service.machine;
    const { claimsOf } = sessions;
    try {
      sessions.claimsOf = () => assert.fail('its claims are listed');
      const path = `/v1/claims/?session_created=${encodeURIComponent(created)}`;
      const { status, body } = await client.ask('POST', path, { resource, session: session.url });
      assert.equal(status, 202);
      assert.equal((await client.patch(new URL(body.url).pathname, { status: 'withdrawn' })).status, 204);
    } finally {
      sessions.claimsOf = claimsOf;
    }
    assert.equal((await client.ask('DELETE', session.path)).status, 204);
  });

  it('one renewal keeps all claims; without it all end together, and none of them has a turn', async () => {
    const session = await begin();
    const [one, two, three] = [fresh(), fresh(), fresh()];
    const own = [];
    for (const resource of [one, two, one, three]) own.push(await inSession(session, resource));
    const other = await client.claim(one);
    for (let turn = 0; turn < 5; turn += 1) {
      clock.move(8);
      const { status, body } = await client.patch(session.path, { ttl: 10 });
      assert.equal(status, 200);
      assert.equal(body.ttl, 10);
      const paths = [body.active, body.waiting].map((urls) => urls.map((url) => new URL(url).pathname));
      assert.deepEqual(paths, [[own[0], own[1], own[3]], [own[2]]]);
    }
    clock.move(11);
    await client.claim(fresh());
    for (const path of own) assert.equal(await client.status(path), 'expired');
    const { body } = await client.get(own[2]);
    assert.deepEqual(body.status_history.map(({ status }) => status), ['waiting', 'expired']);
    assert.equal(await client.status(other), 'active');
    assert.equal((await client.get(session.path)).status, 404);
    assert.equal((await client.patch(session.path, { ttl: 10 })).status, 404);
    assert.deepEqual(Object.keys((await client.post({ resource: one, session: session.url })).body), ['session']);
  });

  it('a repeated Idempotency-Key gives the same claim, though its session has ended or another one has its id', async () => {
    const session = await begin();
    const { created } = (await client.get(session.path)).body;
    const resource = fresh();
    const post = (name, when, key = resource) => client.ask('POST', `/v1/claims/?session_created=${when}`,
      { resource: name, session: session.url }, { 'idempotency-key': key });
    const first = await post(resource, created);
    assert.equal((await post(resource, '2020-01-01T00:00:00.000Z')).body.url, first.body.url);
    await used.move(11);
    const again = await post(resource, created);
    assert.deepEqual([again.status, again.body.url, again.body.status], [201, first.body.url, 'expired']);
    assert.equal((await post(fresh(), created)).status, 422);
    assert.deepEqual(Object.keys((await post(resource, created, fresh())).body), ['session']);
  });

  it('ends as a whole: none of its claims becomes active because another one of them has ended', async () => {
    const resource = fresh();
    await client.claim(resource, 60, { mode: 'shared' });
    const session = await begin();
    await inSession(session, resource);
    const shared = await inSession(session, resource, { mode: 'shared' });
    assert.equal((await client.ask('DELETE', session.path)).status, 204);
    const { body } = await client.get(shared);
    assert.deepEqual(body.status_history.map(({ status }) => status), ['waiting', 'withdrawn']);
  });

  it('a claim of a session may have a ttl of its own, and ends when the first of the two is over', async () => {
    const session = await begin(20);
    const short = await inSession(session, fresh(), { ttl: 5 });
    const long = await inSession(session, fresh(), { ttl: 50 });
    const none = await inSession(session, fresh());
    assert.deepEqual([(await client.get(short)).body.ttl, (await client.get(none)).body.ttl], [5, null]);
    assert.equal((await client.get(none)).body.session, session.url);
    clock.move(6);
    await client.claim(fresh());
    assert.deepEqual([await client.status(short), await client.status(long), await client.status(none)], ['expired', 'active', 'active']);
    clock.move(15);
    await client.claim(fresh());
    assert.deepEqual([await client.status(long), await client.status(none)], ['expired', 'expired']);
  });

  it('DELETE releases active claims and withdraws waiting ones', async () => {
    const session = await begin();
    const resource = fresh();
    const [active, waiting] = [await inSession(session, resource), await inSession(session, resource)];
    assert.equal((await client.ask('DELETE', session.path)).status, 204);
    assert.deepEqual([await client.status(active), await client.status(waiting)], ['released', 'withdrawn']);
    assert.equal((await client.ask('DELETE', session.path)).status, 404);
  });

  it('belongs to its owner; a client with the right to revoke may end it', async () => {
    const session = await begin();
    const path = await inSession(session, fresh());
    const [other, admin] = [as(running.url, 'other'), as(running.url, 'admin')];
    assert.equal((await other.get(session.path)).status, 200);
    assert.equal((await other.patch(session.path, { ttl: 1 })).status, 403);
    assert.equal((await other.ask('DELETE', session.path)).status, 403);
    assert.equal((await other.post({ resource: fresh(), session: session.url })).status, 403);
    assert.equal((await admin.patch(session.path, { ttl: 1 })).status, 403);
    assert.equal((await admin.ask('DELETE', session.path)).status, 204);
    assert.equal(await client.status(path), 'revoked');
  });

  it('400 and 404, and a bound', async () => {
    for (const body of [{}, { ttl: -1 }, { ttl: 1, x: 1 }, []]) assert.equal((await client.ask('POST', '/v1/sessions/', body)).status, 400);
    for (const session of ['', 'x', '/v1/sessions/0/', 'http://x/v1/claims/1/', 99, null]) {
      assert.deepEqual(Object.keys((await client.post({ resource: 'a', session })).body), ['session'], String(session));
    }
    for (const id of ['0', 'x', '99', '1e3']) assert.equal((await client.get(`/v1/sessions/${id}/`)).status, 404, id);
    assert.equal((await client.get('/v1/sessions/')).status, 405);
    assert.equal((await client.ask('POST', '/v1/sessions', { ttl: 1 })).status, 308);
    const small = await startService({ server: { auth }, service: { limits: { ownerClaims: 2 } } });
    const who = as(small.url, 'me');
    await begin(10, who);
    const second = await begin(10, who);
    assert.equal((await who.ask('POST', '/v1/sessions/', { ttl: 1 })).status, 429);
    await who.ask('DELETE', second.path);
    await begin(10, who);
    await small.stop();
  });

  it('are there after a restart, from the journal and from a checkpoint', async () => {
    for (const checkpointEvery of [1, 1000]) {
      const folder = await mkdtemp(join(tmpdir(), 'claims-'));
      const options = { data: folder, service: { clock, checkpointEvery } };
      let service = await startService(options);
      const { url, path } = await begin(10, service.client);
      const { status, body } = await service.client.post({ resource: 'a', session: url });
      assert.equal(status, 201);
      const waiting = await service.client.claim('a', 60, { waiting_ttl: 5 });
      // Changes that are in no checkpoint at the end are in the journal.
      service.service.orderer.checkpointing.keep = async () => {};
      await service.stop();
      service = await startService(options);
      const found = (await service.client.get(path)).body;
      assert.deepEqual(found.active.map((each) => new URL(each).pathname), [new URL(body.url).pathname]);
      clock.move(6);
      await service.client.claim('b');
      assert.equal(await service.client.status(waiting), 'expired');
      await service.client.patch(path, { ttl: 10 });
      clock.move(11);
      await service.client.claim('c');
      assert.equal(await service.client.status(new URL(body.url).pathname), 'expired');
      assert.equal((await service.client.ask('POST', '/v1/sessions/', { ttl: 1 })).body.url.replace(/^.*sessions/, ''), '/2/');
      await service.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('data of a newer version are refused, and nothing is changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const log = await openLevelLog(folder, { warn: () => {} });
    await log.load({ begin: () => {}, record: () => {}, restore: () => {}, replay: () => {}, deliver: () => {} });
    await log.append({ token: 'x', now: 1, wall: 1, seen: 0, hash: 0, operations: [], level: LEVEL + 1 });
    await log.close();
    await assert.rejects(startService({ data: folder }), /entry 1 of the log was written by a newer version/);
    await rm(folder, { recursive: true });
  });
});

describe('claims: sessions over etcd', function () {
  this.timeout(60_000);
  const etcd = useEtcd();
  const start = (prefix, options) => (
    startService({ log: createEtcdLog({ members: [etcd().url], prefix, ...options }), service: { heartbeat: 1000 } }));

  it('every server has them', async () => {
    const [one, two] = [await start('/sessions/'), await start('/sessions/')];
    const { body } = await one.client.ask('POST', '/v1/sessions/', { ttl: 60 });
    const path = new URL(body.url).pathname;
    const claim = await two.client.post({ resource: 'a', session: path });
    assert.equal(claim.status, 201);
    assert.equal((await one.client.patch(path, { ttl: 30 })).body.active.length, 1);
    assert.equal((await two.client.ask('DELETE', path)).status, 204);
    assert.equal(await one.client.status(new URL(claim.body.url).pathname), 'released');
    assert.equal(one.service.machine.hash(), two.service.machine.hash());
    await Promise.all([one.stop(), two.stop()]);
  });

  it('servers are replaced one by one: operations that an older one does not know wait until all know them', async () => {
    // It has only read so far.
    const old = await start('/rolling/', { level: 1 });
    const young = await start('/rolling/');
    await young.client.claim('a');
    // With an older one among them that names no level, no server puts what that one does not know.
    for (const { client } of [young, old]) {
      assert.equal((await client.ask('POST', '/v1/sessions/', { ttl: 60 })).status, 503);
      const { status, body } = await client.post({ resource: 'a', ttl: 60, waiting_ttl: 5 });
      assert.deepEqual([status, body.waiting_ttl], [202, null]);
    }
    const keysStay = async (key) => {
      assert.equal((await young.client.post({ resource: key, ttl: 60 }, { 'idempotency-key': key })).status, 201);
      return young.service.machine.keys.peek(null, key).keepsKey;
    };
    assert.equal(await keysStay('with an older one'), undefined);
    await old.stop();
    assert.equal((await young.client.ask('POST', '/v1/sessions/', { ttl: 60 })).status, 201);
    assert.equal((await young.client.post({ resource: 'a', ttl: 60, waiting_ttl: 5 })).body.waiting_ttl, 5);
    assert.equal(await keysStay('alone'), true);
    await young.stop();
  });
});
