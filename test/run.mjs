/**
 * Everything that has to hold, in turn: the build (and that dist/ is what it gives), the lint, the types, the tests. Ends with what
 * failed, and one line that counts the tests. `npm test -- unit browsers` runs some groups alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** No step may take longer, in milliseconds. */
const LONGEST = 20 * 60 * 1000;
const counts = { passes: 0, failures: 0, pending: 0 };
/** @type {string[]} */
const failed = [];

/**
 * @typedef {object} Circumstances
 * @property {Record<string, string>} [environment]
 * @property {boolean} [aside] others run beside it and go before it; what it prints is shown when it has ended
 *
 * @param {string} title
 * @param {string} program
 * @param {string[]} parameters
 * @param {Circumstances} [circumstances]
 */
const run = async (title, program, parameters, { environment, aside = false } = {}) => {
  if (!aside) console.log(`\n== ${title}`);
  const began = Date.now();
  const child = spawn(program, parameters, {
    cwd: root, stdio: ['inherit', aside ? 'pipe' : 'inherit', aside ? 'pipe' : 'inherit'], timeout: LONGEST,
    env: { ...process.env, ...environment },
  });
  if (aside && child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let printed = aside ? `\n== ${title}\n` : '';
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) stream.setEncoding('utf8').on('data', (text) => { printed += text; });
  }
  const [status] = await once(child, 'close').catch((error) => [String(error)]);
  process.stdout.write(printed);
  console.log(`== ${title}: ${status === 0 ? 'ok' : 'FAILED'}, ${Math.round((Date.now() - began) / 1000)} s`);
  if (status !== 0) failed.push(title);
};

/** @param {string} title @param {string[]} parameters @param {boolean} [aside] */
const mocha = async (title, parameters, aside) => {
  const file = join(tmpdir(), `lockkeeper-test-${process.pid}-${title.replaceAll(' ', '-')}.json`);
  // Leftovers of a failed test must not keep the run from ending.
  const mochaProgram = ['node_modules/mocha/bin/mocha.js', '--exit', '--reporter', 'test/reporter.cjs'];
  await run(title, process.execPath, [...mochaProgram, ...parameters], { environment: { LOCKKEEPER_COUNTS: file }, aside });
  try {
    const stats = JSON.parse(readFileSync(file, 'utf8'));
    failed.push(...stats.failed);
    for (const key of /** @type {const} */ (['passes', 'failures', 'pending'])) counts[key] += stats[key];
  } catch {
    // It came to no end.
    counts.failures++;
  }
  rmSync(file, { force: true });
};

/** These wait most of the time, so that several files run at once. */
const waiting = ['claims'];
/** These only compute, and measure no time. They run beside the others. */
const computing = ['core', 'model-checking', 'native', 'order', 'schedules', 'simulation'];
/** These run after them, also beside the others: they wait for browsers, bundlers and programs, but for none that must be quick. */
const patient = ['build', 'consumers', 'docs'];
/** These are not for Node alone. */
const elsewhere = ['browsers', 'demo', 'differential'];

/** @param {string} folder in test/ @param {boolean} [aside] */
const testFolder = (folder, aside) => {
  const files = [`test/${folder}/**/*.test.js`, '--ignore', 'test/fire/fire.test.js'];
  return mocha(folder, waiting.includes(folder) ? [...files, '--parallel', '--jobs', '3'] : files, aside);
};

/** @type {Record<string, () => Promise<void> | void>} */
const groups = {
  async build() {
    await run('build', process.execPath, ['build/build.mjs']);
    const generated = ['dist', 'glue/core/constants.js'];
    const changed = spawnSync('git', ['status', '--porcelain', '--', ...generated], { cwd: root, encoding: 'utf8' }).stdout;
    if (!changed) return;
    console.log(`What is committed is not what the build gives:\n${changed}`);
    if (process.env.CI) failed.push('dist/ as committed');
  },
  lint: () => run('lint and types', 'npm', ['run', '--silent', 'lint']),
  // A process for each part: what one leaves behind is not the next one's.
  async unit() {
    const tests = readdirSync(join(root, 'test'), { recursive: true }).map(String).filter((file) => file.endsWith('.test.js'));
    const folders = new Set(tests.map((file) => file.split(/[\\/]/)[0]));
    const inTurn = async (/** @type {string[]} */ some, /** @type {boolean} */ aside) => {
      for (const folder of some) await testFolder(folder, aside);
    };
    const beside = [...computing, ...patient];
    const others = [...folders].filter((folder) => ![...elsewhere, ...beside].includes(folder));
    await Promise.all([inTurn(beside, true), inTurn(others, false)]);
  },
  browsers: () => mocha('tests in browsers', ['test/{browsers,demo,differential}/**/*.test.js']),
  async wpt() {
    const { WPT_DIR: folder, BROWSERS: browsers = 'chromium' } = process.env;
    if (folder) await run('web-platform-tests', process.execPath, ['test/wpt/run.js', folder, '--browser', browsers]);
  },
  fire: () => mocha('browsers under fire, a short run', ['test/fire/fire.test.js']),
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(groups, name));
if (unknown) {
  console.error(`There is no group ${unknown}. There are ${Object.keys(groups).join(', ')}. ` +
    `A folder of tests: npx mocha 'test/${unknown}/**/*.test.js'`);
  process.exit(1);
}
for (const name of wanted.length ? wanted : Object.keys(groups)) await groups[name]();

for (const title of failed) console.log(`FAILED: ${title}`);
console.log(`${counts.passes} passed, ${counts.failures || failed.length} failed, ${counts.pending} skipped`);
process.exit(failed.length ? 1 : 0);
