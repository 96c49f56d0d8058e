import assert from 'node:assert';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { locks as source } from '../../glue/entries/index.js';
import { at, run } from './support.js';
import { endThreads, startThread, until } from './threads.js';
import { nodes } from './tools.js';

describe('node: several copies of the package in one process', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;

  /** Puts the package as it is published into a node_modules. @param {string} place */
  const install = (place) => {
    const target = join(directory, place, 'node_modules', 'lockkeeper');
    mkdirSync(target, { recursive: true });
    cpSync(at('package.json'), join(target, 'package.json'));
    cpSync(at('dist'), join(target, 'dist'), { recursive: true });
    writeFileSync(join(directory, place, 'esm.mjs'), "export * from 'lockkeeper';");
    writeFileSync(join(directory, place, 'cjs.cjs'), "module.exports = require('lockkeeper');");
  };

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    install('.');
    install('dependency');
  });
  after(() => rmSync(directory, { recursive: true }));
  afterEach(endThreads);

  const copies = ['esm.mjs', 'cjs.cjs', 'dependency/esm.mjs', 'dependency/cjs.cjs'];

  it('exclude each other in one thread, imported or required', async () => {
    const require = createRequire(import.meta.url);
    const load = async (/** @type {string} */ copy) =>
      copy.endsWith('.cjs') ? require(join(directory, copy)) : import(pathToFileURL(join(directory, copy)).href);
    const all = [source, ...await Promise.all(copies.map(async (copy) => (await load(copy)).locks))];
    assert.strictEqual(new Set(all).size, 5);
    let inside = 0;
    const entries = all.flatMap((locks) => Array.from({ length: 20 }, () => locks.request('copies', async () => {
      assert.strictEqual(++inside, 1);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      return 'entered';
    })));
    assert.deepStrictEqual(await Promise.all(entries), Array(100).fill('entered'));
  });

  it('and over threads that each have another', async () => {
    const counts = new Int32Array(new SharedArrayBuffer(16));
    const threads = copies.map((copy) => startThread(async ({ locks, data }) => {
      for (let count = 0; count < 100; count++) {
        await locks.request('copies', async () => {
          if (Atomics.add(data, 0, 1) !== 0) Atomics.add(data, 1, 1);
          await new Promise((resolve) => setImmediate(resolve));
          Atomics.sub(data, 0, 1);
          Atomics.add(data, 2, 1);
        });
      }
    }, counts, pathToFileURL(join(directory, copy)).href));
    await Promise.all(threads.map((thread) => thread.ended));
    await until(() => counts[2] === 400);
    assert.strictEqual(counts[1], 0);
  });

  for (const { title, path } of nodes) {
    it(`install({force: true}) puts it in the place of navigator.locks, or of nothing (${title})`, async () => {
      for (const kind of ['import', 'require']) {
        const { out, error } = await run(path, 'install.mjs', [kind, join(directory, 'cjs.cjs'), join(directory, 'esm.mjs')]);
        const right = { returned: true, navigator: true, replaced: true, granted: 'granted', lock: 'x exclusive' };
        assert.deepStrictEqual(JSON.parse(out || 'null'), right, error);
      }
    });
  }
});
