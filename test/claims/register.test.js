/** What a checkpoint takes from the register while claims go on changing. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { createCore } from '../../claims/source/core.js';
import { openLevelLog } from '../../claims/source/log-level.js';
import { Machine } from '../../claims/source/machine.js';
import { unpack } from '../../claims/source/record.js';
import { Register } from '../../claims/source/register.js';

describe('claims: the register', () => {
  it('a part that it hands over stays as it was at the call, though it is packed later', () => {
    const machine = new Machine(createCore());
    const register = new Register();
    let now = 0;
    const apply = (...operations) => {
      for (const transition of machine.apply({ now: (now += 10), wall: 1000 + now, operations }).transitions) register.record(transition);
    };
    const claim = { type: 'create', resources: ['a'], list: false, mode: 'exclusive', ttl: 60, userData: null, owner: null };
    apply(claim, claim, claim, { ...claim, resources: ['b'] });
    apply({ type: 'update', id: 4, status: 'aborted' });
    const before = [...register.all()].map(({ id, bytes }) => [id, unpack(bytes)]);
    assert.deepEqual(before.map(([, { status }]) => status), ['active', 'waiting', 'waiting', 'aborted']);
    const later = register.all();
    apply({ type: 'update', id: 1, status: 'released' }, { type: 'update', id: 3, status: 'withdrawn' }, claim);
    apply({ type: 'update', id: 2, ttl: 5 });
    assert.deepEqual([...later].map(({ id, bytes }) => [id, unpack(bytes)]), before);
    assert.equal([...register.all()].length, 5);
  });

  it('a change is in the next checkpoint if the folder was not open at this one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const log = await openLevelLog(folder, { warn: () => {} });
    const machine = new Machine(createCore());
    const register = new Register({ read: log.readClaims });
    const operations = [{ type: 'create', resources: ['a'], list: false, mode: 'exclusive', ttl: 60, userData: null, owner: null }];
    for (const transition of machine.apply({ now: 1, wall: 1, operations }).transitions) register.record(transition);
    const keep = () => log.keep({ place: 0, machine: machine.snapshot() }, register);
    await log.close();
    await assert.rejects(keep(), { code: 'LEVEL_DATABASE_NOT_OPEN' });
    await log.recover();
    await keep();
    assert.equal((await log.readClaims([1])).filter(Boolean).length, 1);
    await log.close();
    await rm(folder, { recursive: true });
  });
});
