/** Many final claims: their columns go to the store block by block, and lists are the same as of claims in memory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { ClassicLevel } from 'classic-level';
import { describe as describeClaim } from '../../claims/source/claim.js';
import { BLOCK } from '../../claims/source/columns.js';
import { seal, unseal } from '../../claims/source/level-keys.js';
import { openLevelLog } from '../../claims/source/log-level.js';
import { Register } from '../../claims/source/register.js';
import { createRandom } from './support/random.js';

const FINAL = ['released', 'expired', 'revoked', 'aborted', 'withdrawn'];
const MACHINE = { now: 0, wall: 0, lastId: 0, fences: 0, keys: [], core: Buffer.from('core') };

/** @param {ReturnType<typeof createRandom>} random @param {number} id @param {boolean} isOpen */
function makeClaim(random, id, isOpen) {
  const activeFrom = random.chance(0.7) ? id + random.below(1000) : NaN;
  const status = isOpen ? (Number.isNaN(activeFrom) ? 'waiting' : 'active') : random.pick(FINAL);
  const resources = random.chance(0.01) ? [`r${random.below(500)}`, 'common'] : [`r${random.below(500)}`];
  return {
    id, request: id, lease: 0, resources, list: resources.length > 1, mode: 'exclusive', limit: null, ttl: 1 + random.below(100),
    userData: null, owner: null, fence: 1, status, waitingFrom: id, activeFrom, leaseFrom: activeFrom,
    history: [{ status: 'waiting', at: 1e12 + id * 10 }, { status, at: 1e12 + id * 10 + 5 }],
    endedAt: isOpen ? NaN : id + 1000 + random.below(5000),
  };
}

