/**
 * Runs the web-platform-tests' web-locks folder with dist/lockkeeper.js in place of the native implementation:
 *
 *   npm run test:wpt -- DIR [--browser chromium,firefox,webkit,chromium67|all] [--filter TEXT] [--native] [--json FILE]
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { browserNames, missing } from '../browsers/drivers/index.js';
import { exceptionFor, NOT_RUN } from './exceptions.js';
import { compare, judge, printRun } from './results.js';
import { runSuite } from './suite.js';

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: {
  browser: { type: 'string', default: 'chromium' },
  filter: { type: 'string', default: '' },
  library: { type: 'string', default: fileURLToPath(new URL('../../dist/lockkeeper.js', import.meta.url)) },
  native: { type: 'boolean', default: false },
  json: { type: 'string' },
} });

const root = positionals[0] ?? process.env.WPT_DIR;
if (!root || !fs.existsSync(path.join(root, 'web-locks'))) {
  console.error('usage: npm run test:wpt -- DIR [--browser LIST|all] [--filter TEXT] [--library FILE] [--native] [--json FILE]\n' +
    'DIR is a checkout of the web-platform-tests; --native runs the browser\'s own implementation too, and compares.');
  process.exit(2);
}

let failed = false;
const results = [];
for (const name of browserNames(options.browser)) {
  const reason = missing(name);
  if (reason) {
    console.log(`${reason}: skipped`);
    failed ||= Boolean(process.env.CI);
    continue;
  }
  const settings = { name, root, filter: options.filter, notRun: NOT_RUN };
  const native = options.native ? await runSuite({ ...settings, library: null }) : null;
  const ours = await runSuite({ ...settings, library: path.resolve(options.library) });
  results.push(...(native ? [native] : []), ours);
  if (native) printRun(native);
  printRun(ours);
  if (native) compare(ours, native);
  const surprises = judge(ours, exceptionFor);
  for (const surprise of surprises) console.log(`  unexpected: ${surprise}`);
  failed ||= surprises.length > 0;
}
if (options.json) fs.writeFileSync(options.json, `${JSON.stringify({ results }, null, 1)}\n`);
process.exitCode = failed ? 1 : 0;
