/** The order that the keys of a store make (glue/order/store.js), in random worlds where storage fails, is closed and is deleted. */
import assert from 'node:assert/strict';
import { check } from './check.js';
import { mutations } from './mutations.js';
import { bundleOrder } from './realms.js';

const SEEDS = 800;
const SEEDS_OF_A_FAULT = 300;

describe('the order of a store, in random worlds', function () {
  this.timeout(300000);

  it('is the same for all, and a context that misses something is told', async () => {
    const load = await bundleOrder();
    for (let seed = 0; seed < SEEDS; seed++) await check(seed, load);
  });

  for (const { name, file, changes } of mutations) {
    it(`a fault is found out: ${name}`, async () => {
      const load = await bundleOrder({ file, changes });
      let found;
      for (let seed = 0; seed < SEEDS_OF_A_FAULT && !found; seed++) found = await check(seed, load).catch((error) => error);
      assert.ok(found, 'nothing has found it');
    });
  }
});
