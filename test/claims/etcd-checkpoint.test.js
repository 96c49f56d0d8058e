/** Checkpoints in etcd that two servers write: a server that was stopped meanwhile deletes nothing that is still needed. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { createEtcd } from '../../claims/source/etcd.js';
import { createCheckpoints, readPointer } from '../../claims/source/etcd-checkpoint.js';
import { createKeys, isAbsent } from '../../claims/source/etcd-keys.js';
import { useEtcd } from './support/etcd-use.js';

describe('claims: checkpoints in etcd', function () {
  this.timeout(30_000);
  const useOne = useEtcd();
  let prefixes = 0;
  /** @type {ReturnType<typeof createEtcd>} */
  let etcd;
  let keys;
  let checkpoints;
  const services = { last: 0, clock: 0, members: [] };
  beforeEach(() => {
    etcd = createEtcd({ members: [useOne().url] });
    keys = createKeys(`/checkpoints/${(prefixes += 1)}/`);
    checkpoints = createCheckpoints(etcd, keys);
  });

  const known = async () => readPointer(keys, await etcd.call('Range', { key: keys.checkpoint }));
  const nothing = () => isAbsent(keys.format);
  const write = async (place, by = checkpoints) => {
    assert.equal(await by.write(await known(), place, services, [{ place }], nothing()), true);
    return known();
  };
  const parts = async () => {
    const { kvs = [] } = await etcd.call('Range', { key: keys.parts, range_end: keys.partsEnd, keys_only: true });
    return kvs.length;
  };

  it('a server that was stopped before it deleted old keys leaves a later checkpoint alone', async () => {
    // Names are random, and either may be the lesser one.
    for (let turn = 0; turn < 8; turn += 1) {
      const before = await known();
      const first = await write(2 * turn + 1);
      const second = await write(2 * turn + 2);
      await checkpoints.clean(before, first, false);
      assert.deepEqual((await checkpoints.read()).content, [{ place: 2 * turn + 2 }]);
      await checkpoints.clean(first, second, false);
      assert.equal(await parts(), 1);
    }
    etcd.close();
  });

  it('… and one that is being written', async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const before = await known();
      const first = await write(2 * turn + 1);
      const whileWriting = {
        ...etcd,
        call: async (method, request) => {
          if (method === 'Txn') await checkpoints.clean(before, first, false);
          return etcd.call(method, request);
        },
      };
      await write(2 * turn + 2, createCheckpoints(whileWriting, keys));
      assert.deepEqual((await checkpoints.read()).content, [{ place: 2 * turn + 2 }]);
    }
    etcd.close();
  });

  it('a server died while it wrote a checkpoint: the second checkpoint after it deletes what it has left', async () => {
    await write(1);
    await etcd.call('Put', { key: keys.part('abandoned', 0), value: Buffer.from('x') });
    const first = await known();
    const second = await write(2);
    await checkpoints.clean(first, second, false);
    assert.equal(await parts(), 1);
    etcd.close();
  });
});
