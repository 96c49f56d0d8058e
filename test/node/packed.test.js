/** The packed tarball, installed in an empty project: every entry, by import and by require, in every Node. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Workshop } from '../consumers/project.js';
import { createQueue, runProgram } from './support.js';
import { nodes } from './tools.js';

/** What to do with an entry's exports, as the body of an async function, and what that gives. @type {Record<string, [string, unknown]>} */
const USES = {
  '.': ['return exported.locks.request("a", ({ name }) => name);', 'a'],
  './auto': ['return navigator.locks.request("a", ({ name }) => name);', 'a'],
  './drafts': [`
    const handle = await exported.requestExplicitLock(['b', 'a']);
    handle.release();
    await handle.released;
    return handle.scope;`, ['a', 'b']],
  './patterns': [`
    const lock = await exported.tryAcquire('a');
    const isLocked = await exported.isLocked('a');
    lock.release();
    await lock.released;
    return [isLocked, await exported.withTimeout('a', 1000, ({ name }) => name)];`, [true, 'a']],
  './core': [`
    const core = exported.createCore();
    core.apply({ type: 'join', client: 'a', number: 1 });
    return core.apply({ type: 'request', client: 'a', number: 2, names: ['a'], mode: 'exclusive' }).map(({ type }) => type);`, ['granted']],
};

/** @param {string} entry */
const useOf = (entry) => USES[entry.replace(/\/nowasm$/, '')] || USES['.'];

/** @type {Record<string, (name: string) => string>} */
const LOADS = { import: (name) => `await import('${name}')`, require: (name) => `require('${name}')` };

describe('node: the packed package', function () {
  this.timeout(180000);
  const queue = createQueue(2);
  /** @type {Workshop} */
  let workshop;
  /** @type {string} */
  let folder;

  before(async () => {
    workshop = await new Workshop().install();
    folder = workshop.project('node');
  });
  after(() => workshop.remove());

  let programs = 0;

  /**
   * Loads an entry in a program of its own, and prints what [use] gives. -e is no use: Node has globals there that a file does not have.
   * @param {string} node
   * @param {string} load
   * @param {string} use
   */
  const attempt = (node, load, use) => {
    const file = `program-${++programs}.cjs`;
    fs.writeFileSync(path.join(folder, file), `(async () => {
      const exported = ${load};
      console.log(JSON.stringify(await (async () => { ${use} })()));
    })();`);
    return queue(() => runProgram(node, [file], { cwd: folder }));
  };

  /** @param {string} pattern of the manifest's entries */
  const entriesLike = (pattern) =>
    Object.keys(JSON.parse(fs.readFileSync(path.join(folder, 'node_modules/lockkeeper/package.json'), 'utf8')).exports)
      .filter((entry) => new RegExp(pattern).test(entry));

  for (const { title, path: node } of nodes) {
    for (const [kind, load] of Object.entries(LOADS)) {
      it(`every entry for Node works by ${kind} (${title})`, async () => {
        const entries = entriesLike('^(?!.*(script|core\\.wasm|package\\.json))');
        assert.equal(entries.length, 10);
        await Promise.all(entries.map(async (entry) => {
          const [use, expected] = useOf(entry);
          const { out, error } = await attempt(node, load(`lockkeeper${entry.slice(1)}`), use);
          assert.deepEqual([error, JSON.parse(out || 'null')], ['', expected], entry);
        }));
      });

      it(`an entry for pages says so by ${kind}, instead of doing nothing (${title})`, async () => {
        const entries = entriesLike('^./script');
        assert.equal(entries.length, 3);
        await Promise.all(entries.map(async (entry) => {
          const { code, error } = await attempt(node, load(`lockkeeper${entry.slice(1)}`), '');
          assert.equal(code, 1, entry);
          // Node 18 itself refuses: to it, a file of this package that ends in .js is a module.
          if (kind === 'require' && title === 'node 18') assert.match(error, /ERR_REQUIRE_ESM/);
          else assert.match(error, /This script is not for Node: import lockkeeper\/auto|In Node, Lockkeeper needs no IndexedDB/, entry);
        }));
      });
    }

    it(`a manager over a claims service asks that service (${title})`, async () => {
      const use = `return exported.createLockManager({ url: 'http://127.0.0.1:1', patience: 0 }).request('a', () => {})
        .catch(({ name, message }) => name + ': ' + message);`;
      const { out, error } = await attempt(node, LOADS.import('lockkeeper'), use);
      assert.match(out, /NetworkError: The claims service at http:\/\/127\.0\.0\.1:1 cannot be asked: fetch\(\) refuses its port/, error);
    });

    it(`an uncaught error is shown in a few lines (${title})`, async () => {
      const uses = { lockkeeper: 'exported.locks.request("a")', 'lockkeeper/drafts': 'exported.acquire("a")',
        'lockkeeper/patterns': 'exported.semaphore("a")', 'lockkeeper/core': 'exported.createCore().apply({ type: "join", client: 1 })' };
      for (const [name, use] of Object.entries(uses)) {
        for (const load of Object.values(LOADS)) {
          const { code, error } = await attempt(node, load(name), `return ${use};`);
          assert.equal(code, 1, name);
          assert.ok(error.length < 2000, `${name}: ${error.length} characters`);
        }
      }
    });
  }
});
