/** Worlds from seeds. `npm run test:simulation` runs many more of them. */
import assert from 'node:assert/strict';
import { createLog } from '../../glue/log/log.js';
import { createCore, recycle } from './core.js';
import { regressions } from './regressions.js';
import { simulate } from './simulation.js';
import { createOtherVersion } from './variant.js';

const SEEDS = 2000;
const createOtherLog = await createOtherVersion();

/** If something is wrong in that world, the error says what, with the last happenings. @param {number} seed */
const check = async (seed) => {
  try {
    return await simulate({ seed, createLog, createOtherLog, createCore, recycle });
  } catch (error) {
    const traced = await simulate({ seed, createLog, createOtherLog, createCore, trace: true }).catch((/** @type {any} */ again) => again);
    const lines = String(traced.message || error).split('\n');
    throw new Error([...lines.slice(0, 2), ...lines.slice(2).slice(-80)].join('\n'), { cause: error });
  }
};

describe('the log under simulation', function () {
  this.timeout(600000);

  it(`keeps its promises in ${SEEDS} worlds`, async () => {
    let grants = 0;
    let kept = 0;
    let early = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const { checker } = await check(seed);
      grants += checker.grants;
      kept += checker.kept;
      early += checker.early;
    }
    console.log(`      ${SEEDS} worlds, ${grants} grants, ${kept} of them by keeping a lock, ${early} entered early`);
    assert.ok(grants > 5 * SEEDS, 'much is granted');
    assert.ok(kept > SEEDS / 10, 'locks are kept');
    assert.ok(early > SEEDS / 10, 'locks are entered early');
  });

  for (const { seed, what } of regressions) {
    it(`keeps its promises in the world of seed ${seed}: ${what}`, () => check(seed));
  }
});
