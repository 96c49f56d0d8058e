/** The rules of docs/protocol.md one by one: exact schedules in small worlds, each with a few seeds. */
import { createLog } from '../../glue/log/log.js';
import { schedules } from './schedules/all.js';
import { Stage } from './stage.js';

const SEEDS = [1, 2, 3, 4, 5];

for (const [subject, each] of Object.entries(schedules)) {
  describe(`the rules of the log: ${subject}`, () => {
    for (const [title, schedule] of Object.entries(each)) {
      it(title, async () => {
        for (const seed of SEEDS) await schedule(new Stage(seed, createLog));
      });
    }
  });
}
