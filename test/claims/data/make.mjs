/**
 * Writes what the service of this checkout leaves in a data folder and in etcd, for later versions to read: NAME.json and NAME.etcd.gz.
 *
 *   node test/claims/data/make.mjs NAME [folder to write to]
 */
import { ClassicLevel } from 'classic-level';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createEtcdLog } from '../../../claims/source/log-etcd.js';
import { startSingle } from '../support/etcd-single.js';
import { startService, until } from '../support/service.js';

const [name, to = new URL('.', import.meta.url).pathname] = process.argv.slice(2);
const TTL = 1e8;

/** Claims of every kind; a checkpoint has the first ones, entries after it the others. */
async function fill({ client, service }) {
  const made = [];
  const claim = async (...words) => made.push(await client.claim(...words));
  await claim('a', TTL, { user_data: { who: 'ä' } });
  await claim('a', TTL);
  await claim(['b', 'c'], TTL);
  await claim('d', TTL, { mode: 'shared', limit: 2 });
  await claim('d', TTL, { mode: 'shared', limit: 2 });
  await claim('d', TTL, { mode: 'shared', limit: 2 });
  await claim('e', TTL);
  await client.patch(made[6], { status: 'released' });
  await client.post({ resource: 'f', ttl: TTL }, { 'idempotency-key': 'key' });
  await service.orderer.checkpointing.keep(service.orderer.place);
  // And no more of them.
  service.orderer.checkpointing.keep = async () => {};
  await client.patch(made[2], { ttl: TTL / 2 });
  await claim('g', TTL);
  await client.patch(made[4], { status: 'aborted' });
  const session = await client.ask('POST', '/v1/sessions/', { ttl: TTL }).catch(() => ({ status: 0 }));
  if (session.status === 201) {
    await claim('h', null, { session: session.body.url });
    await claim('h', TTL, { waiting_ttl: TTL });
  }
  return (await client.get('/v1/claims/')).body.map(({ status, resource, fence }) => ({ status, resource, fence }));
}

const folder = await mkdtemp(join(tmpdir(), 'claims-data-'));
const onDisk = await startService({ data: join(folder, 'data') });
const claims = await fill(onDisk);
await onDisk.stop();
const level = new ClassicLevel(join(folder, 'data'), { valueEncoding: 'buffer' });
const keys = (await level.iterator().all()).map(([key, value]) => [key, value.toString('base64')]);
await level.close();
writeFileSync(join(to, `${name}.json`), `${JSON.stringify({ claims, keys })}\n`);

const etcd = await startSingle();
const log = createEtcdLog({ members: [etcd.url], compact: false });
const overEtcd = await startService({ log, service: { heartbeat: 1000 } });
await until(async () => (await overEtcd.client.get('/healthz')).status === 200, 'the service');
await fill(overEtcd);
await overEtcd.stop();
writeFileSync(join(to, `${name}.etcd.gz`), gzipSync(readFileSync(etcd.save()), { level: 9 }));
await etcd.stop();
await rm(folder, { recursive: true });
