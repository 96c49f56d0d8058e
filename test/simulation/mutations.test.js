/** Each fault in the log is found, either by its exact schedule, or in random worlds in which the right log has no failure. */
import assert from 'node:assert/strict';
import { createLog } from '../../glue/log/log.js';
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

/**
 * @param {string} title of a schedule
 * @param {number} seed
 * @param {typeof createLog} create
 * @returns {Promise<unknown>} the failure; undefined if there was none
 */
const failure = (title, seed, create) =>
  (byTitle[title] || assert.fail(`no such schedule: ${title}`))(new Stage(seed, create)).then(() => undefined, (caught) => caught);

/** @param {import('./mutations.js').Mutation} mutation @returns {Promise<unknown>} the failure; undefined if there was none */
const find = async ({ schedule, faults, file, changes }) => {
  const createFaulty = await createVariant({ file, changes });
  if (schedule) {
    for (let seed = 1; seed <= SCHEDULE_SEEDS; seed++) {
      const error = await failure(schedule, seed, createFaulty);
      // Some schedules expect more of chance than some seeds give.
      if (error && !await failure(schedule, seed, createLog)) return error;
    }
    return undefined;
  }
  for (let seed = 0; seed < SEEDS; seed++) {
    const options = { seed, createLog: createFaulty, createOtherLog, createCore, recycle, faults };
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
