import assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isUnused } from '../../glue/platform/node/leftovers.js';
import { at, runProgram } from './support.js';
import { openFiles } from './system.js';
import { nodeOf } from './tools.js';

describe('node: the directory of a process', () => {
  it('stays the same, though another parent, which comes first, becomes writable later', async function () {
    if (process.platform === 'win32') this.skip();
    const program = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      import { dirname } from 'node:path';
      import { openDirectory } from ${JSON.stringify(at('glue/platform/node/directory.js'))};
      const { mkdirSync } = fs;
      fs.mkdirSync = (path, ...given) => {
        if (path.startsWith('/tmp/')) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
        return mkdirSync(path, ...given);
      };
      syncBuiltinESMExports();
      const before = openDirectory('x', {});
      fs.mkdirSync = mkdirSync;
      syncBuiltinESMExports();
      const after = openDirectory('x', {});
      for (const each of [before, after]) fs.rmSync(dirname(each), { recursive: true, force: true });
      console.log(before.startsWith('/tmp/'), before === after);`;
    const { out, error } = await runProgram(process.execPath, ['--input-type=module', '-e', program]);
    assert.strictEqual(out.trim(), 'false true', error);
  });

  it('is one that the permission model allows; if it allows none, the error says what to do', async function () {
    const node = nodeOf(20);
    if (process.platform === 'win32' || !node) return this.skip();
    const program = `
      import { locks } from ${JSON.stringify(pathToFileURL(at('dist/node.mjs')).href)};
      locks.request('x', () => 'granted').then(console.log, ({ message }) => console.log(message));`;
    const ask = async (/** @type {string[]} */ ...allowed) => {
      const flags = ['--no-warnings', '--experimental-permission', '--allow-fs-read=*', ...allowed];
      return (await runProgram(node, [...flags, '--input-type=module', '-e', program])).out.trim();
    };
    assert.strictEqual(await ask('--allow-fs-write=/var/tmp/'), 'granted');
    assert.match(await ask(), /Give this process --allow-fs-read and --allow-fs-write for \/tmp or \/dev\/shm or \/var\/tmp\.$/);
  });

  it('holds sockets, which the permission model of Node 26 counts as network: the error says what to do', async function () {
    const node = nodeOf(26);
    if (!node) return this.skip();
    const program = `
      import { locks } from ${JSON.stringify(pathToFileURL(at('dist/node.mjs')).href)};
      locks.request('x', () => 'granted').then(console.log, ({ message }) => console.log(message));`;
    const ask = async (/** @type {string[]} */ ...allowed) => {
      const flags = ['--no-warnings', '--permission', '--allow-fs-read=*', '--allow-fs-write=*', ...allowed];
      return (await runProgram(node, [...flags, '--input-type=module', '-e', program])).out.trim();
    };
    assert.match(await ask(), /--allow-net/);
    assert.strictEqual(await ask('--allow-net'), 'granted');
  });

  it('is checked without leaving files open', function () {
    if (process.platform !== 'linux') this.skip();
    const directory = mkdtempSync(join(tmpdir(), 'lk-'));
    try {
      isUnused(directory);
      assert.deepStrictEqual(openFiles(directory), []);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
