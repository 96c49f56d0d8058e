/**
 * Everything that has to hold, in turn: the build (and that dist/ is what it gives), the lint, the types, the tests. Ends with what
 * failed, and one line that counts the tests. `npm test -- unit browsers` runs some groups alone.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** No step may take longer, in milliseconds. */
const LONGEST = 20 * 60 * 1000;
const counts = { passes: 0, failures: 0, pending: 0 };
/** @type {string[]} */
const failed = [];

/** @param {string} title @param {string} program @param {string[]} parameters @param {Record<string, string>} [environment] */
const run = (title, program, parameters, environment = {}) => {
  console.log(`\n== ${title}`);
  const began = Date.now();
  const { status } = spawnSync(program, parameters, {
    cwd: root, stdio: 'inherit', timeout: LONGEST, env: { ...process.env, ...environment },
  });
  console.log(`== ${title}: ${status === 0 ? 'ok' : 'FAILED'}, ${Math.round((Date.now() - began) / 1000)} s`);
  if (status !== 0) failed.push(title);
  return status === 0;
};

/** @param {string} title @param {string[]} parameters */
const mocha = (title, parameters) => {
  const file = join(tmpdir(), `lockkeeper-test-${process.pid}.json`);
  // What a failed test has left open must not keep the run from ending.
  const mochaProgram = ['node_modules/mocha/bin/mocha.js', '--exit', '--reporter', 'test/reporter.cjs'];
  run(title, process.execPath, [...mochaProgram, ...parameters], { LOCKKEEPER_COUNTS: file });
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

/** @type {Record<string, () => void>} */
const groups = {
  build() {
    run('build', process.execPath, ['build/build.mjs']);
    const generated = ['dist', 'glue/core/constants.js'];
    const changed = spawnSync('git', ['status', '--porcelain', '--', ...generated], { cwd: root, encoding: 'utf8' }).stdout;
    if (!changed) return;
    console.log(`What is committed is not what the build gives:\n${changed}`);
    if (process.env.CI) failed.push('dist/ as committed');
  },
  lint: () => void run('lint and types', 'npm', ['run', '--silent', 'lint']),
  // A process for each part: what one leaves behind is not the next one's.
  unit() {
    const elsewhere = ['browsers', 'demo', 'differential'];
    const tests = readdirSync(join(root, 'test'), { recursive: true }).map(String).filter((file) => file.endsWith('.test.js'));
    const parts = new Set(tests.map((file) => file.split(/[\\/]/)[0]));
    for (const part of parts) {
      if (!elsewhere.includes(part)) mocha(part, [`test/${part}/**/*.test.js`, '--ignore', 'test/fire/fire.test.js']);
    }
  },
  browsers: () => mocha('tests in browsers', ['test/{browsers,demo,differential}/**/*.test.js']),
  wpt() {
    const folder = process.env.WPT_DIR;
    if (folder) run('web-platform-tests', process.execPath, ['test/wpt/run.js', folder, '--browser', process.env.BROWSERS || 'chromium']);
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
for (const name of wanted.length ? wanted : Object.keys(groups)) groups[name]();

for (const title of failed) console.log(`FAILED: ${title}`);
console.log(`${counts.passes} passed, ${counts.failures || failed.length} failed, ${counts.pending} skipped`);
process.exit(failed.length ? 1 : 0);
