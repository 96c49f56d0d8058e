/** The packed tarball in empty projects of all kinds, each built and run: in Chromium, in Node, or by the TypeScript compiler. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { JSDOM } from 'jsdom';
import ts from 'typescript';
import { eachBrowser } from '../browsers/engines.js';
import { BUNDLERS, buildPage } from './bundlers.js';
import { ROOT, run, Workshop } from './project.js';

describe('The package', () => {
  /** @type {Workshop} */
  let workshop;

  before(async function () {
    this.timeout(180000);
    workshop = await new Workshop().install();
  });
  after(() => workshop.remove());

  eachBrowser('in pages', { names: ['chromium'] }, (the) => {
    before(() => { the.server.folders.projects = workshop.folder; });

    /** What a page of a project puts into `result`. @param {string} address */
    const resultOf = async (address) => (await the.newTab(`/projects/${address}`)).evaluate('self.result');

    for (const [name, bundle] of Object.entries(BUNDLERS)) {
      describe(`bundled by ${name}`, function () {
        this.timeout(180000);
        /** @type {string} */
        let folder;
        const bundled = (/** @type {string} */ file) => fs.readFileSync(path.join(folder, 'dist', file), 'utf8');

        before(async () => {
          folder = workshop.project('bundled', [], name);
          for (const file of ['index.js', 'auto.js', 'only-manager.js', 'unused.js']) await bundle(folder, file);
        });

        it('works', async () => {
          assert.deepEqual(await resultOf(`${name}/page.html`),
            { before: ['first', 'exclusive'], held: ['second', 'third'], members: 1, native: true, installed: true });
        });

        // Rollup alone has no require().
        if (name !== 'rollup') {
          it('works by require()', async () => {
            await bundle(folder, 'required.cjs');
            assert.equal(await resultOf(`${name}/required.html`), 'first');
            assert.doesNotMatch(bundled('required.js'), /node:/);
          });
        }

        it('keeps lockkeeper/auto, which is imported for its effect', async () => {
          assert.equal(await resultOf(`${name}/auto.html`), 'Lock first');
        });

        it('is dropped if nothing of it is used', () => {
          const code = bundled('unused.js');
          assert.match(code, /nothing else/);
          assert.ok(code.length < 200, `${code.length} characters`);
        });

        it('installs nothing if only LockManager is imported', () => {
          const global = vm.createContext({ navigator: {} });
          vm.runInContext(bundled('only-manager.js'), global);
          assert.equal(global.used, 'LockManager');
          assert.deepEqual(Reflect.ownKeys(global.navigator), []);
        });

        it('brings nothing of Node into a page', () => {
          for (const file of ['index.js', 'auto.js']) assert.doesNotMatch(bundled(file), /node:|require\(/);
        });
      });
    }

    it('works in a React page built by Vite', async function () {
      this.timeout(180000);
      await buildPage(workshop.project('vite', ['react', 'react-dom']));
      assert.equal(await resultOf('vite/dist/index.html'), 'holding turn');
    });

    describe('without a bundler', () => {
      before(() => workshop.project('script'));

      it('works by a script tag', async () => assert.deepEqual(await resultOf('script/script.html'), ['first', false]));

      it('works as modules with an import map', async () => {
        assert.deepEqual(await resultOf('script/import-map.html'), ['first', 'second']);
      });
    });

    describe('in workers', () => {
      before(() => workshop.project('workers'));

      for (const kind of ['classic', 'module', 'service']) {
        it(`excludes the page from a ${kind} worker's lock, and the worker from the page's`, async () => {
          const tab = await the.newTab('/projects/workers/page.html');
          assert.deepEqual(await tab.evaluate((/** @type {string} */ each) => self.kinds[each](), kind), ['kept out', 'held']);
        });
      }
    });

    describe('under a policy', () => {
      before(() => workshop.project('policies'));

      const WORKS = { request: 'first', query: 0, isolated: false, warnings: [] };
      /** @param {string} page @param {Record<string, string>} headers */
      const report = (page, headers) => resultOf(`policies/${page}.html?headers=${encodeURIComponent(JSON.stringify(headers))}`);

      it('default-src \'self\': the nowasm build works', async () => {
        assert.deepEqual(await report('nowasm', { 'Content-Security-Policy': 'default-src \'self\'' }), WORKS);
      });

      it('default-src \'self\': the build with Wasm rejects, and says which one to use', async () => {
        const { request, query, warnings } = await report('wasm', { 'Content-Security-Policy': 'default-src \'self\'' });
        assert.equal(request, 'Error: Lockkeeper: Wasm is refused; use the nowasm build');
        assert.equal(query, request);
        assert.deepEqual(warnings, []);
      });

      it('default-src \'self\' with \'wasm-unsafe-eval\': the build with Wasm works', async () => {
        const policy = 'default-src \'self\'; script-src \'self\' \'wasm-unsafe-eval\'';
        assert.deepEqual(await report('wasm', { 'Content-Security-Policy': policy }), WORKS);
      });

      for (const page of ['wasm', 'nowasm']) {
        it(`Trusted Types: the ${page} build works`, async () => {
          const policy = 'require-trusted-types-for \'script\'; trusted-types \'none\'';
          assert.deepEqual(await report(page, { 'Content-Security-Policy': policy }), WORKS);
        });

        it(`cross-origin isolation: the ${page} build works`, async () => {
          const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
          assert.deepEqual(await report(page, headers), { ...WORKS, isolated: true });
        });
      }

      it('a sandboxed frame without an origin gets a SecurityError', async () => {
        const tab = await the.newTab('/projects/policies/outer.html');
        const { request, query, warnings } = await tab.evaluate(() => self.frame('allow-scripts'));
        assert.match(request, /^SecurityError: /);
        assert.equal(query, request);
        assert.deepEqual(warnings, []);
      });

      it('a sandboxed frame that keeps its origin works', async () => {
        const tab = await the.newTab('/projects/policies/outer.html');
        assert.deepEqual(await tab.evaluate(() => self.frame('allow-scripts allow-same-origin')), WORKS);
      });
    });
  });

  describe('in Node', function () {
    this.timeout(180000);
    const RESULT = ['first', ['a', 'b'], 'exclusive', 'second', 'function'];
    /** @type {string} */
    let folder;
    before(() => { folder = workshop.project('node'); });

    for (const file of ['main.mjs', 'main.cjs']) {
      it(`works in ${file}, which then ends`, async () => {
        const { stdout, stderr } = await run(process.execPath, [file], folder);
        assert.deepEqual(JSON.parse(stdout), RESULT);
        assert.equal(stderr, '');
      });
    }

    it('takes two commands from a clean folder to the first lock', async () => {
      const { stdout } = await run(process.execPath, ['test/consumers/clean-folder.mjs'], ROOT);
      assert.match(stdout, /^\$ npm install lockkeeper .*\n\$ node first\.mjs .*\nholding database\n$/);
    });

    /** @param {string[]} entries */
    const render = async (entries) => {
      const project = path.join(workshop.folder, 'ssr');
      if (!fs.existsSync(project)) workshop.project('ssr', ['react', 'react-dom']);
      const { stdout, stderr } = await run(process.execPath, ['server.mjs', ...entries], project);
      assert.equal(stderr, '');
      return JSON.parse(stdout);
    };

    it('does nothing when a server imports it to render a page', async () => {
      assert.deepEqual(await render(['lockkeeper', 'lockkeeper/drafts', 'lockkeeper/core', 'lockkeeper/nowasm']),
        { html: '<p>waiting</p>', globals: [], resources: [] });
    });

    it('does nothing when a server imports an entry for browsers', async () => {
      const files = ['lockkeeper.mjs', 'lockkeeper.nowasm.mjs', 'drafts.mjs', 'core.mjs'];
      assert.deepEqual(await render(files.map((file) => `./node_modules/lockkeeper/dist/${file}`)),
        { html: '<p>waiting</p>', globals: [], resources: [] });
    });
  });

  describe('in jsdom', function () {
    this.timeout(180000);

    it('works as Node resolves it, with jsdom\'s globals in place of Node\'s', async () => {
      const { stdout } = await run(process.execPath, ['jsdom.mjs'], workshop.project('jsdom', ['jsdom']));
      assert.deepEqual(JSON.parse(stdout), { first: 'first', installed: true });
    });

    it('comes as CommonJS if a test runner for pages asks for that: such a runner does not load modules', async () => {
      const folder = workshop.project('node', [], 'runner');
      /** @param {string} entry @param {string[]} conditions besides "require" */
      const resolved = async (entry, conditions) => {
        const { metafile } = await build({
          stdin: { contents: `require('lockkeeper${entry}')`, resolveDir: folder }, absWorkingDir: folder, bundle: true, write: false,
          metafile: true, platform: 'neutral', conditions, external: ['node:*'],
        });
        return path.basename(metafile.inputs['<stdin>'].imports[0].path);
      };
      for (const [entry, file] of Object.entries({ '': 'lockkeeper', '/auto': 'auto', '/drafts/nowasm': 'drafts.nowasm' })) {
        assert.equal(await resolved(entry, ['browser']), `${file}.cjs`);
        assert.equal(await resolved(entry, ['browser', 'module']), `${file}.mjs`);
      }
    });

    it('loads as a script, and each request rejects, since jsdom has no storage', async () => {
      const script = fs.readFileSync(path.join(workshop.folder, 'installed/node_modules/lockkeeper/dist/lockkeeper.js'), 'utf8');
      for (const url of ['https://example.test/', 'http://example.test/']) {
        const { window } = new JSDOM('<!doctype html>', { url, runScripts: 'outside-only' });
        window.eval(script);
        const request = window.navigator.locks.request('first', () => {});
        await assert.rejects(request, /needs IndexedDB/);
        window.close();
      }
    });
  });

  describe('in TypeScript', function () {
    this.timeout(180000);
    /** @type {string} */
    let folder;
    before(() => { folder = workshop.project('typescript'); });

    /** @type {[string, string[], string[], ts.CompilerOptions][]} */
    const settings = [
      ['node16', ['usage.mts', 'usage.cts'], ['es2022'],
        { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 }],
      ['bundler', ['usage.ts'], ['es2022', 'dom'],
        { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
    ];
    for (const [name, files, lib, options] of settings) {
      it(`fits strict use with moduleResolution ${name} and the libraries ${lib.join(' and ')}`, () => {
        const program = ts.createProgram(files.map((file) => path.join(folder, file)), {
          ...options, strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, lib: lib.map((each) => `lib.${each}.d.ts`), types: [],
        });
        assert.deepEqual(ts.getPreEmitDiagnostics(program).map(({ file, messageText }) =>
          `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`), []);
      });
    }
  });
});
