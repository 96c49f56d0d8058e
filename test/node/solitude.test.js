import assert from 'node:assert';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { locks } from '../../glue/entries/index.js';
import { createSolitude } from '../../glue/platform/node/solitude.js';
import { createWriter } from '../../glue/platform/node/writer.js';

describe('node: who is alone', function () {
  this.timeout(30000);
  /** @type {string} */
  let directory;
  /** @type {ReturnType<typeof createSolitude>[]} */
  let all = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => {
    all.forEach((each) => each.end());
    all = [];
    rmSync(directory, { recursive: true });
  });

  /** A context that has made its sign of life. @param {string} client */
  const prepare = (client) => {
    writeFileSync(join(directory, client), '');
    const solitude = createSolitude(directory, (each) => each);
    all.push(solitude);
    return solitude;
  };
  /** @param {string} client */
  const start = (client) => {
    const solitude = prepare(client);
    solitude.begin(client);
    return solitude;
  };

  it('one is until another has said hello, and learns of that at once', () => {
    const first = start('first');
    assert.strictEqual(first.isAlone(), true);
    const second = start('second');
    assert.deepStrictEqual([first, second].map((each) => each.isAlone()), [false, false]);
  });

  it('none is where somebody has begun who may have said hello before', () => {
    const early = prepare('early');
    const late = start('late');
    assert.strictEqual(late.isAlone(), false);
    early.begin('early');
    assert.strictEqual(early.isAlone(), false);
  });

  it('what was not written, or not alone, is not taken unread', function () {
    if (process.platform !== 'linux') this.skip();
    const writer = createWriter();
    const [full, file] = [openSync('/dev/full', 'a'), openSync(join(directory, 'file'), 'a')];
    assert.throws(() => writer.append(full, { entry: 1 }), { code: 'ENOSPC' });
    assert.strictEqual(writer.takeUnread(), undefined);
    writer.forget();
    writer.append(file, { entry: 2 });
    assert.deepStrictEqual(writer.takeUnread(), { length: 12, record: { entry: 2 } });
    writer.append(file, { entry: 3 });
    writer.append(file, { entry: 4 });
    assert.strictEqual(writer.takeUnread(), undefined);
    [full, file].forEach((each) => closeSync(each));
  });

  it('a thread that is alone and never waits for events takes turns with one that comes', async () => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    const [INSIDE, OVERLAPS, TURNS, ENDED] = [0, 1, 2, 3];
    const program = `
      const { words } = require('node:worker_threads').workerData;
      import('${new URL('../../glue/entries/index.js', import.meta.url)}').then(async ({ locks }) => {
        for (let turn = 0; turn < 50; turn++) {
          await locks.request('solitude', () => {
            if (Atomics.add(words, ${INSIDE}, 1)) Atomics.add(words, ${OVERLAPS}, 1);
            // So long that the other thread would have a turn in between.
            for (const end = performance.now() + 1; performance.now() < end;);
            Atomics.add(words, ${TURNS}, 1);
            Atomics.sub(words, ${INSIDE}, 1);
          });
        }
        Atomics.store(words, ${ENDED}, 1);
      });`;
    for (let turn = 0; turn < 1000; turn++) await locks.request('solitude', () => {});
    const worker = new Worker(program, { eval: true, workerData: { words } });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    await new Promise((resolve) => worker.once('online', resolve));
    // Promise jobs alone, up to the worker's last turn.
    const start = performance.now();
    while (!Atomics.load(words, ENDED) && performance.now() - start < 20000) {
      await locks.request('solitude', () => {
        if (Atomics.add(words, INSIDE, 1)) Atomics.add(words, OVERLAPS, 1);
        Atomics.sub(words, INSIDE, 1);
      });
    }
    assert.deepStrictEqual([words[TURNS], words[OVERLAPS]], [50, 0]);
    await ended;
  });
});
