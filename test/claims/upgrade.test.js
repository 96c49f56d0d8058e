/**
 * This version reads what earlier versions have left: data/ has it, as data/make.mjs wrote it. How a server of this version shares etcd
 * with one that knows less is tested in sessions.test.js.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ClassicLevel } from 'classic-level';
import { describe, it } from 'mocha';
import { Clock } from '../../claims/source/clock.js';
import { isSealed } from '../../claims/source/level-keys.js';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { hasEtcd } from './support/etcd-cluster.js';
import { startSingle } from './support/etcd-single.js';
import { startService } from './support/service.js';

const DATA = new URL('./data/', import.meta.url);
const NAMES = readdirSync(DATA).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));

describe('claims: data of earlier versions', function () {
  this.timeout(60_000);

  /** The day on which make.mjs ran: an Idempotency-Key is forgotten a day later. */
  const clock = () => new Clock({ wall: () => Date.UTC(2026, 10, 23, 12) });

  const listOf = async (client) => {
    const { body } = await client.get('/v1/claims/');
    return body.map(({ status, resource, fence }) => ({ status, resource, fence }));
  };

  /** The claims are as they were, and all goes on. */
  async function goesOn({ client, fatal }, name) {
    const { claims } = JSON.parse(readFileSync(new URL(`${name}.json`, DATA), 'utf8'));
    assert.deepEqual(await listOf(client), claims);
    assert.deepEqual((await client.get('/v1/claims/1/')).body.user_data, { who: 'ä' });
    assert.equal((await client.get('/v1/claims/3/')).body.ttl <= 5e7, true);
    assert.equal((await client.post({ resource: 'f', ttl: 1e8 }, { 'idempotency-key': 'key' })).body.url.split('/').at(-2), '8');
    // The limit's second place is free since the fifth claim was aborted.
    assert.equal(await client.status('/v1/claims/6/'), 'active');
    await client.patch('/v1/claims/1/', { status: 'released' });
    assert.equal(await client.status('/v1/claims/2/'), 'active');
    const { body } = await client.get('/v1/claims/2/');
    assert.ok(body.fence > Math.max(...claims.map(({ fence }) => fence)));
    const session = await client.ask('POST', '/v1/sessions/', { ttl: 60 });
    assert.equal((await client.post({ resource: 'new', session: session.body.url })).status, 201);
    assert.deepEqual(fatal, []);
    return listOf(client);
  }

  for (const name of NAMES) {
    it(`${name}, on disk`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'claims-'));
      const { keys } = JSON.parse(readFileSync(new URL(`${name}.json`, DATA), 'utf8'));
      const level = new ClassicLevel(folder, { valueEncoding: 'buffer' });
      await level.batch(keys.map(([key, value]) => ({ type: 'put', key, value: Buffer.from(value, 'base64') })));
      await level.close();
      let running = await startService({ data: folder, service: { clock: clock() } });
      assert.match(running.warnings.join(), /gets format 3, with checksums/);
      const list = await goesOn(running, name);
      await running.stop();
      await level.open();
      const records = await level.iterator().all();
      for (const [key, bytes] of records) assert.equal(isSealed(key, bytes), key !== 'format', key);
      // As if it had been killed while it did that.
      const open = records.filter(([key]) => key < 'claim/00000000003' || key === 'state');
      await level.batch(open.map(([key, bytes]) => ({ type: 'put', key, value: bytes.subarray(5) })));
      await level.put('format', Buffer.from('{"format":3,"software":"lockkeeper-claims","sealed":false}'));
      await level.close();
      running = await startService({ data: folder, service: { clock: clock() } });
      assert.deepEqual(await listOf(running.client), list);
      await running.stop();
      await rm(folder, { recursive: true });
    });

    it(`${name}, in etcd`, async function () {
      if (!hasEtcd) this.skip();
      const folder = mkdtempSync(join(tmpdir(), 'claims-'));
      const file = join(folder, 'snapshot');
      writeFileSync(file, gunzipSync(readFileSync(new URL(`${name}.etcd.gz`, DATA))));
      const etcd = await startSingle();
      await etcd.restore(file);
      const start = () => startService({ log: createEtcdLog({ members: [etcd.url] }), service: { heartbeat: 1000, clock: clock() } });
      const running = await start();
      await goesOn(running, name);
      const other = await start();
      await other.client.get('/v1/claims/');
      assert.equal(other.service.machine.hash(), running.service.machine.hash());
      await Promise.all([running.stop(), other.stop()]);
      await etcd.stop();
      await rm(folder, { recursive: true });
    });
  }
});
