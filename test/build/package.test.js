/** What npm would publish: checked by the tools for that, and against what is written down. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'acorn';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT, run, Workshop } from '../consumers/project.js';
import { apiReport } from './api-report.js';

const REPORT = path.join(ROOT, 'test/build/api.md');

describe('The package as published', function () {
  this.timeout(120000);
  /** @type {Workshop} */
  let workshop;
  /** The installed package's folder. @type {string} */
  let folder;
  /** @type {any} */
  let manifest;

  before(async () => {
    workshop = await new Workshop().install();
    folder = path.join(String(workshop.installed), 'node_modules/lockkeeper');
    manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  });
  after(() => workshop.remove());

  it('is clean for publint', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
    assert.deepEqual(messages.map((message) => formatMessage(message, manifest, { color: false })), []);
  });

  it('is clean for attw, but for the entries that are no modules', async () => {
    // TypeScript before 4.7 does not know "exports": there, all but the root is unknown (the profile leaves that out).
    const entries = ['./core.wasm', './script', './script/nowasm', './script/indexed-db'];
    const { stdout } = await run(process.execPath, [path.join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js'), workshop.tarball,
      '--profile', 'node16', '--exclude-entrypoints', ...entries, '--format', 'json'], workshop.folder);
    const { analysis, problems } = JSON.parse(stdout);
    assert.deepEqual(Object.keys(analysis.entrypoints).filter((entry) => entry !== './package.json'),
      Object.keys(manifest.exports).filter((entry) => entry !== './package.json' && !entries.includes(entry)));
    const found = Object.values(problems ?? {}).flat().filter(({ resolutionKind }) => resolutionKind !== 'node10');
    assert.deepEqual(found, []);
  });

  for (const file of ['lockkeeper.js', 'lockkeeper.nowasm.js', 'indexed-db.js']) {
    it(`has nothing newer than ES2017 in ${file}`, () => {
      const text = fs.readFileSync(path.join(folder, 'dist', file), 'utf8');
      parse(text, { ecmaVersion: 2017, sourceType: 'script' });
      assert.throws(() => parse(`${text}\n({ ...{} });`, { ecmaVersion: 2017, sourceType: 'script' }), SyntaxError);
    });
  }

  it('has the files that its entries name, and nothing that is not for users', () => {
    /** @param {any} part @returns {string[]} */
    const targets = (part) => (typeof part === 'string' ? [part] : Object.values(part).flatMap(targets));
    const { exports, main, module, types, unpkg, jsdelivr } = manifest;
    for (const target of [...targets(exports), main, module, types, unpkg, jsdelivr]) {
      assert.ok(workshop.files.includes(target.replace('./', '')), `${target} is missing`);
    }
    const tops = new Set(workshop.files.map((/** @type {string} */ file) => file.split('/')[0]));
    assert.deepEqual([...tops].sort(), ['CHANGELOG.md', 'CMakeLists.txt', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'csrc', 'demo', 'dist',
      'docs', 'package.json']);
    assert.deepEqual(workshop.files.filter((/** @type {string} */ file) => file.startsWith('demo/')), ['demo/screenshots/desktop.webp']);
  });

  it('has what its pages link to', () => {
    const isThere = (/** @type {string} */ place) =>
      workshop.files.some((/** @type {string} */ file) => file === place || file.startsWith(`${place}/`));
    const linked = workshop.files.filter((/** @type {string} */ file) => file.endsWith('.md')).flatMap((/** @type {string} */ page) =>
      Array.from(fs.readFileSync(path.join(folder, page), 'utf8').matchAll(/\]\(([^)\s#]+)/g), ([, target]) => ({ page, target })));
    const inside = linked.filter(({ target }) => !/^https?:/.test(target));
    assert.ok(inside.length > 100);
    assert.deepEqual(inside.filter(({ page, target }) => !isThere(path.posix.join(path.posix.dirname(page), target))), []);
  });

  it('needs nothing at run time, and runs nothing when it is installed', () => {
    const { dependencies = {}, peerDependencies = {}, optionalDependencies = {}, bundleDependencies = [], scripts = {} } = manifest;
    assert.deepEqual([dependencies, peerDependencies, optionalDependencies, bundleDependencies], [{}, {}, {}, []]);
    assert.deepEqual(Object.keys(scripts).filter((name) => /install|prepare/.test(name)), []);
    const installed = fs.readdirSync(path.join(String(workshop.installed), 'node_modules'));
    assert.deepEqual(installed.filter((name) => name[0] !== '.'), ['lockkeeper']);
  });

  it('fetches nothing: no file for browsers names a module of Node or its own address', () => {
    const files = fs.readdirSync(path.join(folder, 'dist')).filter((file) => /^(?!node).*\.(js|mjs)$/.test(file));
    assert.ok(files.length >= 10);
    for (const file of files) {
      const text = fs.readFileSync(path.join(folder, 'dist', file), 'utf8');
      assert.doesNotMatch(text, /node:|import\.meta|XMLHttpRequest/, file);
      // A manager over a claims service fetches when it is asked for a lock.
      if (!/^lockkeeper.*\.mjs$/.test(file)) assert.doesNotMatch(text, /\bfetch\(/, file);
    }
  });

  it('can be published', async () => {
    const { stdout } = await run('npm', ['publish', workshop.tarball, '--dry-run', '--json', '--ignore-scripts'], workshop.folder);
    const answer = JSON.parse(stdout);
    const { name, version } = answer.lockkeeper ?? answer;
    assert.deepEqual([name, version], ['lockkeeper', manifest.version]);
  });

  it('has the public surface that test/build/api.md shows', async () => {
    const report = await apiReport(folder, manifest.exports);
    if (process.env.UPDATE) fs.writeFileSync(REPORT, report);
    assert.equal(report, fs.readFileSync(REPORT, 'utf8'));
  });
});
