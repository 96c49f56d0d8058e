import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * @typedef {object} Result
 * @property {number | undefined} violated the number of the claim that does not hold: S1 to S5, 6 for L
 * @property {number} states stored
 * @property {number} depth
 * @property {boolean} complete the whole state space was seen: neither a bound on memory nor one on depth cut it
 * @property {number} seconds that the search took, without building it
 * @property {string} trail the steps that lead to the violation, one a line
 */

/** @returns {Promise<string | undefined>} what is missing, if anything is */
export async function missingTool() {
  for (const [tool, argument] of [['spin', '-V'], ['gcc', '--version']]) {
    try {
      await execute(tool, [argument]);
    } catch {
      return tool;
    }
  }
  return undefined;
}

/**
 * Builds and runs the search for one run, in a folder of its own that is removed afterwards.
 *
 * @param {import('./runs.js').Run} run
 * @returns {Promise<Result>}
 */
export async function check(run) {
  const folder = await mkdtemp(join(tmpdir(), 'lockkeeper-model-'));
  /** @type {import('node:child_process').ExecFileOptionsWithStringEncoding} */
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const switches = run.switches.split(/\s+/);
  try {
    const models = (await readdir(here)).filter((file) => file.endsWith('.pml'));
    await Promise.all(models.map((file) => copyFile(join(here, file), join(folder, file))));
    await execute('spin', [...switches, '-a', run.model], options);
    // A mutation is found within a second or so. There, and in short searches, the compiler's time dominates.
    await execute('gcc', [run.violates ? '-O0' : run.long ? '-O2' : '-O1', '-w', ...searchOptions(run), '-o', 'pan', 'pan.c'], options);
    const begin = performance.now();
    const { stdout } = await execute('./pan', ['-m100000', run.violates ? '-w20' : '-w24'], options);
    const seconds = (performance.now() - begin) / 1000;
    const violated = violatedClaim(stdout);
    const trail = violated === undefined ? '' : await readTrail(run, switches, options);
    return {
      violated,
      states: Number(/^\s*(\S+) states, stored/m.exec(stdout)?.[1]),
      depth: Number(/depth reached (\d+)/.exec(stdout)?.[1]),
      complete: !/Search not completed|out of memory|max search depth too small/.test(stdout),
      seconds,
      trail,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {import('./runs.js').Run} run */
function searchOptions(run) {
  return ['-DVECTORSZ=2048', `-DMEMLIM=${run.long ? 8000 : 3500}`, '-DSAFETY'];
}

/** @param {string} output of pan */
function violatedClaim(output) {
  const assertion = /pan:1: assertion violated \((?:(\d)\*)?/.exec(output);
  if (assertion) {
    if (!assertion[1]) throw new Error(`The model itself is wrong:\n${output}`);
    return Number(assertion[1]);
  }
  if (!/errors: 0/.test(output)) throw new Error(`spin's search did not end well:\n${output}`);
  return undefined;
}

/**
 * @param {import('./runs.js').Run} run
 * @param {string[]} switches
 * @param {import('node:child_process').ExecFileOptionsWithStringEncoding} options
 */
async function readTrail(run, switches, options) {
  const { stdout } = await execute('spin', ['-k', `${run.model}.trail`, '-t', '-T', ...switches, run.model], options);
  return stdout
    .split('\n')
    .filter((line) => /^\d |Error: assertion/.test(line))
    .join('\n');
}
