/** The bytes of a snapshot, and the hash: what 0.2.0 has written every later version reads (CHANGELOG.md). Never change these bytes. */
import assert from 'node:assert/strict';
import { wrapCore } from '../../glue/core/core.js';
import { decodeSnapshot } from '../../glue/core/index.js';
import { instantiate as instantiateJs } from '../../glue/core/js.js';
import { instantiate as instantiateWasm } from '../../glue/core/wasm.js';

/** By the parts that csrc/lockkeeper.h describes at lk_snapshot(). */
const BYTES = Buffer.from([
  '4c4b5332', '02000000', '0000000000004940', '0000000000508f40', '03000000', '04000000', '02000000', '02000000',
  // The members.
  '0000000000000840', '01000000', '03000000', '740061006200',
  '0000000000002240', '03000000', '01000000', '00d8',
  // The names: a, the empty one, b, c.
  '01000000', '6100', '00000000', '01000000', '6200', '01000000', '6300',
  // The held requests.
  '0000000000000040', '0000000000488f40', '0000000000c06240', '0000000000005940', '01000000', '00000000', '00000000', '02000000',
  '00000000', '01000000',
  '0000000000002040', '0000000000508f40', '000000000000f07f', '000000000000f07f', '03000000', '01000000', '03000000', '01000000',
  '02000000',
  // The queued ones.
  '0000000000000840', '0000000000000000', '0000000000c05240', '0000000000001440', '01000000', '01000000', '00000000', '02000000',
  '03000000', '00000000',
  '0000000000002240', '0000000000000000', '000000000000f07f', '000000000000f07f', '03000000', '00000000', '00000000', '02000000',
  '02000000', '00000000',
].join(''), 'hex');

const HASH = 583720922;

const STATE = {
  time: 50, fence: 1002, lastHandle: 3,
  members: [{ client: 'tab', handle: 1, last: 3 }, { client: '\ud800', handle: 3, last: 9 }],
  held: [
    { client: 'tab', number: 2, mode: 'exclusive', limit: 0, names: ['a', ''], fence: 1001, deadline: 150, hold: 100 },
    { client: '\ud800', number: 8, mode: 'shared', limit: 3, names: ['b'], fence: 1002, deadline: Infinity, hold: Infinity },
  ],
  pending: [
    { client: 'tab', number: 3, mode: 'shared', limit: 0, names: ['c', 'a'], fence: 0, deadline: 75, hold: 5 },
    { client: '\ud800', number: 9, mode: 'exclusive', limit: 0, names: ['b', 'a'], fence: 0, deadline: Infinity, hold: Infinity },
  ],
};

describe('A snapshot of 0.2.0', () => {
  for (const [flavour, instantiate] of /** @type {const} */ ([['wasm', instantiateWasm], ['js', instantiateJs]])) {
    it(`is read, has the same hash, is written again as it was, and goes on (${flavour})`, () => {
      const core = wrapCore(instantiate());
      core.restore(BYTES);
      assert.equal(core.hash(), HASH);
      assert.deepEqual(Buffer.from(core.snapshot()), BYTES);
      assert.deepEqual(core.state(), STATE);
      assert.deepEqual([...core.requests()], [...STATE.held, ...STATE.pending]);
      assert.deepEqual(core.apply({ type: 'drop', client: 'tab', number: 4, request: 2 }), [
        { type: 'removed', client: 'tab', number: 2, fence: 0 }, { type: 'granted', client: 'tab', number: 3, fence: 1003 },
      ]);
    });
  }

  it('is decoded without a core', () => assert.deepEqual(decodeSnapshot(BYTES), STATE));
});
