/**
 * Jobs as on a build farm: claim, ask to be active, look, prolong, release; a third of them find their resource taken. So many start per
 * second that there are 100 PATCHes to active per second. Side by side: on disk, and keeping nothing. Then as fast as it goes.
 *
 *   node claims/bench/rate.mjs [seconds] [jobs per second]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, figures, startProcess } from './support.mjs';

const SECONDS = Number(process.argv[2] ?? 60);
const RATE = Number(process.argv[3] ?? 95);
const RESOURCES = 60;
const TOGETHER = [16, 64, 128];

const folder = await mkdtemp(join(tmpdir(), 'claims-bench-'));
const rows = [];
const limits = [];
for (const [name, options] of [['on disk', ['--data', folder]], ['in memory', ['--memory']]]) {
  const service = await startProcess(options);
  const client = createClient(service.url);
  rows.push(...await atRate(name, client, service));
  for (const together of TOGETHER) limits.push(await atFull(name, client, service, together));
  client.close();
  await service.stop();
}
await rm(folder, { recursive: true });
console.log(`\n${RATE} jobs a second for ${SECONDS} s; milliseconds`);
console.table(rows);
console.log('as fast as it goes');
console.table(limits);
const bar = rows.find(({ kept, request }) => kept === 'on disk' && request === 'PATCH active');
const errors = rows.reduce((sum, row) => sum + row.errors, 0);
console.log(`PATCH to active on disk: ${(bar.count / SECONDS).toFixed(0)}/s, p99 ${bar.p99} ms (bar: 25), errors ${errors} (bar: 0)`);
const most = Math.max(...limits.filter(({ kept }) => kept === 'on disk').map((row) => row['mutations/s']));
console.log(`on disk, as fast as it goes: ${most} mutations a second (bar: 5000)`);
process.exitCode = Number(bar.p99) < 25 && errors === 0 && most >= 5000 ? 0 : 1;

/** Starts jobs at fixed times, whether earlier ones have ended or not. */
async function atRate(name, client, service) {
  const times = new Map();
  const processor = service.processor();
  const jobs = [];
  const began = performance.now();
  for (let job = 0; job < RATE * SECONDS; job += 1) {
    const due = began + (job * 1000) / RATE;
    if (due > performance.now()) await delay(due - performance.now());
    jobs.push(run(client, job, (request, status, milliseconds) => {
      const entry = times.get(request) ?? { values: [], errors: 0 };
      times.set(request, entry);
      entry.values.push(milliseconds);
      if (status >= 500 || status === 0) entry.errors += 1;
    }));
  }
  await Promise.all(jobs);
  const share = (service.processor() - processor) / ((performance.now() - began) / 1000);
  const used = { processor: `${(share * 100).toFixed(0)} %`, memory: `${service.memory().toFixed(0)} MB` };
  return [...times].map(([request, { values, errors }]) => ({ kept: name, request, ...figures(values), errors, ...used }));
}

/** One job's requests, each measured. */
async function run(client, job, measured) {
  const ask = async (what, ...request) => {
    const answer = await client.ask(...request).catch(() => ({ status: 0, text: '{}', milliseconds: 0 }));
    measured(what, answer.status, answer.milliseconds);
    return answer;
  };
  const resource = `slot ${(job * 7) % RESOURCES}`;
  const posted = await ask('POST', 'POST', '/v1/claims/', { resource, ttl: 30, user_data: { job, host: 'builder' } });
  const path = new URL(JSON.parse(posted.text).url).pathname;
  for (;;) {
    const { status } = await ask('PATCH active', 'PATCH', path, { status: 'active' });
    if (status === 200) break;
    // It is another's: this is answered when that has changed, so its time says nothing.
    await client.ask('GET', `${path}?wait=10&while=waiting`);
  }
  await delay(100 + ((job * 37) % 400));
  await ask('PATCH ttl', 'PATCH', path, { ttl: 30 });
  if (job % 4 === 0) await ask('GET', 'GET', path);
  if (job % 20 === 0) await ask('list', 'GET', `/v1/claims/?status=active&limit=100`);
  await delay(100 + ((job * 17) % 200));
  await ask('PATCH released', 'PATCH', path, { status: 'released' });
}

/** So many clients without a pause, each with a resource of its own. */
async function atFull(name, client, service, together) {
  const seconds = 5;
  const end = performance.now() + seconds * 1000;
  const processor = service.processor();
  const values = [];
  await Promise.all(Array.from({ length: together }, async (each, place) => {
    while (performance.now() < end) {
      const posted = await client.ask('POST', '/v1/claims/', { resource: `own ${place}`, ttl: 30 });
      const path = new URL(JSON.parse(posted.text).url).pathname;
      const active = await client.ask('PATCH', path, { status: 'active' });
      const released = await client.ask('PATCH', path, { status: 'released' });
      values.push(posted.milliseconds, active.milliseconds, released.milliseconds);
    }
  }));
  const { count, p50, p99 } = figures(values);
  const share = (service.processor() - processor) / seconds;
  // To ask to be active changes nothing; the other two are mutations.
  const rates = { 'requests/s': Math.round(count / seconds), 'mutations/s': Math.round((count * 2) / 3 / seconds) };
  return { kept: name, clients: together, ...rates, p50, p99, processor: `${(share * 100).toFixed(0)} %` };
}
