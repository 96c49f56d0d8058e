/** The patterns between threads of Node, one of which is ended in the middle. */
import assert from 'node:assert/strict';
import { endThreads, startThread, until } from '../node/threads.js';
import * as here from './package.js';

const entry = new URL('./package.js', import.meta.url).href;
const { elect, isLocked, locks, semaphore, tryAcquire, withTimeout } = /** @type {any} */ (here);

/** @param {(kit: any) => any} run @param {any} [data] */
const start = (run, data) => startThread(run, data, entry);
const queued = (/** @type {string} */ name, /** @type {number} */ count) => {
  let length = 0;
  const look = () => void locks.query().then(({ pending }) => {
    length = pending.filter((/** @type {any} */ each) => each.name === name).length;
  });
  return until(() => (look(), length >= count));
};

describe('the patterns between threads', function () {
  this.timeout(60000);
  afterEach(endThreads);

  it('elect(): when the leader\'s thread ends, the next one leads', async () => {
    const leader = start(({ package: { elect: stand }, tell }) => stand('threads leader', { onLeader: () => tell('leads') }));
    await leader.told('leads');
    let led = false;
    const election = elect('threads leader', { onLeader: () => { led = true; } });
    await queued('threads leader', 1);
    assert.equal(election.isLeader, false);
    await leader.worker.terminate();
    await until(() => led);
    assert.equal(election.isLeader, true);
    await election.resign();
  });

  it('semaphore(): no more than its slots at once, in all threads, and a dead thread\'s slot is free', async () => {
    const counter = new Int32Array(new SharedArrayBuffer(12));
    const work = async (/** @type {any} */ { package: { semaphore: create }, data, sleep, tell }) => {
      const pool = create('threads pool', 2);
      const inside = data.counter;
      for (let i = 0; i < data.times; i++) {
        await pool.request(async () => {
          const now = Atomics.add(inside, 0, 1) + 1;
          if (now > 2) Atomics.store(inside, 1, 1);
          await sleep(Math.random() * 2);
          Atomics.sub(inside, 0, 1);
        });
      }
      tell('done');
    };
    const holder = start(({ package: { semaphore: create }, tell }) => create('threads pool', 2).request(() => {
      tell('inside');
      return new Promise(() => {});
    }));
    await holder.told('inside');
    const threads = [1, 2, 3].map(() => start(work, { counter, times: 30 }));
    await queued('threads pool queue', 1);
    await holder.worker.terminate();
    await Promise.all(threads.map((thread) => thread.told('done')));
    assert.deepEqual([...counter.slice(0, 2)], [0, 0]);
    assert.equal(await semaphore('threads pool', 2).request({ ifAvailable: true }, (/** @type {any} */ slot) => slot && slot.slot), 0);
  });

  it('tryAcquire(), isLocked() and withTimeout() see other threads', async () => {
    const holder = start(async ({ package: { tryAcquire: take }, next, tell }) => {
      const lock = await take('threads single');
      tell('held');
      await next();
      lock.release();
      await lock.released;
      tell('released');
    });
    await holder.told('held');
    assert.deepEqual([await isLocked('threads single'), await tryAcquire('threads single')], [true, null]);
    await assert.rejects(withTimeout('threads single', 5, () => {}), { name: 'TimeoutError' });
    holder.send('go');
    await holder.told('released');
    assert.equal(await isLocked('threads single'), false);
    assert.equal(await withTimeout('threads single', 60000, () => 'granted'), 'granted');
  });
});
