/** What a program does to its own surroundings, or lacks there, must not leave requests waiting, and must not end it. */
import assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { at, run, runProgram } from './support.js';
import { nodes } from './tools.js';

describe('node: the surroundings of a program', function () {
  this.timeout(60000);
  /** @type {string} */
  let directory;
  beforeEach(() => { directory = mkdtempSync(join(tmpdir(), 'lk-')); });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  for (const { title, path } of nodes) {
    it(`a lock was asked for under mock timers: the next request learns of a death (${title})`, async () => {
      const { out, code } = await run(path, 'mock-timers.cjs');
      assert.deepEqual([out.trim(), code], ['granted', 0]);
    });

    it(`process.nextTick() is replaced, as by sinon's fake timers: a first request is granted (${title})`, async () => {
      assert.equal((await run(path, 'fake-ticks.mjs', [directory])).out, 'granted,granted\n');
    });

    it(`loading the package leaves the standard input as it is: a program reads what comes later (${title})`, async () => {
      const reads = `"${path}" --no-warnings "${at('test/node/programs/reads-input.mjs')}"`;
      assert.equal((await runProgram('sh', ['-c', `(sleep 0.5; echo input) | ${reads}`])).out, 'loaded\nread input\n\n');
    });

    it(`the first request is made where the stack ends: later ones are granted (${title})`, async () => {
      assert.equal((await run(path, 'end-of-stack.mjs', ['first'])).out, '[]\n');
    });

    it(`a startup snapshot, made after randomUUID() was called: processes have ids of their own (${title})`, async () => {
      const blob = join(directory, 'snapshot.blob');
      const options = JSON.stringify({ name: 'snapshot', scope: 'host', directory });
      const { outputFiles: [{ text }] } = await build({
        stdin: { contents: `
          require('node:crypto').randomUUID();
          const locks = require('./dist/lockkeeper.cjs').createLockManager(${options});
          require('node:v8').startupSnapshot.setDeserializeMainFunction(() => locks.request('x', (lock) => {
            console.log('held');
            return new Promise((resolve) => setTimeout(resolve, 300));
          }));`, resolveDir: at('.') },
        bundle: true, platform: 'node', format: 'cjs', write: false,
      });
      writeFileSync(join(directory, 'program.cjs'), text);
      const built = await runProgram(path, ['--snapshot-blob', blob, '--build-snapshot', join(directory, 'program.cjs')]);
      assert.equal(built.code, 0, built.error);
      const ended = await Promise.all([1, 2].map(() => runProgram(path, ['--snapshot-blob', blob])));
      assert.deepEqual(ended.map(({ out }) => out), ['held\n', 'held\n'], ended.map(({ error }) => error).join());
    });

    it(`no memory to look at the state: the program goes on (${title})`, async () => {
      for (const what of ['process', 'host', 'second']) {
        const { out, code } = await run(path, 'out-of-memory.mjs', [what, directory]);
        assert.equal(code, 0, what);
        assert.match(out.trim(), /^(granted|unavailable|AbortError|Error|OperationError)$/, what);
      }
    });
  }

  it('Date.now() gives nothing later, as a mock of a test does: a request is granted, also with debug', async () => {
    const program = `import { createLockManager } from ${JSON.stringify(at('dist/node.mjs'))};
      Date.now = () => undefined;
      await createLockManager({ name: 'a', debug: () => {} }).request('x', () => console.log('granted'));`;
    const { out } = await runProgram(process.execPath, ['--input-type=module', '-e', program]);
    assert.equal(out.trim(), 'granted');
  });

  for (const clock of ['() => 1.5e12 + 0.12345', '() => -1000.5', '() => 1e300', '() => NaN']) {
    it(`the clock may say anything: ${clock}`, async () => {
      const options = JSON.stringify({ name: 'clock', scope: 'host', directory });
      const program = `Date.now = ${clock};
        const { createLockManager } = await import(${JSON.stringify(at('dist/node.mjs'))});
        await createLockManager(${options}).request('x', () => console.log('granted'));`;
      const { out } = await runProgram(process.execPath, ['--input-type=module', '-e', program]);
      assert.equal(out.trim(), 'granted');
    });
  }
});
