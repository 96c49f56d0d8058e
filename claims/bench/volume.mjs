/**
 * Many claims: 1,000,000 final and 100,000 open ones, made by the service's own code. How long it takes to start with them, how long
 * lists take, what memory it needs.
 *
 *   node claims/bench/volume.mjs [final claims] [open claims] [folder: made if it is missing, and left]
 *
 * 8,600,000 final ones are a day's at 100 a second.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '../source/claim.js';
import { openLevelLog } from '../source/log-level.js';
import { Service } from '../source/service.js';
import { createClient, figures, startProcess } from './support.mjs';

const FINAL = Number(process.argv[2] ?? 1_000_000);
const OPEN = Number(process.argv[3] ?? 100_000);
const RESOURCES = 50_000;
const USER_DATA = '{"job":"build","host":"builder-12.example"}';
const given = process.argv[4];
const folder = given ?? await mkdtemp(join(tmpdir(), 'claims-bench-'));

if (!given || !existsSync(given)) await fill();
const service = await startProcess(['--data', folder]);
const memory = service.memory();
console.log(`started in ${service.seconds.toFixed(2)} s (bar: 10), ${memory.toFixed(0)} MB (bar: 500)`);
const client = createClient(service.url);
const lists = {
  'one resource': `resource=${encodeURIComponent('resource 4711')}`,
  'active': 'status=active&limit=100',
  'waiting, the last part': `status=waiting&limit=100&offset=${Math.max(0, Math.floor(OPEN / 2) - 100)}`,
  'released of one resource': `status=released&resource=${encodeURIComponent('resource 17')}`,
  'little ttl': 'maximum_ttl=100000&limit=100',
  'held long': 'minimum_active_duration=599.9&limit=100',
  'waited long': 'minimum_waiting_duration=0.5&limit=100',
  'waited long, one resource': `minimum_waiting_duration=0.5&resource=${encodeURIComponent('resource 17')}`,
  'expired, held for a moment': 'status=expired&maximum_active_duration=1&limit=100',
  'new': `minimum_created=${new Date(Date.now() - 60_000).toISOString()}&limit=100`,
  'all, the last part': `limit=100&offset=${FINAL + OPEN - 100}`,
};
const rows = [];
for (const [what, query] of Object.entries(lists)) {
  const values = [];
  let length = 0;
  for (let turn = 0; turn < 20; turn += 1) {
    const { status, text, milliseconds } = await client.ask('GET', `/v1/claims/?${query}`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    length = JSON.parse(text).length;
    values.push(milliseconds);
  }
  const { p50, max } = figures(values);
  rows.push({ list: what, claims: length, p50, max });
}
console.table(rows);
console.log(`slowest list: ${Math.max(...rows.map(({ max }) => Number(max))).toFixed(1)} ms, its median at most `
  + `${Math.max(...rows.map(({ p50 }) => Number(p50))).toFixed(1)} ms (bar: 50); memory ${service.memory().toFixed(0)} MB`);
client.close();
await service.stop();
if (!given) await rm(folder, { recursive: true });
process.exitCode = service.seconds < 10 && memory < 500 && rows.every(({ p50 }) => Number(p50) < 50) ? 0 : 1;

/** The open claims by the service; the final ones, of which there may be millions, by what is below it: the register and the folder. */
async function fill() {
  const began = performance.now();
  const log = await openLevelLog(folder, { warn: console.error });
  const nothing = () => {};
  const filling = new Service({
    log,
    checkpointEvery: 20_000,
    limits: { ownerClaims: Infinity, ownerBytes: Infinity },
    watcher: { applied: nothing, appended: nothing, recovered: nothing, failed: console.error, fatal: console.error },
  });
  await filling.start();
  const { machine, register } = filling;
  for (let done = 0; done < FINAL;) {
    for (const end = Math.min(FINAL, done + 20_000); done < end; done += 1) finish(done + 1);
    machine.lastId = done;
    await log.keep({ place: 0, machine: machine.snapshot() }, register);
  }
  const create = (resource, ttl) => filling.create({
    type: 'create', resources: [resource], list: false, mode: 'exclusive', ttl, owner: 'farm', userData: USER_DATA,
  });
  for (let done = 0; done < OPEN; done += 2000) {
    await Promise.all(Array.from({ length: 2000 }, (each, place) => create(`resource ${Math.floor((done + place) / 2)}`, 100_000)));
  }
  await filling.stop();
  console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);

  /** A claim that waited for up to a second, and was released, or expired, after up to ten minutes. A hundred come in a second. */
  function finish(id) {
    const at = Date.now() - (FINAL - id) * 10;
    const waited = (id * 7919) % 3 === 0 ? (id * 104_729) % 1000 : 0;
    const held = (id * 15_485_863) % 600_000;
    const status = id % 100 === 0 ? 'expired' : 'released';
    const claim = {
      id, request: 1, lease: 0, resources: [`resource ${id % RESOURCES}`], list: false, mode: 'exclusive', limit: null, ttl: 600,
      waitingTtl: null, session: null, userData: USER_DATA, owner: 'farm', fence: id, status: 'waiting',
      history: [{ status: 'waiting', at }], waitingFrom: 0, activeFrom: waited, leaseFrom: waited, endedAt: waited + held,
    };
    register.record({ claim, view: describe(claim, 0) });
    claim.status = status;
    claim.history.push({ status: 'active', at: at + waited }, { status, at: at + waited + held });
    register.record({ claim, view: describe(claim, 0) });
  }
}
