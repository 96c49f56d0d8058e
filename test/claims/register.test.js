/** What a checkpoint takes from the register, while claims go on changing. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createCore } from '../../claims/source/core.js';
import { Machine } from '../../claims/source/machine.js';
import { unpack } from '../../claims/source/record.js';
import { Register } from '../../claims/source/register.js';

describe('claims: the register', () => {
  it('what it hands over is as it was at the call, though it is packed later', () => {
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
});
