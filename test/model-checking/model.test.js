import assert from 'node:assert/strict';
import { check, missingTool } from './check.js';
import { mutations } from './mutations.js';
import { proofs } from './runs.js';

const long = process.env.MODEL_CHECKING === 'long';
const wanted = (/** @type {import('./runs.js').Run} */ run) => long || !run.long;

describe('the models of the log', function () {
  this.timeout(long ? 6 * 60 * 60 * 1000 : 10 * 60 * 1000);

  before(async function () {
    const tool = await missingTool();
    if (!tool) return;
    assert(!process.env.CI, `${tool} is missing, and CI has to check the model`);
    console.warn(`      skipped: ${tool} is missing`);
    this.skip();
  });

  describe('the claims hold', () => {
    for (const run of proofs.filter(wanted)) {
      it(run.name, async () => {
        const result = await check(run);
        console.log(`        ${result.states} states, ${result.seconds.toFixed(1)} s`);
        assert.equal(result.violated, undefined, `claim ${result.violated} is violated:\n${result.trail}`);
        assert(result.states > 1000, 'so few states that the model cannot be right');
        assert(result.complete, 'a bound on memory or depth cut the search short');
      });
    }
  });

  describe('a rule taken away is missed', () => {
    for (const run of mutations.filter(wanted)) {
      it(run.name, async () => {
        const result = await check(run);
        assert(run.violates?.includes(result.violated ?? -1), `expected claim ${run.violates}, found ${result.violated}`);
      });
    }
  });
});
