/**
 * Locks in real browsers under fire, for as long as wanted:
 *
 *   npm run test:fire -- [--engine chromium,firefox,webkit|all] [--minutes 10] [--seed N] [--faults JSON] [--library FILE]
 *
 * Rounds of a minute follow one another in one browser and on one origin, each with a seed of its own. At the end of a round every request
 * has to have ended, every lock must be free, all are killed, and a visitor must get every lock. Stops at the first round that fails.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { browserNames, startBrowser } from '../browsers/drivers/index.js';
import { TestServer } from '../browsers/server.js';
import { Fire, FAULTS, PAGES } from './fire.js';

const ROUND = 60;

const { values: options } = parseArgs({ options: {
  engine: { type: 'string', default: process.env.BROWSERS || 'chromium' },
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
  faults: { type: 'string', default: '{}' },
  library: { type: 'string' },
} });
const seconds = Number(options.minutes) * 60;
const faults = { ...FAULTS, ...JSON.parse(options.faults) };

/** @param {Record<string, number>} counts */
const list = (counts) => Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)).map((each) => each.join(' ')).join(', ');

/** @param {string} name */
async function runIn(name) {
  const library = options.library ? { library: path.resolve(options.library) } : {};
  const server = await new TestServer({ folders: { fire: PAGES }, ...library }).start();
  const browser = await startBrowser(name, { hidden: true });
  server.pageScript = browser.pageScript ?? '';
  /** @type {Record<string, number>} */
  const sums = {};
  const started = Date.now();
  let rounds = 0;
  let passed = true;
  try {
    console.log(`${browser.version}, ${options.minutes} minutes from seed ${options.seed} on`);
    for (let left = seconds; passed && left > 0; left = seconds - (Date.now() - started) / 1000) {
      const seed = Number(options.seed) + rounds;
      const fire = new Fire({ browser, server, seed, faults, firstContext: rounds * 1000 });
      await fire.run(Math.min(ROUND, left) * 1000);
      rounds++;
      const problems = fire.problems();
      passed = problems.length === 0;
      for (const [what, count] of Object.entries(fire.report())) sums[what] = (sums[what] ?? 0) + count;
      console.log(`  round ${rounds}, seed ${seed}, after ${Math.round((Date.now() - started) / 1000)} s: ${list(fire.report())}`);
      for (const text of fire.troubles()) console.log(`    ${text}`);
      for (const problem of problems) console.log(`    FAILED: ${problem}`);
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
  const outcome = passed ? 'all passed' : 'the last one FAILED';
  console.log(`${browser.version}: ${rounds} rounds in ${Math.round((Date.now() - started) / 1000)} s, ${outcome}: ${list(sums)}`);
  return passed;
}

for (const name of browserNames(options.engine)) if (!await runIn(name)) process.exitCode = 1;
