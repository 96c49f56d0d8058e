/**
 * The service is killed in the middle of its work, again and again, and started on the same data. What it has acknowledged is true,
 * no resource has two active claims, and none is stuck. CLAIMS_CRASHES=50 for the long run.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { createClient, until } from './support/service.js';
import { startProcess } from './support/process.js';
import { createRandom, seed } from './support/random.js';

const CRASHES = Number(process.env.CLAIMS_CRASHES ?? 6);
const WORKERS = 12;
const RESOURCES = ['a', 'b', 'c', 'd', 'e'];
const FINAL = ['released', 'aborted', 'revoked', 'withdrawn'];

/**
 * What a client knows of a claim from its answers.
 * @typedef {{path: string, resource: string, known: string, short: boolean, unsure: boolean, fence: number | null}} Known
 */

/**
 * One client; it ends when the service does.
 * @param {ReturnType<typeof createClient>} client
 * @param {ReturnType<typeof createRandom>} random
 * @param {Known[]} claims of all clients
 * @param {() => boolean} running
 */
async function work(client, random, claims, running) {
  const own = [];
  while (running()) {
    const claim = random.chance(0.7) ? random.pick(own) : undefined;
    if (!claim) {
      const resource = random.pick(RESOURCES);
      const short = random.chance(0.2);
      const { status, body } = await client.post({ resource, ttl: short ? 0.1 : 600, user_data: { text: 'x'.repeat(random.below(200)) } });
      assert.ok(status === 201 || status === 202, `${status} ${JSON.stringify(body)}`);
      const made = { path: new URL(body.url).pathname, resource, known: body.status, short, unsure: false, fence: body.fence };
      own.push(made);
      claims.push(made);
      continue;
    }
    const update = random.chance(0.3) ? { ttl: claim.short ? 0.1 : 500 } : { status: random.pick([...FINAL, 'active']) };
    claim.unsure = true;
    const { status, body } = await client.patch(claim.path, update);
    claim.unsure = false;
    if (status === 200) Object.assign(claim, { known: body.status, fence: body.fence });
    if (status === 204) claim.known = update.status;
    if (status === 204 || /final/.test(JSON.stringify(body ?? ''))) own.splice(own.indexOf(claim), 1);
    assert.ok([200, 204, 400, 409].includes(status), `${status} ${JSON.stringify(body)}`);
  }
}

/**
 * @param {ReturnType<typeof createClient>} client
 * @param {Known[]} claims
 */
async function check(client, claims) {
  const { body: all } = await client.get('/v1/claims/');
  const found = new Map(all.map((claim) => [new URL(claim.url).pathname, claim]));
  for (const { path, known, short, unsure, fence } of claims) {
    const claim = found.get(path);
    assert.ok(claim, `${path} was acknowledged and is gone`);
    const possible = new Set([known]);
    if (known === 'waiting') for (const status of ['active', ...(short ? ['expired'] : [])]) possible.add(status);
    if (known === 'active' && short) possible.add('expired');
    if (unsure && (known === 'waiting' || known === 'active')) for (const status of FINAL) possible.add(status);
    assert.ok(possible.has(claim.status), `${path} was ${known} and is ${claim.status}`);
    if (fence !== null) assert.equal(claim.fence, fence, path);
  }
  for (const resource of RESOURCES) {
    const open = all.filter((claim) => claim.resource === resource && (claim.status === 'active' || claim.status === 'waiting'));
    const active = open.filter(({ status }) => status === 'active');
    assert.ok(active.length <= 1, `${resource} has ${active.length} active claims`);
    assert.equal(active.length, Math.min(1, open.length), `${resource} is stuck`);
    if (active.length > 0) assert.equal(active[0], open[0], `${resource} was not given to the oldest`);
  }
  const fences = all.map(({ fence }) => fence).filter(Boolean);
  assert.equal(new Set(fences).size, fences.length, 'a fence was given twice');
  return all.length;
}

describe('claims: crashes', () => {
  it(`killed ${CRASHES} times`, async function () {
    this.timeout(20_000 + CRASHES * 10_000);
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const random = createRandom(seed);
    const claims = [];
    try {
      // Often enough that some crashes hit a checkpoint.
      const options = ['--data', folder, '--checkpoint-every', '20'];
      let service = await startProcess(options);
      for (let crash = 0; crash < CRASHES; crash += 1) {
        let running = true;
        const client = createClient(service.url);
        const before = claims.length;
        const workers = Array.from({ length: WORKERS }, () => work(client, createRandom(random.below(2 ** 31)), claims, () => running));
        const ends = workers.map((worker) => worker.catch((error) => {
          // A request that was cut off has no answer; anything else is a finding.
          if (running || !(error instanceof TypeError || error.code === 'UND_ERR_SOCKET')) throw error;
        }));
        await until(() => claims.length > before, 'the first answer');
        await delay(random.below(500));
        running = false;
        await service.stop('SIGKILL');
        await Promise.all(ends);
        service = await startProcess(options);
        await check(createClient(service.url), claims);
      }
      // Nothing is stuck: each resource's queue can be worked off.
      const client = createClient(service.url);
      for (;;) {
        const { body: open } = await client.get('/v1/claims/?status=active');
        if (open.length === 0) break;
        for (const { url } of open) await client.patch(new URL(url).pathname, { status: 'released' });
      }
      assert.equal((await client.get('/v1/claims/?status=waiting')).body.length, 0);
      const count = await check(client, claims.map((claim) => ({ ...claim, unsure: true })));
      console.log(`      ${CRASHES} crashes, ${count} claims, ${claims.length} of them acknowledged; seed ${seed}`);
      await service.stop();
    } catch (error) {
      error.message += `; SEED=${seed}`;
      throw error;
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
