/** etcd's space quota. Before it is reached, no more claims are taken, and ending them goes on. And the way back when it was reached. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { hasEtcd } from './support/etcd-cluster.js';
import { startSingle } from './support/etcd-single.js';
import { startService, until } from './support/service.js';

const QUOTA = 24 * 2 ** 20;

describe('claims: etcd\'s quota', function () {
  this.timeout(120_000);
  let etcd;
  beforeEach(async function () {
    if (!hasEtcd) this.skip();
    etcd = await startSingle(['--quota-backend-bytes', String(QUOTA)]);
  });
  afterEach(() => etcd?.stop());

  const start = (warnings, prefix) => startService({
    log: createEtcdLog({
      members: [etcd.url], prefix, patience: 10_000, space: { quota: QUOTA, every: 20, warn: (message) => warnings.push(message) },
    }),
    service: { heartbeat: 1000, checkpointEvery: 1e9, limits: { bytes: Infinity } },
  });
  const alarms = () => etcd.control('alarm', 'list').toString();

  it('nearly at it no more claims are taken; present ones can be prolonged and ended; then there is room again', async () => {
    const warnings = [];
    const running = await start(warnings, '/full/');
    const { client } = running;
    await client.patch(await client.claim('over'), { status: 'released' });
    const paths = [];
    const userData = Array.from({ length: 15_000 }, () => Math.random().toString(36)).join('');
    let answer;
    await until(async () => {
      answer = await client.post({ resource: `r${paths.length}`, ttl: 1e6, user_data: userData });
      if (answer.status === 201) paths.push(new URL(answer.body.url).pathname);
      return answer.status === 503;
    }, 'the refusal', 60_000);
    assert.match(answer.body.error, /hardly any room left in etcd/);
    assert.match(warnings.at(-1), /has used \d+ % of its quota.*no more claims are taken/);
    assert.equal((await client.ask('POST', '/v1/sessions/', { ttl: 5 })).status, 503);
    assert.match((await client.get('/metrics')).text, /claims_etcd_quota_bytes 25165824/);
    // Data that need not be kept are dropped.
    const { orderer } = running.service;
    orderer.checkpointing.keepIfDue(orderer.place);
    assert.deepEqual((await client.get('/v1/claims/?status=released')).body, []);
    for (const path of paths) {
      assert.equal((await client.patch(path, { ttl: 1e6 })).status, 200);
      assert.equal((await client.patch(path, { status: 'released' })).status, 204);
    }
    assert.equal(alarms(), '');
    assert.equal((await client.post({ resource: 'again', ttl: 60 })).status, 201);
    assert.deepEqual(running.fatal, []);
    await running.stop();
  });

  it('another program has used it up: 503; after the steps of the manual the service goes on, and nothing is lost', async () => {
    const running = await start([], '/used-up/');
    const { client } = running;
    const path = await client.claim('a', 1e6);
    const big = 'x'.repeat(1e6);
    for (let turn = 0; alarms() === '' && turn < 200; turn += 1) await etcd.put(`/other/${turn % 3}`, big);
    assert.match(alarms(), /NOSPACE/);
    assert.equal((await client.patch(path, { ttl: 1e6 })).status, 503);
    await etcd.remove('/other/', '/other0');
    const [{ Status: { header: { revision } } }] = JSON.parse(etcd.control('endpoint', 'status', '--write-out', 'json').toString());
    etcd.control('compact', String(revision), '--physical');
    etcd.control('defrag');
    etcd.control('alarm', 'disarm');
    await until(async () => (await client.patch(path, { ttl: 1e6 })).status === 200, 'the way back');
    assert.equal(await client.status(path), 'active');
    assert.deepEqual(running.fatal, []);
    await running.stop();
  });
});
