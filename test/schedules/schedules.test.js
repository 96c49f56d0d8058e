/** Every schedule of this folder, over every implementation. */
import assert from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { decode } from '../model/snapshot.js';
import { closeFlavours, openFlavours } from './flavours.js';
import { parse } from './parse.js';
import { fromHexadecimal } from './programs.js';

/** @typedef {import('./parse.js').Step} Step */
/** @typedef {import('./programs.js').Flavour} Flavour */
/** @typedef {import('./programs.js').Instruction} Instruction */
/** @typedef {import('./programs.js').Report} Report */
/** @typedef {import('./programs.js').Sight} Sight */

/** @typedef {{kind: 'end', at: number}} End of a block, where all must agree in everything */

const folder = new URL('./', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');

/**
 * @param {Step | End} step
 * @returns {Instruction}
 */
function instruct(step) {
  if (step.kind === 'apply') return { kind: 'apply', operation: step.operation };
  if (step.kind === 'raise') return { kind: 'raise', fence: step.fence };
  return { kind: step.kind === 'restore' ? 'restore' : 'look' };
}

/**
 * @param {Report} report
 * @returns {Sight}
 */
function sight(report) {
  assert('hash' in report);
  assert.equal(report.again, report.snapshot, 'a manager made from a snapshot has the same snapshot');
  assert.equal(report.hashAgain, report.hash, 'and the same hash');
  assert.equal(report.nextDeadlineAgain, report.nextDeadline, 'and the same next deadline');
  return report;
}

/**
 * Says where an assertion failed.
 * @param {string} place
 * @param {() => void} assertions
 */
function within(place, assertions) {
  try {
    assertions();
  } catch (error) {
    if (error instanceof Error) error.message = `${place}: ${error.message}`;
    throw error;
  }
}

/**
 * @param {Step | End} step
 * @param {Report} report
 */
function check(step, report) {
  if (step.kind === 'apply' || step.kind === 'raise') {
    assert.deepEqual(report, step.expected);
    return;
  }
  const seen = sight(report);
  const state = decode(fromHexadecimal(seen.snapshot));
  assert.deepEqual(seen.requests, state && [...state.held, ...state.pending], 'iteration shows what the snapshot has');
  if (step.kind === 'deadline') assert.equal(seen.nextDeadline, step.deadline);
  if (step.kind === 'list') {
    assert.deepEqual(state?.[step.list].map(({ client, number }) => ({ client, number })), step.requests);
  }
}

describe('schedules', () => {
  /** @type {Flavour[]} */
  let flavours = [];
  before(async function open() {
    this.timeout(300000);
    flavours = await openFlavours();
  });
  after(() => closeFlavours(flavours));

  for (const file of files) {
    describe(file, () => {
      for (const { title, blocks } of parse(readFileSync(new URL(file, folder), 'utf8'), file)) {
        it(title, async () => {
          const steps = blocks.flatMap((block) => [...block.steps, /** @type {const} */ ({ kind: 'end', at: block.end })]);
          const program = steps.map(instruct);
          const [model, ...others] = flavours;
          const expected = await model.run(program);
          steps.forEach((step, place) => within(`${file}:${step.at}, ${model.name}`, () => check(step, expected[place])));
          for (const flavour of others) {
            const reports = await flavour.run(program);
            steps.forEach((step, place) => within(`${file}:${step.at}, ${flavour.name}`, () => {
              check(step, reports[place]);
              assert.deepEqual(reports[place], expected[place]);
            }));
          }
        });
      }
    });
  }
});
