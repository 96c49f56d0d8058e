/** What a program does to its own surroundings, or has too little of, must not leave requests waiting, and must not end it. */
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from './support.js';
import { nodes } from './tools.js';

describe('node: the surroundings of a program', function () {
  this.timeout(60000);
  /** @type {string} */
  let directory;
  beforeEach(() => { directory = mkdtempSync(join(tmpdir(), 'lk-')); });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  for (const { title, path } of nodes) {
    const run = (/** @type {string} */ program, /** @type {string[]} */ ...given) => {
      const { stdout, status } = spawnSync(path, [at(`test/node/programs/${program}`), ...given], { timeout: 20000 });
      return `${stdout}`.trim() + (status ? ` and status ${status}` : '');
    };

    it(`a lock was asked for under mock timers: the next request learns of a death (${title})`, () => {
      assert.equal(run('mock-timers.cjs'), 'granted');
    });

    it(`no memory to look at the state: the program goes on (${title})`, () => {
      for (const what of ['process', 'host', 'second']) {
        assert.match(run('out-of-memory.mjs', what, directory), /^(granted|unavailable|AbortError|Error|OperationError)$/, what);
      }
    });
  }

  it('a clock with fractions of milliseconds, or before 1970', () => {
    for (const clock of ['() => 1.5e12 + 0.12345', '() => -1000.5']) {
      const options = JSON.stringify({ name: 'clock', scope: 'host', directory });
      const program = `Date.now = ${clock};
        const { createLockManager } = await import(${JSON.stringify(at('dist/node.mjs'))});
        await createLockManager(${options}).request('x', () => console.log('granted'));`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 20000 });
      assert.equal(`${stdout}`.trim(), 'granted', clock);
      rmSync(directory, { recursive: true, force: true });
      directory = mkdtempSync(join(tmpdir(), 'lk-'));
    }
  });
});
