/** The statements of README.md and docs/ about the project are true: links lead somewhere, sizes are those of dist/, commands exist. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { gzippedSize } from '../../build/files.mjs';
import { ROOT } from '../consumers/project.js';
import { failOverFigures } from './fail-over.js';
import { pages, read } from './pages.js';

const KB = 1024;
/** A stated size may be this far from the truth, in KB. */
const TOLERANCE = 0.1;

/** As test/consumers/peers.mjs bundles the peers. @param {string} contents */
const bundled = async (contents) => {
  const { outputFiles: [{ text }] } = await build({
    stdin: { contents, resolveDir: path.join(ROOT, 'dist') }, bundle: true, minify: true, format: 'iife', write: false,
  });
  return text;
};

/** The entry of 0.2.0 says what that version weighs. Under a later version it stays as it is. @type {Record<string, RegExp>} */
const CHANGELOG = JSON.parse(read('package.json')).version === '0.2.0'
  ? { 'CHANGELOG.md': /(The script is larger: )(\d+\.\d)( KB gzipped)/ } : {};

/**
 * The measured files, and where their sizes are stated.
 * @type {Record<string, {text: () => string | Promise<string>, said: Record<string, RegExp>}>}
 */
const SIZES = {
  'the script-tag build': {
    text: () => read('dist/lockkeeper.js'),
    said: {
      'README.md': /(One file, )(\d+\.\d)( KB gzipped)/, 'docs/comparison.md': /(\*\*lockkeeper\*\* [\d.]+ \| )(\d+\.\d)( KB \|)/,
      ...CHANGELOG,
    },
  },
  'import { locks }': {
    text: () => bundled("import { locks } from './lockkeeper.mjs'; self.take = (done) => locks.request('x', done);"),
    said: { 'README.md': /(from 'lockkeeper'` adds )(\d+\.\d)( KB)/, 'docs/comparison.md': /(`import \{ locks \}` alone )(\d+\.\d)( KB)/ },
  },
  'the whole root': {
    text: () => bundled("import * as all from './lockkeeper.mjs'; self.all = all;"),
    said: { 'README.md': /(root as a whole is )(\d+\.\d)( KB)/, 'docs/comparison.md': /(package's root is )(\d+\.\d)( KB)/ },
  },
};

const all = [...pages(), 'CONTRIBUTING.md', 'CHANGELOG.md', 'claims/README.md',
  ...['model-checking', 'native', 'schedules'].map((folder) => `test/${folder}/README.md`)];

/** As the places where such pages are shown make them of headings. @param {string} file @returns {string[]} */
const anchorsOf = (file) => read(file).split('\n').filter((line) => /^#+ /.test(line))
  .map((line) => line.replace(/^#+ /, '').toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));

describe('The docs', () => {
  it('have no link that leads nowhere', () => {
    const broken = [];
    for (const file of all) {
      for (const [, target] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [to, anchor] = target.split('#');
        const place = to ? path.join(path.dirname(file), to) : file;
        if (!fs.existsSync(path.join(ROOT, place))) broken.push(`${file}: ${target}`);
        else if (anchor && !anchorsOf(place).includes(anchor)) broken.push(`${file}: ${target}`);
      }
    }
    assert.deepEqual(broken, []);
  });

  it('lead to every page from docs/README.md', () => {
    const linked = Array.from(read('docs/README.md').matchAll(/\]\(([^)\s#]+)/g), ([, target]) => path.join('docs', target));
    assert.deepEqual(pages().filter((file) => file.startsWith('docs/') && file !== 'docs/README.md' && !linked.includes(file)), []);
  });

  for (const [what, { text, said }] of Object.entries(SIZES)) {
    it(`say what ${what} weighs`, async () => {
      const real = gzippedSize(await text()) / KB;
      for (const [file, size] of Object.entries(said)) {
        assert.match(read(file), size);
        if (process.env.UPDATE) fs.writeFileSync(path.join(ROOT, file), read(file).replace(size, `$1${real.toFixed(1)}$3`));
        const [,, figure] = /** @type {RegExpExecArray} */ (size.exec(read(file)));
        const hint = 'UPDATE=1 npx mocha test/docs/pages.test.js writes it';
        assert.ok(Math.abs(Number(figure) - real) <= TOLERANCE, `${file} says ${figure} KB, and it is ${real.toFixed(2)} KB; ${hint}`);
      }
    });
  }

  it('name the version that is measured', () => {
    assert.ok(read('docs/comparison.md').includes(`| **lockkeeper** ${JSON.parse(read('package.json')).version} |`));
  });

  it('say one figure for a fail-over', () => {
    const figures = failOverFigures();
    assert.equal(figures.length, 3);
    assert.deepEqual(new Set(figures).size, 1, `${figures}; UPDATE=1 npm run bench -- browser killed writes it, on a quiet machine`);
  });

  it('name only scripts of package.json and files that are there', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const missing = [];
    for (const file of all) {
      const text = read(file);
      for (const [, script] of text.matchAll(/\bnpm run ([\w:-]+)/g)) if (!scripts[script]) missing.push(`${file}: npm run ${script}`);
      for (const [, named] of text.matchAll(/[`\s]((?:test|demo|glue|build|claims|csrc)\/[\w./-]+\.(?:js|mjs|md|sh|h|c|pml))\b/g)) {
        if (!fs.existsSync(path.join(ROOT, named))) missing.push(`${file}: ${named}`);
      }
    }
    assert.deepEqual(missing, []);
  });
});
