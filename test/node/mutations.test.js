/** The random worlds that the right log survives find a fault in what contexts tell each other. */
import assert from 'node:assert';
import { loneSchedules } from './simulation/lone-schedules.js';
import { createVariant, mutations } from './simulation/mutations.js';
import { schedules } from './simulation/schedules.js';
import { threadSchedules } from './simulation/thread-schedules.js';
import { simulate } from './simulation/simulation.js';

const SEEDS = 100;

/**
 * @param {import('./simulation/mutations.js').Mutation} mutation
 * @returns {Promise<unknown>} what was found; undefined if nothing was
 */
const find = async (mutation) => {
  const createLog = await createVariant(mutation);
  const { schedule, faults } = mutation;
  if (schedule) return { ...schedules, ...threadSchedules, ...loneSchedules }[schedule](createLog).then(() => undefined, (error) => error);
  for (let seed = 0; seed < SEEDS; seed++) {
    const options = { seed, createLog, faults, processes: true, crowd: true, plain: true };
    const error = await simulate(options).then(() => undefined, (caught) => caught);
    if (error) return error;
  }
  return undefined;
};

describe('node: faults put into what processes tell each other', function () {
  this.timeout(60000);

  for (const mutation of mutations) {
    it(`is found out: ${mutation.name}`, async () => {
      assert.ok(await find(mutation), 'nothing has found it');
    });
  }
});
