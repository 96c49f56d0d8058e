/** A fault in what processes tell each other is found out within the worlds that the right log survives. */
import assert from 'node:assert';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { at } from './support.js';
import { mutations } from './simulation/mutations.js';
import { schedules } from './simulation/schedules.js';
import { simulate } from './simulation/simulation.js';

const SEEDS = 100;

/** Node's log with some text replaced. @param {import('./simulation/mutations.js').Mutation} mutation */
const createVariant = async ({ file, change: [from, to] }) => {
  const result = await build({
    entryPoints: [at('glue/platform/node/log.js')], bundle: true, write: false, format: 'esm', platform: 'node', logLevel: 'error',
    plugins: [{
      name: 'replace',
      setup(bundle) {
        bundle.onLoad({ filter: /\/platform\/node\/[^/]*\.js$/ }, async ({ path }) => {
          const contents = await readFile(path, 'utf8');
          if (basename(path) !== file) return { contents };
          assert.ok(contents.includes(from), `${file} does not contain ${from}`);
          return { contents: contents.replace(from, () => to) };
        });
      },
    }],
  });
  const { createSharedLog } = await import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString('base64')}`);
  return createSharedLog;
};

/**
 * @param {import('./simulation/mutations.js').Mutation} mutation
 * @returns {Promise<unknown>} what was found; undefined where nothing was
 */
const find = async (mutation) => {
  const createLog = await createVariant(mutation);
  const { schedule, faults } = mutation;
  if (schedule) return schedules[schedule](createLog).then(() => undefined, (error) => error);
  for (let seed = 0; seed < SEEDS; seed++) {
    const options = { seed, createLog, faults, processes: true, crowd: true, plain: true };
    const error = await simulate(options).then(() => undefined, (caught) => caught);
    if (error) return error;
  }
  return undefined;
};

describe('node: faults put into what processes tell each other', function () {
  this.timeout(60000);

  for (const mutation of mutations) {
    it(`is found out: ${mutation.name}`, async () => {
      assert.ok(await find(mutation), 'nothing has found it');
    });
  }
});
