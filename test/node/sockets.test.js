import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSockets } from '../../glue/platform/node/sockets.js';
import { untilSettled } from './system.js';
import { sleep, until } from './threads.js';

describe('node: signs of life by sockets', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;
  let path = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
    path = join(directory, 'socket');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** A socket without a listener, so that connections are refused. */
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

  it('and it is none the less if this thread computes for longer than an answer may take', async () => {
    await leaveSocket();
    const { isAlive } = createSockets(undefined);
    const answer = new Promise((resolve) => {
      setImmediate(() => {
        resolve(isAlive(path));
        for (const end = Date.now() + 400; Date.now() < end;);
      });
    });
    assert.strictEqual(await answer, false);
  });

  it('and no death if a second sign is needed, however often it is tried, until there is one', async () => {
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

  it('an answer that does not come, as of a busy pipe in Windows, is not awaited: a death is known at once', async () => {
    const { isAlive } = createSockets(undefined, () => new Socket());
    assert.strictEqual(await isAlive(path), true);
  });

  it('says so if connections are no longer permitted', async () => {
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

  it('a context that closes its sign of life: its watcher is told, although the thread goes on', async () => {
    const { holdAlive, watchAlive } = createSockets(undefined);
    let connected = false;
    const held = await holdAlive(path, () => (connected = true));
    let died = false;
    watchAlive(path, () => (died = true));
    await until(() => connected);
    held.close();
    await until(() => died, 1000);
  });

  it('a context notices that its file is taken while it begins, and leaves no socket open', async function () {
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

  it('none of it keeps a thread alive, unless that is wanted', async () => {
    const { holdAlive, watchAlive, isAlive } = createSockets(undefined);
    const count = () => process.getActiveResourcesInfo().filter((each) => each.startsWith('Pipe')).length;
    const before = count();
    let connected = false;
    const held = await holdAlive(path, () => (connected = true));
    const stop = watchAlive(path, () => assert.fail('it lives'));
    await until(() => connected);
    assert.strictEqual(count(), before);
    held.ref();
    assert.strictEqual(count(), before + 1);
    held.unref();
    assert.strictEqual(await isAlive(path), true);
    await until(() => count() === before);
    stop();
    held.close();
  });

  it('closing a sign of life, or stopping a watch gently, still sends what was written', async () => {
    const { holdAlive, watchAlive } = createSockets(undefined);
    // More than the system takes at once.
    const text = 'x'.repeat(2e6);
    for (const kind of ['held', 'watching']) {
      let accepted = /** @type {Socket | undefined} */ (undefined);
      let connected = /** @type {any} */ (undefined);
      const held = await holdAlive(path, (socket) => (accepted = socket));
      const stop = watchAlive(path, () => {}, undefined, (socket) => (connected = connected || socket));
      await until(() => accepted);
      const [writer, reader] = kind === 'held' ? [accepted, connected] : [connected, accepted];
      let length = 0;
      reader.on('data', (/** @type {Buffer} */ bytes) => (length += bytes.length));
      writer.write(text);
      if (kind === 'held') held.close();
      else stop(true);
      await until(() => length === text.length, 5000);
      stop();
      held.close();
    }
  });

  it('a connection that breaks does not harm the context that has accepted it', async () => {
    const { holdAlive, isAlive } = createSockets(undefined);
    const held = await holdAlive(path, (socket) => void socket.destroy(new Error('broken pipe')));
    assert.strictEqual(await isAlive(path), true);
    held.close();
  });

  it('if no socket can be made, a context is told why, and keeps no second sign; that ends with the first', async () => {
    const signs = /** @type {string[]} */ ([]);
    const hold = async (/** @type {string} */ each) => {
      signs.push(each);
      return { close: () => void signs.splice(signs.indexOf(each), 1) };
    };
    const { holdAlive } = createSockets({ ...secondSign(() => true), hold });
    await assert.rejects(holdAlive(join(directory, 'missing', 'socket')), /ENOENT|EACCES/);
    assert.deepStrictEqual(signs, []);
    const held = await holdAlive(path);
    assert.deepStrictEqual(signs, [path]);
    held.close();
    assert.deepStrictEqual(signs, []);
  });

  it('a watch that was stopped tries no more', async () => {
    let tried = 0;
    const refuse = () => {
      tried++;
      const socket = new Socket();
      setImmediate(() => socket.destroy(Object.assign(new Error('too many connections'), { code: 'EAGAIN' })));
      return socket;
    };
    const stop = createSockets(undefined, refuse).watchAlive(path, () => assert.fail('no death'));
    // At once, and then later.
    await until(() => tried === 6);
    await sleep(10);
    stop();
    const before = tried;
    await sleep(60);
    assert.strictEqual(tried, before);
  });
});
