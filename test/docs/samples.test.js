/**
 * Every sample of README.md and docs/ is run in the place it belongs to. How a sample is placed: a comment before its fence,
 * <!-- sample: NAME -->, names its entry in samples-pages.js or samples-programs.js, with its surroundings and the expected
 * result. A sample without a comment runs as it is, by its language: js in Node, html as a page, ts through the compiler. The only way
 * to leave one out is an entry that says why, and what runs it instead.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { skipWithout } from '../browsers/engines.js';
import { ROOT } from '../consumers/project.js';
import { pages, read, samplesOf } from './pages.js';
import { Places } from './places.js';
import { PAGES } from './samples-pages.js';
import { PROGRAMS } from './samples-programs.js';

/** @typedef {import('./places.js').Surroundings} Surroundings */

/** @type {Record<string, Surroundings>} */
const NAMED = { ...PAGES, ...PROGRAMS };

/** Where a sample without a name runs. Anything else needs a name. @type {Record<string, Surroundings>} */
const BY_LANGUAGE = {
  js: { in: 'node' },
  html: { in: 'page', look: 'document.readyState', gives: 'complete' },
  ts: { in: 'types', gives: [] },
};

const samples = pages().flatMap(samplesOf);
const code = samples.filter(({ language }) => language);
/** @param {import('./pages.js').Sample} sample */
const titleOf = ({ file, line, language, name }) => `${file}:${line}, ${language}${name && `, ${name}`}`;

describe('The samples in the docs', function () {
  this.timeout(180000);
  this.slow(3000);
  /** @type {Places} */
  let places;
  let ran = 0;
  /** @type {string[]} */
  const elsewhere = [];

  before(async function () {
    skipWithout('chromium', this);
    places = new Places();
    await places.open();
  });
  after(() => places?.close());

  for (const sample of code) {
    const { name, language } = sample;
    const surroundings = name ? NAMED[name] : BY_LANGUAGE[language];
    if (surroundings?.in === 'elsewhere') {
      it(`${titleOf(sample)}: not run here: ${surroundings.because}`, () => {
        const files = surroundings.because?.match(/test\/[\w/-]+\.test\.js/g) ?? [];
        assert.ok(files.length, 'it says what runs it');
        for (const file of files) assert.ok(fs.existsSync(path.join(ROOT, file)), `${file} is there`);
        elsewhere.push(titleOf(sample));
      });
      continue;
    }
    it(titleOf(sample), async () => {
      assert.ok(surroundings, name ? `no entry "${name}"` : `a sample in ${language} needs a name: <!-- sample: NAME --> before the fence`);
      ran++;
      const result = await places.run(sample, surroundings);
      const { gives } = surroundings;
      if (gives instanceof RegExp) assert.match(String(result), gives);
      else if (gives !== undefined) assert.deepEqual(result, gives);
    });
  }

  it('are all of them, each run or with a reason', function () {
    if (!places) this.skip();
    assert.equal(ran + elsewhere.length, code.length);
    console.log(`      ${ran} samples run, ${elsewhere.length} run by other tests`);
  });

  it('that have a name have an entry, and each entry a sample', () => {
    const names = code.map(({ name }) => name).filter(Boolean);
    assert.deepEqual(Object.keys(NAMED).filter((name) => !names.includes(name)), []);
    const twice = names.filter((name, index) => names.indexOf(name) !== index && NAMED[name]?.in !== 'elsewhere');
    assert.deepEqual(twice, [], 'names of two samples');
  });

  it('say which language they are in', () => {
    assert.deepEqual(samples.filter(({ language }) => !language).map(({ file, line }) => `${file}:${line}`), []);
  });

  it('are found, whatever the page does to hide them', () => {
    const all = pages().map(read).join('\n').match(/^\s*(```|~~~)/gm) ?? [];
    const texts = pages().map(read).join('\n').match(/^\s*(```|~~~)text$/gm) ?? [];
    assert.equal(all.length / 2 - texts.length, samples.length);
  });
});
