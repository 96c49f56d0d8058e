/*
 * Runs the models and prints the results. `node test/model-checking/run.js [text]` runs only those with the text in their name, and
 * prints the trail of each violation. MODEL_CHECKING=long adds the long ones.
 */
import { check } from './check.js';
import { mutations } from './mutations.js';
import { proofs } from './runs.js';

const text = process.argv[2] ?? '';
const long = process.env.MODEL_CHECKING === 'long';
let wrong = 0;

for (const run of [...proofs, ...mutations]) {
  if (run.long && !long || !run.name.includes(text)) continue;
  const result = await check(run);
  const expected = run.violates ? run.violates.includes(result.violated ?? -1) : result.violated === undefined;
  if (!expected) wrong++;
  console.log(
    `${expected ? 'ok   ' : 'WRONG'} ${String(result.states).padStart(10)} states  ${result.seconds.toFixed(1).padStart(6)} s  ` +
    `${outcome(result).padEnd(22)} ${run.name}`,
  );
  if (result.trail && (text || !expected)) console.log(result.trail.replace(/^/gm, '        '));
}
process.exitCode = wrong ? 1 : 0;

/** @param {import('./check.js').Result} result */
function outcome(result) {
  if (result.violated === 6) return 'L violated';
  if (result.violated !== undefined) return `S${result.violated} violated`;
  return result.complete ? 'holds, exhaustive' : 'holds, not exhaustive';
}
