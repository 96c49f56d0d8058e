import assert from 'node:assert';
import { createLockManager } from '../../glue/entries/index.js';
import { loneSchedules } from './simulation/lone-schedules.js';
import { endThreads, sleep, startThread } from './threads.js';

describe('node: a thread that is alone', () => {
  afterEach(endThreads);

  for (const [title, run] of Object.entries(loneSchedules)) it(title, () => run());

  it('real threads come and go beside one that is busy with a lock, and exclude each other', async () => {
    const managers = ['a', 'b', 'c', 'd', 'e', 'f'];
    // For each manager: who is inside, and how often somebody else was.
    const words = new Int32Array(new SharedArrayBuffer(managers.length * 8));
    let ended = false;

    const loop = async (/** @type {string} */ name, /** @type {number} */ index) => {
      const locks = createLockManager({ name: `alone ${name}` });
      while (!ended) {
        for (let count = 0; count < 20; count++) {
          await locks.request('x', () => {
            if (Atomics.add(words, index * 2, 1)) words[index * 2 + 1]++;
            Atomics.sub(words, index * 2, 1);
          });
        }
        await new Promise(setImmediate);
      }
    };

    const visit = async (/** @type {string} */ name, /** @type {number} */ index) => {
      for (let count = 0; count < 2; count++) {
        // So long until the first thread looks again whether it is alone, and a little more or less.
        await sleep(900 + index * 50);
        await startThread(async ({ package: { createLockManager }, data: { words, name, index } }) => {
          for (let count = 0; count < 10; count++) {
            await createLockManager({ name: `alone ${name}` }).request('x', () => {
              if (Atomics.add(words, index * 2, 1)) words[index * 2 + 1]++;
              Atomics.sub(words, index * 2, 1);
            });
          }
        }, { words, name, index }).ended;
      }
    };

    const loops = managers.map(loop);
    await Promise.all(managers.map(visit));
    ended = true;
    await Promise.all(loops);
    assert.deepStrictEqual(managers.map((_, index) => words[index * 2 + 1]), managers.map(() => 0));
  });
});
