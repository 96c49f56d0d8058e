/**
 * What else grants locks to many machines, on this machine and in one run: this service on disk, and over etcd with one, two and three
 * services; etcd's own locks; PostgreSQL's advisory locks; Redis' SET NX PX. So many clients acquire and release locks of their own
 * without a pause; and what is left of locks that are held when the server is killed and started again.
 *
 *   node claims/bench/rivals.mjs [seconds for each] [clients]
 *
 * Needs Debian's packages etcd-server, postgresql and redis-server; what is missing is said and left out.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, hasEtcd } from '../../test/claims/support/etcd-cluster.js';
import { startPostgres, startRedis } from './rival-servers.mjs';
import { createClient, figures, startProcess } from './support.mjs';

const SECONDS = Number(process.argv[2] ?? 5);
const CLIENTS = Number(process.argv[3] ?? 64);
const HELD = 50;
const rows = [];
const folder = await mkdtemp(join(tmpdir(), 'claims-rivals-'));

/**
 * @param {string} what
 * @param {(place: number) => Promise<{acquire: () => Promise<unknown>, release: (lock: any) => Promise<unknown>}>} connect
 */
async function measure(what, connect) {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (each, place) => connect(place)));
  const acquiring = [];
  let pairs = 0;
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(clients.map(async ({ acquire, release }) => {
    while (performance.now() < end) {
      const began = performance.now();
      const lock = await acquire();
      acquiring.push(performance.now() - began);
      await release(lock);
      pairs += 1;
    }
  }));
  const { p50, p99 } = figures(acquiring);
  const row = { what, 'pairs/s': Math.round(pairs / SECONDS), 'acquire p50, ms': p50, 'p99, ms': p99, [`lost of ${HELD}`]: '' };
  rows.push(row);
  console.log(`${what}: ${row['pairs/s']} pairs a second`);
  return (lost) => (row[`lost of ${HELD}`] = lost);
}

/** A client of claims services: of one of [urls], by its place. */
const ofClaims = (services) => async (place) => {
  const { client, url } = services[place % services.length];
  return {
    async acquire() {
      const { text } = await expect(client.ask('POST', '/v1/claims/', { resource: `${url} ${place}`, ttl: 60 }), 201);
      return new URL(JSON.parse(text).url).pathname;
    },
    release: (path) => expect(client.ask('PATCH', path, { status: 'released' }), 204),
  };
};

async function expect(asked, status) {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** How many of the held claims another one would be granted now. */
async function lostClaims({ client }) {
  let lost = 0;
  for (let place = 0; place < HELD; place += 1) {
    if ((await client.ask('POST', '/v1/claims/', { resource: `held ${place}`, ttl: 60 })).status === 201) lost += 1;
  }
  return lost;
}
const holdClaims = async ({ client }) => {
  for (let place = 0; place < HELD; place += 1) {
    await expect(client.ask('POST', '/v1/claims/', { resource: `held ${place}`, ttl: 600 }), 201);
  }
};
const start = async (options) => {
  const service = await startProcess(options);
  return { ...service, client: createClient(service.url) };
};

const data = join(folder, 'data');
let service = await start(['--data', data]);
const onDisk = await measure('this service, on disk', ofClaims([service]));
await holdClaims(service);
await service.stop('SIGKILL');
service = await start(['--data', data]);
onDisk(await lostClaims(service));
await service.stop();

if (hasEtcd) {
  const cluster = await startCluster();
  const services = [];
  for (let count = 1; count <= 3; count += 1) {
    services.push(await start(['--etcd', cluster.urls.join(',')]));
    const killed = await measure(`this service, ${count} over etcd`, ofClaims(services));
    if (count < 3) continue;
    await holdClaims(services[0]);
    await services[0].stop('SIGKILL');
    killed(await lostClaims(services[1]));
    await services[1].stop();
    await services[2].stop();
  }
  const members = cluster.urls.map((url) => createClient(url));
  const call = async (client, path, body) => JSON.parse((await expect(client.ask('POST', path, body), 200)).text);
  const name = (text) => Buffer.from(text).toString('base64');
  const ofEtcd = async (place, prefix = 'own') => {
    const client = members[place % members.length];
    const { ID: lease } = await call(client, '/v3/lease/grant', { TTL: 600 });
    return {
      acquire: async () => (await call(client, '/v3/lock/lock', { name: name(`${prefix} ${place}`), lease })).key,
      release: (key) => call(client, '/v3/lock/unlock', { key }),
    };
  };
  const killed = await measure('etcd\'s own locks', ofEtcd);
  const keys = [];
  for (let place = 0; place < HELD; place += 1) keys.push(await (await ofEtcd(place, 'held')).acquire());
  const leader = await cluster.leader();
  await cluster.kill(leader);
  cluster.restart(leader);
  await cluster.well();
  let lost = 0;
  for (const key of keys) if (!(await call(members[0], '/v3/kv/range', { key })).kvs) lost += 1;
  killed(lost);
  for (const member of members) member.close();
  await cluster.stop();
} else {
  console.log('etcd is missing (etcd-server): left out');
}

for (const [what, startRival, options] of [
  ['PostgreSQL\'s advisory locks', startPostgres, {}],
  ['Redis, SET NX PX, as installed', startRedis, { words: [] }],
  ['Redis, SET NX PX, appendfsync always', startRedis, { words: ['--appendonly', 'yes', '--appendfsync', 'always'] }],
]) {
  const rival = await startRival(await mkdtemp(join(folder, 'rival-')), options);
  if (!rival) {
    console.log(`${what}: its server is missing (postgresql, redis-server): left out`);
    continue;
  }
  const killed = await measure(what, async (place) => {
    const connection = await rival.connect();
    return { acquire: () => connection.acquire(`own ${place}`), release: () => connection.release(`own ${place}`) };
  });
  const holder = await rival.connect();
  for (let place = 0; place < HELD; place += 1) await holder.acquire(`held ${place}`);
  await rival.kill();
  await rival.start();
  const newcomer = await rival.connect();
  let lost = 0;
  for (let place = 0; place < HELD; place += 1) if (await newcomer.acquire(`held ${place}`)) lost += 1;
  killed(lost);
  await rival.kill();
}

console.table(rows);
await rm(folder, { recursive: true });
process.exit(0);
