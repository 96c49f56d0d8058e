import assert from 'node:assert';
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bury, holdAlive, isAlive, watchAlive } from '../../glue/platform/node/descriptors.js';
import { runProgram } from './support.js';
import { failing, untilSettled } from './system.js';
import { until } from './threads.js';

const source = new URL('../../glue/platform/node/descriptors.js', import.meta.url).href;
const platform = Object.getOwnPropertyDescriptor(process, 'platform') || {};

describe('node: signs of life by descriptors', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => {
    Object.defineProperty(process, 'platform', platform);
    rmSync(directory, { recursive: true });
  });

  it('leaves no file behind from its test of what the system reports', async () => {
    // The first watch of a thread does so.
    const { error } = await runProgram(process.execPath, ['--input-type=module', '-e', `
      import { holdAlive, watchAlive } from '${source}';
      await holdAlive('${join(directory, 'held')}');
      watchAlive('${join(directory, 'held')}', () => {});`]);
    assert.deepStrictEqual([error, readdirSync(directory)], ['', ['held']]);
  });

  const at = (/** @type {string} */ name) => join(directory, name);
  const isOpen = (/** @type {number} */ descriptor) => {
    try {
      return !!fstatSync(descriptor);
    } catch {
      return false;
    }
  };
  const descriptorOf = (/** @type {string} */ path) => parseInt(readFileSync(path, 'latin1'), 10);

  /**
   * @param {string} path
   * @param {import('node:worker_threads').WorkerOptions} [options]
   * @returns {Promise<Worker>} that holds, and is busy
   */
  const startHolder = async (path, options) => {
    const worker = new Worker(`
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.source).then(({ holdAlive }) => holdAlive(workerData.path)).then(() => {
        parentPort.postMessage('held');
        for (;;);
      });`, { eval: true, workerData: { source, path }, ...options });
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    return worker;
  };

  for (const kind of ['linux', 'another system']) {
    it(`tells of a thread that is terminated (${kind})`, async function () {
      if (kind === 'linux' && process.platform !== 'linux') this.skip();
      const [first, second] = await Promise.all([startHolder(at('first')), startHolder(at('second'))]);
      if (kind !== 'linux') Object.defineProperty(process, 'platform', { value: kind });
      /** @type {string[]} */
      const told = [];
      const stop = ['first', 'second'].map((name) => watchAlive(at(name), () => told.push(name)));
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepStrictEqual(told, []);
      await first.terminate();
      await until(() => told.length);
      assert.deepStrictEqual(told, ['first']);
      assert.strictEqual(await isAlive(at('first')), false);
      assert.strictEqual(await isAlive(at('second')), true);
      stop[1]();
      await second.terminate();
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepStrictEqual(told, ['first'], 'the second is no longer watched');
    });

    it(`tells of one that had ended before it was watched (${kind})`, async () => {
      const worker = await startHolder(at('first'));
      await worker.terminate();
      if (kind !== 'linux') Object.defineProperty(process, 'platform', { value: kind });
      await new Promise((resolve) => void watchAlive(at('first'), () => resolve(undefined)));
      // It was buried before.
      rmSync(at('first'));
      await new Promise((resolve) => void watchAlive(at('first'), () => resolve(undefined)));
    });
  }

  it('tells of a thread that does not track its descriptors', async () => {
    const worker = await startHolder(at('first'), { trackUnmanagedFds: false });
    let died = false;
    watchAlive(at('first'), () => {
      died = true;
    });
    assert.strictEqual(await isAlive(at('first')), true);
    await worker.terminate();
    await until(() => died);
    assert.strictEqual(await isAlive(at('first')), false);
  });

  it('tells of a thread whose file could not be read at first, when too many were open', async () => {
    const worker = await startHolder(at('first'));
    let died = false;
    await untilSettled('readFileSync', failing('EMFILE', 'too many open files'), async () => {
      watchAlive(at('first'), () => {
        died = true;
      });
      assert.strictEqual(await isAlive(at('first')), true, 'not known');
    });
    await worker.terminate();
    await until(() => died, 5000);
  });

  it('a thread that closes its sign of life is dead for others, although its file could not be removed', async () => {
    const held = await holdAlive(at('first'));
    const refusing = failing('EIO', 'input/output error');
    await untilSettled('rmSync', refusing, () => untilSettled('unlinkSync', refusing, async () => {
      held.close();
      await new Promise((resolve) => void watchAlive(at('first'), () => resolve(undefined)));
      bury(at('first'));
    }));
    assert.strictEqual(await isAlive(at('first')), false);
    bury(at('first'));
    bury(at('first'));
    assert.throws(() => readFileSync(at('first')), { code: 'ENOENT' });
  });

  it('is not deceived by another file with the same number', async () => {
    const held = await holdAlive(at('first'));
    const descriptor = descriptorOf(at('first'));
    assert.strictEqual(await isAlive(at('first')), true);
    closeSync(descriptor);
    // The next file that is opened has the number; where inodes are reused at once, it has the inode too.
    let other = await holdAlive(at('second'));
    // Another file may have got it first.
    for (let count = 0; descriptorOf(at('second')) !== descriptor; count++) {
      assert.ok(count < 20);
      rmSync(at('second'));
      other = await holdAlive(at('second'));
    }
    assert.strictEqual(await isAlive(at('first')), false);
    assert.strictEqual(await isAlive(at('second')), true);
    other.close();
    await until(() => !isOpen(descriptor));
    const directoryInstead = openSync(directory, 'r');
    assert.strictEqual(directoryInstead, descriptor);
    assert.strictEqual(await isAlive(at('second')), false);
    closeSync(directoryInstead);
    openSync(at('taken'), 'w');
    held.close();
  });

  it('is not deceived by another file with the same number and the same inode', async () => {
    const held = await holdAlive(at('first'));
    writeFileSync(at('second'), readFileSync(at('first'), 'latin1').replace('first', 'other'));
    assert.deepStrictEqual([await isAlive(at('first')), await isAlive(at('second'))], [true, false]);
    held.close();
  });

  it('tells of a thread that had ended before it was watched, and whose number another file has', async function () {
    if (process.platform !== 'linux') this.skip();
    const other = await holdAlive(at('second'));
    writeFileSync(at('first'), readFileSync(at('second'), 'latin1').replace('second', 'first'));
    await new Promise((resolve) => void watchAlive(at('first'), () => resolve(undefined)));
    other.close();
  });

  it('ends its watches, with the thread or before, and keeps no thread alive by them', async function () {
    if (process.platform !== 'linux') this.skip();
    const held = [await holdAlive(at('first')), await holdAlive(at('second'))];
    let open = 0;
    const counting = (/** @type {any} */ watch) => (/** @type {any[]} */ ...given) => {
      assert.deepStrictEqual(given[1], { persistent: false });
      open++;
      const watcher = watch(...given);
      const { close } = watcher;
      watcher.close = () => {
        open--;
        close.call(watcher);
      };
      return watcher;
    };
    await untilSettled('watch', counting, async () => {
      const stop = watchAlive(at('first'), () => assert.fail('it lives'));
      let died = false;
      watchAlive(at('second'), () => (died = true));
      assert.ok(open >= 2);
      held[1].close();
      await until(() => died);
      stop();
      // The one that tests whether the system tells of an end.
      await until(() => open === 0);
    });
    held[0].close();
  });
});
