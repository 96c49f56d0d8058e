/**
 * Side by side with native locks and a peer: `npm run bench` runs all, `npm run bench -- browser first` one of them with what it takes.
 * Ends with 1 if a bar was missed. Best on a machine that has nothing else to do.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benches = ['core', 'browser', 'node', 'processes'];
const [chosen, ...parameters] = process.argv.slice(2);
if (chosen && !benches.includes(chosen)) {
  console.error(`There is no bench "${chosen}". There are: ${benches.join(', ')}`);
  process.exit(2);
}
/** Native locks are in Node from version 24 on: NODE_WITH_LOCKS names another binary to run that bench with. */
const programs = { node: process.env.NODE_WITH_LOCKS || process.execPath };

let missed = false;
for (const name of chosen ? [chosen] : benches) {
  console.log(`\n== ${name}`);
  const program = programs[/** @type {'node'} */ (name)] || process.execPath;
  const { status } = spawnSync(program, [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), ...parameters], { stdio: 'inherit' });
  missed = missed || status !== 0;
}
process.exit(missed ? 1 : 0);