describe('claims: the archive', function () {
  this.timeout(300_000);

  it('lists are as they would be without it, before and after a restart', async () => {
    const random = createRandom(7);
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const open = () => openLevelLog(folder, { warn: () => {} });
    const begin = async (log, options = {}) => {
      const register = new Register({ read: log.readClaims, readColumns: log.readColumns, ...options });
      await log.load({
        begin: () => register.clear(),
        record: (id, bytes) => register.load(id, bytes),
        block: register.archives ? (number, summary) => register.loadBlock(number, summary) : undefined,
        restore: () => {}, replay: () => {}, deliver: () => {},
      });
      return register;
    };
    let log = await open();
    let register = await begin(log);
    const all = [];
    // Three whole blocks and a part of a fourth. The second has an open claim.
    for (let id = 1; id < BLOCK * 3 + 500; id += 1) {
      const claim = makeClaim(random, id, id === BLOCK + 5 || id > BLOCK * 3 + 400);
      all.push(claim);
      register.record({ claim, view: { ...describeClaim(claim, 0), status: 'waiting' } });
      if (claim.status !== 'waiting') register.record({ claim, view: describeClaim(claim, 0) });
    }
    const now = BLOCK * 3 + 2000;
    // Each checkpoint takes one.
    for (let turn = 0; turn < 3; turn += 1) await log.keep({ place: 0, machine: MACHINE }, register);

    let views;
    const values = {
      ttl: ({ ttl }) => ttl,
      active_duration: ({ activeDuration }) => activeDuration,
      waiting_duration: ({ waitingDuration }) => waitingDuration,
      created: ({ history }) => history[0].at,
    };
    const plain = (filters) => {
      const { status, resource } = filters;
      const ranges = Object.entries(values)
        .map(([name, read]) => ({ read, least: filters[`minimum_${name}`], most: filters[`maximum_${name}`] }))
        .filter(({ least, most }) => least !== undefined || most !== undefined);
      const isWithin = (value, least = -Infinity, most = Infinity) => value !== null && value >= least && value <= most;
      return views.filter((view) => (status === undefined || view.status === status)
        && (resource === undefined || view.resources.includes(resource))
        && ranges.every(({ read, least, most }) => isWithin(read(view), least, most))).map(({ id }) => id);
    };
    const compare = async (filters, offsets, limit) => {
      const expected = plain(filters);
      for (const offset of offsets) {
        const found = await register.lists.find(filters, () => now, offset, limit);
        const ids = [];
        for await (const view of found.views) ids.push(view.id);
        assert.equal(found.total, expected.length, JSON.stringify(filters));
        assert.deepEqual(ids, expected.slice(offset, offset + limit), JSON.stringify({ filters, offset, limit }));
      }
    };
    const check = async () => {
      views = all.map((claim) => describeClaim(claim, now));
      for (const filters of [{}, { status: 'waiting' }, { resource: 'common' }, { resource: 'nowhere' }, { minimum_ttl: 5 }]) {
        await compare(filters, [0, BLOCK - 20, BLOCK * 2 + 7, BLOCK * 4], 50);
      }
      const choose = (values) => (random.chance(0.3) ? random.pick(values) : undefined);
      for (let turn = 0; turn < 8; turn += 1) {
        const filters = {
          status: choose([...FINAL, 'active']), resource: choose(['r1', 'r2', 'common']),
          minimum_active_duration: choose([0, 3, 5.9]), maximum_active_duration: choose([1.5, 5]),
          minimum_waiting_duration: choose([0.2, 0.9]), maximum_waiting_duration: choose([0.5, 3]),
          minimum_created: choose([1e12 + BLOCK * 5, 1e12 + BLOCK * 15]), maximum_created: choose([1e12 + BLOCK * 10, 1e12 + BLOCK * 25]),
        };
        await compare(filters, [random.below(300)], 40);
      }
    };
    await check();
    await log.close();
    log = await open();
    const records = [];
    const nothing = () => {};
    const record = (id) => records.push(id);
    const block = (number, summary) => JSON.parse(summary.toString('utf8', 4, 4 + summary.readUInt32LE(0))).claims;
    await log.load({ begin: nothing, record, block, restore: nothing, replay: nothing, deliver: nothing });
    // Block 1 has an open claim and block 3 is the newest: only their claims are read one by one.
    assert.deepEqual([...new Set(records.map((id) => Math.floor(id / BLOCK)))], [1, 3]);
    register = await begin(log);
    assert.equal(register.size, all.length);
    await check();
    assert.equal((await register.lists.get(77, now)).id, 77);
    assert.equal(await register.lists.get(BLOCK * 9, now), undefined);

    // The last open claim of block 1 ends, and so that is archived too.
    all[BLOCK + 4].status = 'released';
    all[BLOCK + 4].endedAt = now;
    register.record({ claim: all[BLOCK + 4], view: describeClaim(all[BLOCK + 4], now) });
    await check();
    await log.keep({ place: 0, machine: MACHINE }, register);
    await check();
    await log.close();

    // Blocks from before there was an index have none; they are searched.
    const key = 'block/00000000000';
    const first = new ClassicLevel(folder, { valueEncoding: 'buffer' });
    const bytes = unseal(key, await first.get(key));
    const [length, rest] = [bytes.readUInt32LE(0), bytes.subarray(4 + bytes.readUInt32LE(0))];
    const { runs, ...older } = JSON.parse(bytes.toString('utf8', 4, 4 + length));
    assert.ok(Object.keys(runs).length > 0);
    const text = Buffer.from(JSON.stringify(older));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(text.length);
    await first.put(key, seal(key, Buffer.concat([size, text, rest])));
    await first.close();
    log = await open();
    register = await begin(log);
    await check();
    await log.close();

    // A flipped bit in a part that is not read at the start.
    for (const [damagedKey, use] of [
      ['claim/00000000025', () => register.lists.get(77, now)],
      ['page/00000000000/created', () => register.lists.find({ minimum_created: 1e12 + 777 }, () => now, 0, 1)],
    ]) {
      const change = async (bit) => {
        const level = new ClassicLevel(folder, { valueEncoding: 'buffer' });
        const value = await level.get(damagedKey);
        value[value.length - 9] ^= bit;
        await level.put(damagedKey, value);
        await level.close();
      };
      await change(4);
      log = await open();
      register = await begin(log);
      await assert.rejects(use(), { name: 'DataError' });
      await log.close();
      await change(4);
    }
    log = await open();

    // If only some claims are kept there are no blocks.
    register = await begin(log, { keep: 100 });
    assert.equal(register.counts.final, 100);
    await log.close();
    const level = new ClassicLevel(folder, { valueEncoding: 'buffer' });
    assert.deepEqual(await level.keys({ gte: 'block/', lt: 'block0' }).all(), []);
    await level.close();
    await rm(folder, { recursive: true });
  });
});
