/** Node's exact schedules with further faults. Many more seeds run by `npm run test:disturbed-node`. */
import assert from 'node:assert';
import { disturb, isFit } from './simulation/disturbed.js';
import { loneSchedules } from './simulation/lone-schedules.js';
import { createVariant, mutations } from './simulation/mutations.js';
import { schedules } from './simulation/schedules.js';
import { threadSchedules } from './simulation/thread-schedules.js';

const SEED = 1;

/** @param {typeof schedules} all @returns {[title: string, schedule: typeof schedules['']][]} */
const fitting = (all) => Object.entries(all).filter(([, schedule]) => isFit(schedule));

describe('node: exact schedules with further faults', function () {
  this.timeout(60000);

  const subjects = { processes: schedules, threads: threadSchedules, 'a thread that is alone': loneSchedules };
  for (const [subject, all] of Object.entries(subjects)) {
    it(subject, async () => {
      const wrong = [];
      for (const [title, schedule] of fitting(all)) {
        const what = await disturb(schedule, SEED);
        if (what) wrong.push(`${title}, ${what}`);
      }
      assert.deepStrictEqual(wrong, []);
    });
  }

  // Neither in the schedules that show them without further faults.
  for (const name of ['who has been promised nothing sleeps all the same', 'a promise outlives its connection']) {
    it(`find a fault: ${name}`, async () => {
      const mutation = mutations.find((each) => each.name === name);
      assert.ok(mutation);
      const createLog = await createVariant(mutation);
      for (let seed = 1; seed <= 20; seed++) {
        for (const [title, schedule] of fitting(schedules)) {
          if (title !== mutation.schedule && await disturb(schedule, seed, { createLog })) return;
        }
      }
      assert.fail('nothing has found it');
    });
  }
});
