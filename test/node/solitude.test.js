import assert from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { createLockManager } from '../../glue/entries/index.js';
import { createArrivals } from '../../glue/platform/node/arrivals.js';
import { openDirectory } from '../../glue/platform/node/directory.js';
import { loneSchedules } from './simulation/lone-schedules.js';
import { failing, untilSettled } from './system.js';
import { endThreads, sleep, startThread } from './threads.js';

describe('node: a thread that is alone', () => {
  afterEach(endThreads);

  for (const [title, run] of Object.entries(loneSchedules)) it(title, () => run());

  it('real threads come and go beside one that is busy with a lock, and exclude each other', async function () {
    // Twelve threads begin beside one that is always busy, which takes long on a machine with few cores.
    this.timeout(60000);
    const managers = ['a', 'b', 'c', 'd', 'e', 'f'];
    // For each manager: how many are inside, and how often another one was.
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
        // The time until the first thread checks again whether it is alone, and a little more or less.
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

describe('node: how threads announce themselves', () => {
  /** @type {ReturnType<typeof createArrivals>[]} */
  let all = [];
  afterEach(() => {
    all.forEach((each) => each.close());
    all = [];
  });

  const create = (title = 'arrivals') => {
    const arrivals = createArrivals(() => title);
    all.push(arrivals);
    return arrivals;
  };

  const announced = (/** @type {string} */ title = 'arrivals') => {
    const arrivals = create(title);
    arrivals.announce();
    return arrivals;
  };

  it('all others of its title hear it, at once and once, and itself does not', () => {
    const three = [announced(), announced(), announced('another')];
    const heard = () => three.map((each) => each.any());
    assert.deepStrictEqual(heard(), [true, false, false]);
    announced();
    announced();
    assert.deepStrictEqual(heard(), [true, true, false]);
    assert.deepStrictEqual(heard(), [false, false, false]);
  });

  it('a thread that hears in its event loop still knows of an announcement', async () => {
    const first = announced();
    announced();
    await sleep(20);
    assert.strictEqual(first.any(), true);
    assert.strictEqual(first.any(), false);
  });

  it('a thread that does not listen never says that there was no announcement', () => {
    const arrivals = create();
    assert.strictEqual(arrivals.any(), true);
    arrivals.announce();
    assert.strictEqual(arrivals.any(), false);
    arrivals.close();
    assert.strictEqual(arrivals.any(), true);
  });

  it('a thread that closes, and announces itself again, hears each other thread once', async () => {
    const arrivals = announced();
    arrivals.close();
    arrivals.announce();
    announced();
    assert.strictEqual(arrivals.any(), true);
    // A channel that was left open would hear in the event loop.
    await sleep(20);
    assert.strictEqual(arrivals.any(), false);
  });

  /** @param {number} count of channels that refuse messages @param {() => void} action */
  const whileRefused = (count, action) => {
    const { postMessage } = BroadcastChannel.prototype;
    const refusing = new Set();
    BroadcastChannel.prototype.postMessage = function (/** @type {any} */ message) {
      if (refusing.size < count) refusing.add(this);
      if (refusing.has(this)) throw new Error('refused');
      postMessage.call(this, message);
    };
    try {
      action();
    } finally {
      BroadcastChannel.prototype.postMessage = postMessage;
    }
  };

  it('a channel that refuses messages is replaced by one that takes them, and hears', () => {
    const [first, second] = [announced(), create()];
    whileRefused(2, second.announce);
    assert.strictEqual(first.any(), true);
    announced();
    assert.strictEqual(second.any(), true);
  });

  it('a thread that cannot announce itself is told so', () => {
    const arrivals = create();
    whileRefused(Infinity, () => assert.throws(arrivals.announce, /refused/));
    assert.strictEqual(arrivals.any(), true);
  });
});

describe('node: which threads count as alone', () => {
  /** Whether a context reads its lines, once it has checked whether it is alone. @param {ReturnType<typeof createLockManager>} locks */
  const reads = async (locks) => {
    let count = 0;
    await sleep(1000);
    await locks.request('x', () => {});
    const counting = (/** @type {any} */ read) => (/** @type {any[]} */ ...given) => {
      count++;
      return read(...given);
    };
    await untilSettled('readSync', counting, () => locks.request('x', () => {}));
    return count > 0;
  };

  it('a thread that sees no other sign of life', async () => {
    const locks = createLockManager({ name: 'sees nobody' });
    await locks.request('x', () => {});
    assert.strictEqual(await reads(locks), process.platform === 'win32');
    writeFileSync(join(openDirectory('sees nobody', {}), 'h0123456789a'), '');
    assert.strictEqual(await reads(locks), true);
  });

  it('not a thread that cannot look', async () => {
    const locks = createLockManager({ name: 'cannot look' });
    await locks.request('x', () => {});
    await untilSettled('readdirSync', failing('EMFILE', 'too many open files'), async () => assert.strictEqual(await reads(locks), true));
  });

  it('not a process of a host', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'lk-'));
    try {
      const locks = createLockManager({ name: 'processes', scope: 'host', directory });
      await locks.request('x', () => {});
      assert.strictEqual(await reads(locks), true);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
