import assert from 'node:assert';
import { createLockManager, locks } from '../../glue/entries/index.js';
import { endThreads, sleep, startThread, until } from './threads.js';

const never = () => new Promise(() => {});
const median = (/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** @param {number} words */
const sharedWords = (words) => new Int32Array(new SharedArrayBuffer(words * 4));

describe('node: threads', function () {
  this.timeout(90000);
  afterEach(endThreads);

  /** How a thread ends while it holds one lock and waits for another. @type {Record<string, (kit: any) => any>} */
  const endings = {
    'is terminated in a busy loop': ({ tell, busy }) => {
      tell('ready');
      busy(60000);
    },
    'exits': ({ next, tell }) => {
      tell('ready');
      return next().then(() => process.exit(0));
    },
    'throws': ({ next, tell }) => {
      tell('ready');
      return next().then(() => {
        throw new Error('on purpose');
      });
    },
    'has nothing left to do': ({ tell }) => tell('ready'),
  };
  for (const [title, ending] of Object.entries(endings)) {
    it(`a thread that ${title} frees what it held and asked for`, async () => {
      let release = () => {};
      void locks.request(`${title} asked`, () => new Promise((resolve) => (release = () => resolve(undefined))));
      const thread = startThread(`async (kit) => {
        const { locks } = kit.package.createLockManager ? kit.package : kit;
        const manager = ${title === 'has nothing left to do'} ? kit.package.locks : locks;
        void manager.request('${title} held', () => new Promise(() => {}));
        void manager.request('${title} asked', () => new Promise(() => {}));
        await kit.sleep(100);
        ${title === 'has nothing left to do' ? 'setTimeout(() => process.exit(), 200);' : ''}
        return (${ending})(kit);
      }`);
      await thread.told('ready');
      const held = locks.request(`${title} held`, () => 'granted');
      const asked = locks.request(`${title} asked`, () => 'granted');
      await sleep(50);
      thread.send('end');
      if (title.includes('terminated')) await thread.worker.terminate();
      await thread.ended;
      assert.strictEqual(await held, 'granted');
      release();
      assert.strictEqual(await asked, 'granted');
      assert.deepStrictEqual((await locks.query()).held, []);
    });
  }

  it('a thread that is terminated while it holds: the next is granted, time after time', async () => {
    const times = [];
    for (let count = 0; count < 10; count++) {
      const thread = startThread(async ({ locks, tell, busy }) => {
        await locks.request('terminated', () => {
          tell('held');
          busy(60000);
        });
      });
      await thread.told('held');
      const granted = locks.request('terminated', () => performance.now());
      await sleep(15);
      const start = performance.now();
      await thread.worker.terminate();
      times.push((await granted) - start);
    }
    console.log(`      granted ${median(times).toFixed(1)} ms after the end, median of ${times.length}`);
  });

  it('threads that boot at the same instant exclude each other, whatever happens to some of them', async () => {
    const words = sharedWords(64);
    const threads = Array.from({ length: 10 }, (_, index) => startThread(async ({ locks, data: { words, index } }) => {
      for (let count = 0; count < 200; count++) {
        await locks.request('boot', async () => {
          // 0: how many are inside; 1: how often another one was; 2: entries.
          const before = Atomics.compareExchange(words, 0, 0, index + 1);
          if (before && !Atomics.load(words, 10 + before)) Atomics.add(words, 1, 1);
          Atomics.store(words, 0, index + 1);
          Atomics.add(words, 2, 1);
          if (count % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          if (Atomics.load(words, 0) !== index + 1) Atomics.add(words, 1, 1);
          Atomics.store(words, 0, 0);
        });
      }
    }, { words, index }));
    for (const index of [2, 5, 8]) {
      await until(() => words[2] > index * 40);
      Atomics.store(words, 10 + index + 1, 1);
      await threads[index].worker.terminate();
    }
    await Promise.all(threads.map((thread) => thread.ended));
    assert.strictEqual(words[1], 0, 'another thread was inside');
    assert.ok(words[2] >= 1400, `${words[2]} entries`);
  });

  /** What a thread does before it is busy, in the same task. @type {Record<string, (kit: any) => any>} */
  const manners = {
    'was there first': () => {},
    'holds a lock': ({ locks }) => void locks.request('other', () => new Promise(() => {})),
    'has just had many locks': async ({ locks }) => {
      for (let count = 0; count < 500; count++) await locks.request(`other ${count % 150}`, () => {});
    },
  };
  for (const [title, manner] of Object.entries(manners)) {
    it(`a thread that ${title} and is busy does not hold up two others`, async () => {
      const words = sharedWords(8);
      const thread = startThread(`async (kit) => {
        await kit.locks.request('mine', () => {});
        await kit.next();
        await (${manner})(kit);
        kit.tell('busy');
        kit.busyUntil(() => Atomics.load(kit.data, 2));
      }`, words);
      thread.send('go');
      await thread.told('busy');
      // These two begin when the first is already busy.
      for (const index of [0, 1]) {
        startThread(({ locks, data: { words, index } }) => {
          const turn = () => void locks.request('turns', async () => {
            if (words[0] !== index + 1) words[1]++;
            words[0] = index + 1;
            turn();
          });
          turn();
        }, { words, index });
      }
      // It is busy until then, however long that takes.
      await until(() => words[1] > 500);
      Atomics.store(words, 2, 1);
    });
  }

  it('a main thread that has just had many locks may wait in Atomics.wait for a thread that needs one', async () => {
    const words = sharedWords(2);
    const thread = startThread(async ({ package: { createLockManager }, tell, busyUntil, data }) => {
      tell('ready');
      busyUntil(() => Atomics.load(data, 1));
      await createLockManager({ name: 'waits in Atomics.wait' }).request('main 0', () => {
        Atomics.store(data, 0, 1);
        Atomics.notify(data, 0);
      });
    }, words);
    await thread.told('ready');
    const locks = createLockManager({ name: 'waits in Atomics.wait' });
    for (let count = 0; count < 500; count++) await locks.request(`main ${count % 150}`, () => {});
    Atomics.store(words, 1, 1);
    assert.notStrictEqual(Atomics.wait(words, 0, 0, 20000), 'timed-out');
  });

  it('a thread asks, has the holder release, and waits in Atomics.wait: it comes before that holder\'s next request', async () => {
    const words = sharedWords(2);
    const thread = startThread(async ({ locks, tell, next, data }) => {
      await locks.request('asked before', async () => {
        tell('held');
        await next();
      });
      const again = locks.request('asked before', () => Atomics.store(data, 0, 1));
      // Enough time to be granted, if it were the next in line.
      await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 300))]);
      Atomics.store(data, 1, 1);
      Atomics.notify(data, 1);
    }, words);
    await locks.request('warm up', () => {});
    await thread.told('held');
    const asked = locks.request('asked before', () => Atomics.load(words, 0));
    thread.send('let go');
    assert.notStrictEqual(Atomics.wait(words, 1, 0, 20000), 'timed-out');
    assert.strictEqual(await asked, 0);
  });

  it('a thread that releases, and is then busy in the same task, has released', async () => {
    const words = sharedWords(2);
    const thread = startThread(async ({ locks, tell, busyUntil, data }) => {
      await locks.request('let go', () => {
        tell('held');
        busyUntil(() => Atomics.load(data, 0));
      });
      busyUntil(() => Atomics.load(data, 1));
    }, words);
    await thread.told('held');
    const granted = locks.request('let go', () => 'granted');
    await sleep(100);
    Atomics.store(words, 0, 1);
    assert.strictEqual(await granted, 'granted');
    Atomics.store(words, 1, 1);
  });

  it('nested threads, and a main thread that comes last', async () => {
    const thread = startThread(async ({ data, tell, next }) => {
      const { Worker } = await import('node:worker_threads');
      const inner = new Worker(`
        const { parentPort, workerData } = require('node:worker_threads');
        import(workerData).then(({ locks }) => locks.request('nested', () => new Promise((resolve) => {
          parentPort.postMessage('held');
          parentPort.once('message', resolve);
        })));`, { eval: true, workerData: data });
      inner.on('message', tell);
      await next();
      inner.postMessage('release');
    }, new URL('../../glue/entries/index.js', import.meta.url).href);
    await thread.told('held');
    let granted = false;
    const done = locks.request('nested', () => {
      granted = true;
    });
    await sleep(100);
    assert.strictEqual(granted, false);
    thread.send('go');
    await done;
  });

  it('query() beside another holder shows what its task releases after it', async () => {
    const thread = startThread(({ locks, tell }) => {
      void locks.request('elsewhere', () => {
        tell('held');
        return new Promise(() => {});
      });
    });
    await thread.told('held');
    /** @type {any} */
    let release;
    const granted = new Promise((resolve) => {
      void locks.request('here', () => new Promise((end) => {
        release = end;
        resolve(undefined);
      }));
    });
    await granted;
    const shown = locks.query();
    release();
    assert.deepStrictEqual((await shown).held?.map(({ name }) => name).sort(), ['elsewhere', 'here']);
  });

  it('an ifAvailable request is not refused because of the dead, and query() does not show them', async () => {
    const thread = startThread(async ({ locks, tell }) => {
      void locks.request('left', () => new Promise(() => {}));
      await locks.query();
      tell('held');
    });
    await thread.told('held');
    assert.strictEqual(await locks.request('left', { ifAvailable: true }, (lock) => lock), null);
    assert.strictEqual((await locks.query()).held.length, 1);
    await thread.worker.terminate();
    assert.deepStrictEqual((await locks.query()).held, []);
    const other = startThread(async ({ locks, tell }) => {
      void locks.request('left', () => new Promise(() => {}));
      await locks.query();
      tell('held');
    });
    await other.told('held');
    await other.worker.terminate();
    assert.strictEqual(await locks.request('left', { ifAvailable: true }, (lock) => lock && lock.name), 'left');
  });

  it('a steal in one thread breaks the lock in another, and the thief that dies frees it', async () => {
    let broken;
    const victim = locks.request('stolen', never).catch((error) => (broken = error.name));
    const thief = startThread(async ({ locks, tell }) => {
      void locks.request('stolen', { steal: true }, () => {
        tell('held');
        return new Promise(() => {});
      });
    });
    await thief.told('held');
    await victim;
    assert.strictEqual(broken, 'AbortError');
    const granted = locks.request('stolen', () => 'granted');
    await thief.worker.terminate();
    assert.strictEqual(await granted, 'granted');
  });

  it('an aborted request in one thread lets those behind it pass', async () => {
    let release = () => {};
    void locks.request('abort', { mode: 'shared' }, () => new Promise((resolve) => (release = () => resolve(undefined))));
    const thread = startThread(async ({ locks, tell, next }) => {
      const controller = new AbortController();
      const aborted = locks.request('abort', { signal: controller.signal }, () => {}).catch((error) => tell(error.name));
      await locks.query();
      tell('asked');
      await next();
      controller.abort();
      await aborted;
      await next();
    });
    await thread.told('asked');
    const granted = locks.request('abort', { mode: 'shared' }, () => 'granted');
    thread.send('abort');
    assert.strictEqual(await granted, 'granted');
    await thread.told('AbortError');
    release();
  });
});
