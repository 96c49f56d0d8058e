/**
 * `npm run test:disturbed -- --seeds 20 --from 0 --faults 2 --order store --title 'D11'` runs the exact schedules with that text in the
 * title. Each runs with that many seeds, and at most that many further faults. With a store, many schedules go another way than intended.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { createLog } from '../../glue/log/log.js';
import { disturb, isFit } from './disturbed.js';
import { schedules } from './schedules/all.js';

const { values } = parseArgs({ options: {
  seeds: { type: 'string', default: '20' }, from: { type: 'string', default: '0' }, faults: { type: 'string', default: '2' },
  order: { type: 'string', default: 'broadcast' }, title: { type: 'string', default: '' },
} });
const kind = /** @type {import('./stage.js').OrderKind} */ (values.order);
const [seeds, from, many] = [values.seeds, values.from, values.faults].map(Number);

// A schedule that goes another way than intended leaves promises behind.
process.on('unhandledRejection', () => {});

let count = 0;
let wrong = 0;
for (const [title, schedule] of Object.values(schedules).flatMap(Object.entries)) {
  if (!title.includes(values.title) || !isFit(schedule)) continue;
  for (let seed = from; seed < from + seeds; seed++) {
    count++;
    for (const what of await disturb(schedule, seed, createLog, { many, kind })) {
      wrong++;
      console.error(`${title}, seed ${seed}: ${what}`);
    }
  }
}
console.log(`${count} disturbed schedules, ${wrong} times something was wrong`);
process.exitCode = wrong ? 1 : 0;
