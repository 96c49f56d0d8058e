/**
 * `npm run test:disturbed-node -- --seeds 20 --from 0 --faults 2 --title 'a lease'` runs Node's exact schedules whose title has that text,
 * each with so many seeds, and with at most so many further faults. `--trace` prints all that happens where something is wrong. With
 * `--damage`, files of the journal are removed or emptied as well.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { DamagedStage } from './damaged.js';
import { DisturbedStage, disturb, isFit } from './disturbed.js';
import { loneSchedules } from './lone-schedules.js';
import { schedules } from './schedules.js';
import { threadSchedules } from './thread-schedules.js';

const { values } = parseArgs({ options: {
  seeds: { type: 'string', default: '20' }, from: { type: 'string', default: '0' }, faults: { type: 'string', default: '2' },
  title: { type: 'string', default: '' }, trace: { type: 'boolean', default: false },
  damage: { type: 'boolean', default: false },
} });
const SomeStage = values.damage ? DamagedStage : DisturbedStage;
const [seeds, from, many] = [values.seeds, values.from, values.faults].map(Number);

let count = 0;
let wrong = 0;
for (const [title, schedule] of [schedules, threadSchedules, loneSchedules].flatMap(Object.entries)) {
  if (!title.includes(values.title) || !(values.damage || isFit(schedule))) continue;
  for (let seed = from; seed < from + seeds; seed++) {
    count++;
    const what = await disturb(schedule, seed, { many, trace: values.trace, SomeStage });
    if (!what) continue;
    wrong++;
    console.error(`${title}, ${what}`);
  }
}
console.log(`${count} disturbed schedules, ${wrong} times something was wrong`);
process.exitCode = wrong ? 1 : 0;
