/** Each fault in the log is found, either by its exact schedule, or in random worlds in which the right log has no failure. */
import assert from 'node:assert/strict';
import { createCore, recycle } from './core.js';
import { mutations } from './mutations.js';
import { schedules } from './schedules/all.js';
import { simulate } from './simulation.js';
import { Stage } from './stage.js';
import { createOtherVersion, createVariant } from './variant.js';

const SCHEDULE_SEEDS = 30;
const SEEDS = 2000;
const createOtherLog = await createOtherVersion();

/** @type {Record<string, import('./stage.js').Schedule>} */
const byTitle = Object.assign({}, ...Object.values(schedules));

/** @param {import('./mutations.js').Mutation} mutation @returns {Promise<unknown>} the failure; undefined if there was none */
const find = async ({ schedule, faults, file, changes }) => {
  const createLog = await createVariant({ file, changes });
  if (schedule) {
    const run = byTitle[schedule] || assert.fail(`no such schedule: ${schedule}`);
    for (let seed = 1; seed <= SCHEDULE_SEEDS; seed++) {
      const error = await run(new Stage(seed, createLog)).then(() => undefined, (caught) => caught);
      if (error) return error;
    }
    return undefined;
  }
  for (let seed = 0; seed < SEEDS; seed++) {
    const options = { seed, createLog, createOtherLog, createCore, recycle, faults };
    const error = await simulate(options).then(() => undefined, (caught) => caught);
    if (error) return error;
  }
  return undefined;
};

describe('faults put into the log', function () {
  this.timeout(300000);

  for (const mutation of mutations) {
    it(`is found out: ${mutation.name}`, async () => {
      const error = await find(mutation);
      assert.ok(error, 'nothing has found it');
    });
  }
});
