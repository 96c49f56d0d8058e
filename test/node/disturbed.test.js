/** Node's exact schedules with further faults. `npm run test:disturbed-node` runs many more seeds. */
import assert from 'node:assert';
import { DamagedStage } from './simulation/damaged.js';
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

  it('where files are removed or emptied', async () => {
    const wrong = [];
    for (const [title, schedule] of Object.entries(loneSchedules)) {
      if (isFit(schedule)) continue;
      const what = await disturb(schedule, SEED, { SomeStage: DamagedStage });
      if (what) wrong.push(`${title}, ${what}`);
    }
    assert.deepStrictEqual(wrong, []);
  });

  it('find a fault: a context does not check whether files were removed or emptied', async () => {
    /** @type {[string, string]} */
    const change = ['if (time - lookedAt < LOOK) return false;', 'return false;'];
    const createLog = await createVariant({ file: 'membership.js', change });
    for (let seed = 1; seed <= 20; seed++) {
      for (const schedule of Object.values(loneSchedules)) {
        if (await disturb(schedule, seed, { createLog, SomeStage: DamagedStage })) return;
      }
    }
    assert.fail('nothing has found it');
  });

  // The schedules that show these without further faults do not count.
  for (const name of ['a waiter sleeps without a promise', 'a promise outlives its connection']) {
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
