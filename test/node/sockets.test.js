import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSockets } from '../../glue/platform/node/sockets.js';
import { untilSettled } from './system.js';
import { sleep, until } from './threads.js';

describe('node: who lives, by sockets', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;
  let path = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    path = join(directory, 'socket');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** A socket on which nobody listens any more, so that connections are refused. */
  const leaveSocket = async () => {
    const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('ready'))`;
    const child = spawn(process.execPath, ['-e', program]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  };

  const secondSign = (/** @type {() => boolean} */ isHeld) => ({
    pathOf: (/** @type {string} */ each) => `${each}!`, isHeld, hold: async () => ({ close() {} }),
  });

  it('a refused connection is a death on Linux', async () => {
    await leaveSocket();
    const { isAlive, watchAlive } = createSockets(undefined);
    assert.strictEqual(await isAlive(path), false);
    await new Promise((resolve) => void watchAlive(path, () => resolve(undefined)));
  });

  it('and none where a second sign is needed, however often, until there is one', async () => {
    await leaveSocket();
    let held = true;
    let looks = 0;
    const { isAlive, watchAlive } = createSockets(secondSign(() => {
      looks++;
      return held;
    }));
    let died = false;
    watchAlive(path, () => {
      died = true;
    });
    assert.strictEqual(await isAlive(path), true);
    await until(() => looks > 12);
    assert.strictEqual(died, false);
    held = false;
    await until(() => died);
    assert.strictEqual(await isAlive(path), false);
  });

  it('the file of a second sign is buried too, and a socket that is gone needs none', async () => {
    const { isAlive, bury } = createSockets(secondSign(() => true));
    assert.strictEqual(await isAlive(path), false);
    bury(path);
  });

  it('an answer that does not come, as of a busy pipe in Windows, is not awaited: whoever is dead is known at once', async () => {
    const { isAlive } = createSockets(undefined, () => new Socket());
    assert.strictEqual(await isAlive(path), true);
  });

  it('tells where nobody may look any more', async () => {
    const refuse = () => {
      const socket = new Socket();
      setImmediate(() => socket.destroy(Object.assign(new Error('not permitted'), { code: 'EACCES' })));
      return socket;
    };
    const { watchAlive, isAlive } = createSockets(undefined, refuse);
    const error = await new Promise((resolve) => void watchAlive(path, () => assert.fail('no death'), resolve));
    assert.strictEqual(error.message, 'not permitted');
    assert.strictEqual(await isAlive(path), true);
  });

  it('a context that has closed its sign of life shows none', async () => {
    const { holdAlive, isAlive } = createSockets(undefined);
    const held = await holdAlive(path);
    assert.strictEqual(await isAlive(path), true);
    held.close();
    await sleep(0);
    assert.strictEqual(await isAlive(path), false);
  });

  it('whoever watches a context that closes its sign of life is told, although its thread goes on', async () => {
    const { holdAlive, watchAlive } = createSockets(undefined);
    let connected = false;
    const held = await holdAlive(path, () => (connected = true));
    let died = false;
    watchAlive(path, () => (died = true));
    await until(() => connected);
    held.close();
    await until(() => died, 1000);
  });

  it('a context whose file is taken while it begins notices, and leaves no socket open', async function () {
    if (process.platform === 'win32') this.skip();
    const { holdAlive } = createSockets(undefined);
    const taking = (/** @type {any} */ stat) => () => {
      renameSync(path, `${path} taken`);
      return stat(path);
    };
    await untilSettled('lstatSync', taking, () => assert.rejects(holdAlive(path), { code: 'ENOENT' }));
    const error = await new Promise((resolve) => connect(`${path} taken`).on('error', resolve).on('connect', () => resolve(undefined)));
    assert.strictEqual(error?.code, 'ECONNREFUSED');
  });
});
