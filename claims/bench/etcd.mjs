/**
 * Several services over etcd: three members on loopback, and a proxy between every service and etcd that takes some milliseconds each
 * way. Mutations a second with one, two and three services, in turn in one run; what each service's clients wait; and renewals at a
 * steady rate. Ratios count, for the machine may be busy.
 *
 *   node claims/bench/etcd.mjs [seconds] [clients] [milliseconds each way] [rounds]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, startProxy } from '../../test/claims/support/etcd-cluster.js';
import { createClient, figures, processorOf, startProcess } from './support.mjs';

const SECONDS = Number(process.argv[2] ?? 10);
const CLIENTS = Number(process.argv[3] ?? 64);
const LATENCY = Number(process.argv[4] ?? 5);
const ROUNDS = Number(process.argv[5] ?? 3);
const RENEWALS = 100;
const WAITS = 'p99 by service, ms';
const COST = 'processor, µs a mutation: services, etcd, clients and proxies';

const cluster = await startCluster();
const services = [];
for (let place = 0; place < 3; place += 1) {
  const proxies = await Promise.all(cluster.members.map(({ host, port }) => startProxy(host, port, LATENCY)));
  const service = await startProcess(['--etcd', proxies.map(({ url }) => url).join(',')]);
  services.push({ ...service, proxies, client: createClient(service.url) });
}

const rows = [];
const rates = new Map();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const count of [1, 2, 3]) {
    const used = services.slice(0, count);
    for (const [how, each] of [['each', CLIENTS], ['in all', CLIENTS / count]]) {
      if (count === 1 && how === 'in all') continue;
      const before = processors(used);
      const measured = await Promise.all(used.map((service) => mutate(service, Math.round(each))));
      const rate = measured.reduce((sum, { length }) => sum + length, 0) / SECONDS;
      const waits = measured.map((values) => Number(figures(values).p99));
      const key = `${count} ${how}`;
      rates.set(key, [...rates.get(key) ?? [], rate]);
      console.log(`round ${round + 1}: ${key}, ${Math.round(rate)} mutations/s`);
      const clients = `${CLIENTS} ${how}`;
      const cost = processors(used).map((seconds, place) => ((seconds - before[place]) * 1e6) / (rate * SECONDS));
      const [ofServices, etcd, bench] = cost.map((microseconds) => microseconds.toFixed(0));
      rows.push({
        services: count, clients, 'mutations/s': Math.round(rate), [WAITS]: waits.join(', '),
        [COST]: `${ofServices}, ${etcd}, ${bench}`, 'cores used': (cost.reduce((sum, each) => sum + each, 0) * rate / 1e6).toFixed(2),
      });
    }
  }
}
console.table(rows);
const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
const one = median(rates.get('1 each'));
for (const key of ['2 each', '3 each', '2 in all', '3 in all']) {
  console.log(`${key}: ${(median(rates.get(key)) / one).toFixed(2)} times one service's mutations a second, by medians`);
}
const ofThree = rows.filter(({ services: count }) => count === 3);
const slow = ofThree.map((row) => row[WAITS].split(', ').map(Number));
const ratios = slow.map((values) => (Math.max(...values) / Math.min(...values)).toFixed(2));
console.log(`three services, slowest p99 to fastest: ${ratios.join(', ')} (bar: 3)`);

const renewals = (await Promise.all(services.map((service) => renew(service, RENEWALS / services.length)))).flat();
const { p50, p99, max } = figures(renewals);
console.log(`renewals at ${RENEWALS}/s over three services: p50 ${p50}, p99 ${p99}, longest ${max} ms (bar: p99 under 100)`);

for (const { client, proxies, ...service } of services) {
  client.close();
  await service.stop();
  for (const proxy of proxies) proxy.stop();
}
await cluster.stop();
process.exit(0);

/** Seconds of processor time of these services, of etcd, and of this process, which has the clients and the proxies. */
function processors(used) {
  const sum = (values) => values.reduce((one, other) => one + other, 0);
  const { user, system } = process.cpuUsage();
  return [
    sum(used.map(({ processor }) => processor())),
    sum(cluster.members.map(({ child }) => processorOf(child.pid))),
    (user + system) / 1e6,
  ];
}

/** So many clients without a pause, each with a resource of its own. */
async function mutate({ client, url }, clients) {
  const end = performance.now() + SECONDS * 1000;
  const values = [];
  await Promise.all(Array.from({ length: clients }, async (each, place) => {
    while (performance.now() < end) {
      const posted = await ask('POST', '/v1/claims/', { resource: `${url} ${place}`, ttl: 60 });
      const path = new URL(JSON.parse(posted.text).url).pathname;
      await ask('PATCH', path, { ttl: 60 });
      await ask('PATCH', path, { status: 'released' });
    }
  }));
  return values;

  async function ask(...request) {
    const answer = await client.ask(...request);
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    values.push(answer.milliseconds);
    return answer;
  }
}

/** Starts renewals at fixed times, whether earlier ones have ended or not. */
async function renew({ client, url }, rate) {
  const paths = await Promise.all(Array.from({ length: 50 }, async (each, place) => {
    const { text } = await client.ask('POST', '/v1/claims/', { resource: `renewed ${url} ${place}`, ttl: 60 });
    return new URL(JSON.parse(text).url).pathname;
  }));
  const asked = [];
  const began = performance.now();
  for (let turn = 0; turn < rate * SECONDS; turn += 1) {
    const due = began + (turn * 1000) / rate;
    if (due > performance.now()) await delay(due - performance.now());
    asked.push(client.ask('PATCH', paths[turn % paths.length], { ttl: 60 }));
  }
  return (await Promise.all(asked)).map(({ status, milliseconds, text }) => {
    if (status !== 200) throw new Error(`${status} ${text}`);
    return milliseconds;
  });
}
