/** Exact schedules with further faults. `npm run test:disturbed` runs many more seeds. */
import assert from 'node:assert/strict';
import { createLog } from '../../glue/log/log.js';
import { disturb, isFit } from './disturbed.js';
import { schedules } from './schedules/all.js';
import { createVariant } from './variant.js';

const SEEDS = [1, 2];

describe('the rules of the log, with further faults', function () {
  this.timeout(300000);

  for (const [subject, each] of Object.entries(schedules)) {
    it(subject, async () => {
      const wrong = [];
      for (const [title, schedule] of Object.entries(each)) {
        if (!isFit(schedule)) continue;
        for (const seed of SEEDS) {
          for (const what of await disturb(schedule, seed, createLog)) wrong.push(`${title}, seed ${seed}: ${what}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }

  /** @type {[fault: string, replacement: import('./variant.js').Replacement, subject: keyof typeof schedules][]} */
  const faults = [
    ['a context in doubt watches nobody', {
      file: 'duties.js', changes: [['if (!replica.current) watching.watchAll(latest, Object.keys(members));', '']],
    }, 'doubts'],
    ['a death is told to nobody', { file: 'deaths.js', changes: [['sending.gone(client);', '{}']] }, 'deaths'],
  ];
  for (const [fault, replacement, subject] of faults) {
    it(`find a fault: ${fault}`, async () => {
      const createFaulty = await createVariant(replacement);
      for (let seed = 1; seed <= 20; seed++) {
        for (const schedule of Object.values(schedules[subject])) {
          if (isFit(schedule) && (await disturb(schedule, seed, createFaulty)).length) return;
        }
      }
      assert.fail('nothing has found it');
    });
  }
});
