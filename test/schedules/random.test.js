/** Random schedules, and bytes that may be no snapshot: every implementation does with them what the model does. */
import assert from 'node:assert';
import fc from 'fast-check';
import { closeFlavours, openFlavours } from './flavours.js';
import { forgeries } from './forgeries.js';
import { runs, text } from './random.js';

/** @typedef {import('./programs.js').Flavour} Flavour */

const schedules = Number(process.env.SCHEDULES ?? 6000);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

describe('the implementations agree', () => {
  /** @type {Flavour[]} */
  let others = [];
  before(async function open() {
    this.timeout(300000);
    [, ...others] = await openFlavours();
  });
  after(() => closeFlavours(others));

  it(`on ${schedules} random schedules (SEED=${seed})`, async function agree() {
    this.timeout(600000);
    await fc.assert(fc.asyncProperty(runs, async (run) => {
      for (const flavour of others) {
        const reports = await flavour.run(run.program);
        run.reports.forEach((expected, place) => {
          const [found, wanted] = [JSON.stringify(reports[place]), JSON.stringify(expected)];
          if (found === wanted) return;
          assert.fail(`${flavour.name} gives ${found} instead of ${wanted} at the end of\n\n${text(run, place + 1)}\n`);
        });
      }
    }), { numRuns: schedules, seed });
  });

  it(`that what a snapshot shows, the hash shows (${schedules / 4} of them, SEED=${seed})`, function differ() {
    this.timeout(600000);
    let different = 0;
    fc.assert(fc.property(forgeries, ({ reports: [, , loaded, forged], before }) => {
      if (!('events' in loaded) || !('hash' in forged)) return;
      if (forged.snapshot !== before.snapshot) different += 1;
      assert.equal(forged.hash === before.hash, forged.snapshot === before.snapshot);
    }), { numRuns: Math.ceil(schedules / 4), seed });
    assert.ok(different > schedules / 100, `only ${different} could be compared`);
  });

  it(`on what is no snapshot (${schedules / 4} of them, SEED=${seed})`, async function agree() {
    this.timeout(600000);
    await fc.assert(fc.asyncProperty(forgeries, async ({ program, reports: expected }) => {
      for (const flavour of others) {
        const reports = await flavour.run(program);
        assert.deepEqual(reports, expected, flavour.name);
      }
    }), { numRuns: Math.ceil(schedules / 4), seed });
  });
});
