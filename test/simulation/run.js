/**
 * `npm run test:simulation -- --seeds 1000000 --from 0 --processes 2` runs that many worlds and counts them. A violation is printed with
 * its seed and the last happenings. `--seeds 1 --from SEED --trace` prints all happenings. SIGINT or SIGTERM ends the run after the current
 * world; it still prints how many worlds it has run.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createLog } from '../../glue/log/log.js';
import { createCore, recycle } from './core.js';
import { simulate } from './simulation.js';
import { createOtherVersion } from './variant.js';

const { values } = parseArgs({ options: {
  seeds: { type: 'string', default: '2000' }, from: { type: 'string', default: '0' }, processes: { type: 'string', default: '1' },
  step: { type: 'string', default: '1' }, trace: { type: 'boolean', default: false }, 'keep-going': { type: 'boolean', default: false },
  last: { type: 'string', default: '60' },
} });
const [seeds, from, processes, step, last] = [values.seeds, values.from, values.processes, values.step, values.last].map(Number);

/** @param {number} seed */
const explain = async (seed) => {
  const error = await simulate({ seed, createLog, createOtherLog, createCore, trace: true }).catch((/** @type {any} */ caught) => caught);
  const lines = String(error.message).split('\n');
  if (values.trace) console.error(lines.join('\n'));
  else console.error([...lines.slice(0, 2), ...lines.slice(2).slice(-last)].join('\n'));
  if (error.cause && error.cause.constructor.name !== 'Violation') console.error(error.cause.stack);
};

const createOtherLog = await createOtherVersion();

/** What a signal does. @param {() => void} stop */
const onSignal = (stop) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
};

const runAll = async () => {
  const began = Date.now();
  let grants = 0;
  let worlds = 0;
  let stopped = false;
  onSignal(() => {
    stopped = true;
  });
  /** @type {number[]} */
  const failing = [];
  for (let seed = from; seed < from + seeds && !stopped; seed += step) {
    if (worlds && worlds % 10000 === 0) console.log(`${worlds} worlds, ${failing.length} violations`);
    worlds++;
    try {
      grants += (await simulate({ seed, createLog, createOtherLog, createCore, recycle })).checker.grants;
    } catch (error) {
      failing.push(seed);
      if (values['keep-going']) {
        console.error(/** @type {any} */ (error).message.slice(0, 200));
        continue;
      }
      await explain(seed);
      process.exitCode = 1;
      return;
    }
  }
  const seconds = (Date.now() - began) / 1000;
  console.log(`${worlds} worlds from seed ${from}${step > 1 ? `, every ${step}th` : ''}: ${failing.length} violations, ${grants} grants, ` +
    `${seconds.toFixed(1)} s, ${Math.round(worlds / seconds)} a second`);
  if (failing.length) process.exitCode = 1;
};

if (processes > 1) {
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('--trace') || argument.startsWith('--keep'));
  for (let each = 0; each < processes; each++) {
    const child = fork(fileURLToPath(import.meta.url), [
      '--seeds', String(seeds - each), '--from', String(from + each), '--step', String(processes), ...options]);
    child.on('exit', (code) => {
      process.exitCode = process.exitCode || code || 0;
    });
    onSignal(() => child.kill());
  }
} else await runAll();
