/** What a program does to its own surroundings, or lacks there, must not leave requests waiting, and must not end it. */
import assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

    it(`no memory to look at the state: the program goes on (${title})`, async () => {
      for (const what of ['process', 'host', 'second']) {
        const { out, code } = await run(path, 'out-of-memory.mjs', [what, directory]);
        assert.equal(code, 0, what);
        assert.match(out.trim(), /^(granted|unavailable|AbortError|Error|OperationError)$/, what);
      }
    });
  }

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
