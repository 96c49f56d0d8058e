import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, runProgram } from './support.js';
import { until } from './threads.js';
import { need, nodes, toolAt } from './tools.js';

/** What each runner's test says; [define] is how it names a test. @param {string} define @param {string} load */
const testText = (define, load) => `
${load}
for (let file = 0; file < 2; file++) {
  ${define}('takes a lock ' + file, async () => {
    const order = [];
    const first = locks.request('runner', async () => {
      order.push('in');
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('out');
    });
    const second = locks.request('runner', () => order.push('next'));
    await Promise.all([first, second]);
    if (order.join(' ') !== 'in out next') throw new Error(order.join(' '));
    // A runner's threads are of one process, so they see the locks of other files.
    const own = 'runner ' + Math.random();
    await locks.request(own, () => {});
    if ((await locks.query()).held.some((lock) => lock.name === own)) throw new Error('held');
    install({ force: true });
    if (globalThis.navigator && navigator.locks !== locks) throw new Error('not installed');
  });
}`;

const esm = "import { install, locks } from 'lockkeeper';";
const cjs = "const { install, locks } = require('lockkeeper');";

describe('node: test runners, Bun and Deno', function () {
  this.timeout(90000);
  /** @type {string} */
  let directory;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    const target = join(directory, 'node_modules', 'lockkeeper');
    mkdirSync(target, { recursive: true });
    cpSync(at('package.json'), join(target, 'package.json'));
    cpSync(at('dist'), join(target, 'dist'), { recursive: true });
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** @param {string} program @param {string[]} parameters @returns {Promise<{code: number | null, out: string}>} */
  const runIn = async (program, parameters) => {
    const env = { CI: '1', DENO_NO_UPDATE_CHECK: '1' };
    const { code, out, error } = await runProgram(program, parameters, { cwd: directory, env, timeout: 80000 });
    return { code, out: out + error };
  };

  /** @param {string} name @param {string} text */
  const put = (name, text) => {
    writeFileSync(join(directory, name), text);
    return name;
  };

  for (const { title, path } of nodes) {
    it(`node --test (${title})`, async () => {
      const files = [put('one.test.mjs', testText('test', `import { test } from 'node:test';\n${esm}`)),
        put('two.test.cjs', testText('test', `const { test } = require('node:test');\n${cjs}`))];
      const { code, out } = await runIn(path, ['--test', ...files]);
      assert.strictEqual(code, 0, out);
      assert.match(out, /pass [24]/);
    });
  }

  it('Mocha', async () => {
    const files = [put('mocha.mjs', testText('it', esm)), put('mocha.cjs', testText('it', cjs))];
    const { code, out } = await runIn(process.execPath, [at('node_modules/mocha/bin/mocha.js'), '--parallel', ...files]);
    assert.strictEqual(code, 0, out);
    assert.match(out, /4 passing/);
  });

  it('Jest', async function () {
    const program = need(this, 'jest');
    put('package.json', '{"private": true}');
    put('one.jest.js', testText('test', cjs));
    put('two.jest.js', testText('test', cjs));
    const parameters = ['--testRegex', 'jest\\.js$', '--maxWorkers', '2', '--rootDir', directory];
    for (const more of [[], ['--workerThreads']]) {
      const { code, out } = await runIn(process.execPath, [program, ...parameters, ...more]);
      assert.strictEqual(code, 0, out);
      assert.match(out, /4 passed/);
      assert.doesNotMatch(out, /did not exit|open handles/);
    }
  });

  it('Vitest', async function () {
    const program = need(this, 'vitest');
    for (const name of ['vitest', 'vite']) {
      const link = join(directory, 'node_modules', name);
      if (!existsSync(link)) symlinkSync(toolAt(name), link);
    }
    put('one.vitest.js', testText('test', `import { test } from 'vitest';\n${esm}`));
    put('two.vitest.js', testText('test', `import { test } from 'vitest';\n${esm}`));
    put('vitest.config.mjs', "export default { test: { include: ['*.vitest.js'] } };");
    for (const pool of ['threads', 'forks']) {
      const { code, out } = await runIn(process.execPath, [program, 'run', '--pool', pool, '--root', directory]);
      assert.strictEqual(code, 0, out);
      assert.match(out, /4 passed/);
    }
  });

  const program = `
${esm}
import { Worker } from 'node:worker_threads';
const order = [];
const first = locks.request('x', async () => { await new Promise((resolve) => setTimeout(resolve, 50)); order.push(1); });
const second = locks.request('x', () => { order.push(2); });
await Promise.all([first, second]);
const worker = new Worker(new URL('./THREAD', import.meta.url));
await new Promise((resolve) => worker.once('message', resolve));
const refused = await locks.request('y', { ifAvailable: true }, (lock) => lock);
const waiting = locks.request('y', () => 'granted');
await new Promise((resolve) => setTimeout(resolve, 100));
await worker.terminate();
console.log(JSON.stringify([order, refused, await waiting]));
process.exit();
`;
  /** A program: ACTION is done while it holds. */
  const HOST = `
import { createLockManager } from 'lockkeeper';
const locks = createLockManager({ name: 'host', scope: 'host', directory: '.' });
await locks.request('x', { ifAvailable: true }, (lock) => lock || console.log('refused'));
await locks.request('x', () => { ACTION });
`;
  const thread = `
${esm}
import { parentPort } from 'node:worker_threads';
locks.request('y', () => { parentPort.postMessage('held'); return new Promise(() => {}); });
setInterval(() => {}, 1000);
`;
  for (const [title, tool, parameters] of /** @type {[string, 'bun' | 'deno', string[]][]} */ ([
    ['Bun', 'bun', []],
    ['Deno', 'deno', ['run', '--allow-all', '--node-modules-dir=manual']],
  ])) {
    it(`${title}: threads, one of which is terminated`, async function () {
      const binary = need(this, tool);
      put('thread.mjs', thread);
      put('threads.mjs', program.replace('THREAD', 'thread.mjs'));
      const { code, out } = await runIn(binary, [...parameters, 'threads.mjs']);
      assert.strictEqual(out.trim().split('\n').pop(), '[[1,2],null,"granted"]', `${code} ${out}`);
    });

    it(`${title}: a process of a host that is killed, and Node is the next`, async function () {
      const binary = need(this, tool);
      put('held.mjs', HOST.replace('ACTION', "console.log('held'); return new Promise((resolve) => setTimeout(resolve, 60000));"));
      put('next.mjs', HOST.replace('ACTION', "console.log('next');"));
      const start = (/** @type {string} */ program, /** @type {string[]} */ ...rest) => {
        const child = spawn(program, rest, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
        const started = { child, text: '' };
        child.stdout.on('data', (data) => (started.text += data));
        return started;
      };
      const holder = start(binary, ...parameters, 'held.mjs');
      await until(() => holder.text);
      const next = start(process.execPath, 'next.mjs');
      await until(() => next.text);
      assert.strictEqual(next.text, 'refused\n');
      holder.child.kill('SIGKILL');
      await until(() => next.child.exitCode !== null);
      assert.strictEqual(next.text, 'refused\nnext\n');
    });
  }
});
