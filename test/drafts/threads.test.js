/** The drafts between threads of Node. ACQUISITIONS=… sets the length of the hunt for deadlocks. */
import assert from 'node:assert/strict';
import { endThreads, sleep, startThread, until } from '../node/threads.js';
import * as here from './package.js';
import { rejection } from '../api/kit.js';

const entry = new URL('./package.js', import.meta.url).href;
const acquisitions = Number(process.env.ACQUISITIONS ?? 2000);
const THREADS = 8;

/** @param {(kit: any) => any} run @param {any} [data] */
const start = (run, data) => startThread(run, data, entry);

describe('the drafts between threads', function () {
  this.timeout(60000);
  afterEach(endThreads);
  // A lock that a failed test still holds must not keep the next ones waiting.
  afterEach(async () => {
    for (const { scope } of (await here.queryState()).held) await here.forceRelease(scope);
  });

  const queued = (/** @type {number} */ count) => {
    let length = 0;
    const look = () => void here.queryState().then(({ pending }) => (length = pending.length));
    return until(() => (look(), length >= count));
  };

  it('one queue, one order for every face', async () => {
    const order = /** @type {string[]} */ ([]);
    const note = (/** @type {string} */ text) => () => void order.push(text);
    const holder = await here.requestExplicitLock(['a', 'b', 'c']);
    const thread = start(async ({ package: { acquire, requestFlag, requestScopedLock }, next, tell }) => {
      await next();
      const all = [acquire(['b', 'a'], () => tell('acquire a b'))];
      await next();
      all.push(requestFlag(['b', 'c'], 'exclusive').then(() => tell('flag b c')));
      await next();
      all.push(requestScopedLock('c', () => tell('scoped c')));
      await Promise.all(all);
      tell('end');
    });
    thread.worker.on('message', (text) => order.push(text));
    thread.send('go');
    await queued(1);
    const request = here.locks.request('b', note('request b'));
    await queued(2);
    thread.send('go');
    await queued(3);
    const auto = here.requestAutoReleaseLock(['c', 'a']).then(note('auto a c'));
    await queued(4);
    thread.send('go');
    await queued(5);
    assert.deepEqual((await here.queryState()).pending.map(({ scope }) => scope.join('')), ['ab', 'b', 'bc', 'ac', 'c']);
    holder.release();
    await Promise.all([request, auto, thread.told('end')]);
    // Messages of the other thread may be late; each side's own are in order.
    assert.deepEqual(order.filter((text) => /request|auto/.test(text)), ['request b', 'auto a c']);
    assert.deepEqual(order.filter((text) => /acquire|flag|scoped/.test(text)), ['acquire a b', 'flag b c', 'scoped c']);
  });

  it('forceRelease() from another thread; the holder is told, and a lost thread\'s scope is free', async () => {
    const thread = start(async ({ package: { requestExplicitLock }, tell, next }) => {
      const [forced, kept] = [await requestExplicitLock(['a', 'b']), await requestExplicitLock(['c', 'd'])];
      forced.signal.addEventListener('abort', () => tell(`lost ${forced.signal.reason.name}`));
      forced.released.catch((/** @type {any} */ error) => tell(`rejected ${error.name}`));
      kept.released.catch(() => tell('never'));
      tell(`fences ${forced.fence < kept.fence}`);
      // Handles alone keep no thread alive.
      await next();
    });
    await thread.told('fences true');
    const waiting = here.acquire(['b', 'x'], () => 'granted');
    await queued(1);
    await here.forceRelease(['a']);
    assert.equal(await waiting, 'granted');
    await thread.told('lost AbortError');
    await thread.told('rejected AbortError');
    const next = here.requestExplicitLock(['d', 'e']);
    await queued(1);
    await thread.worker.terminate();
    (await next).release();
    assert.ok(!thread.messages.includes('never'));
  });

  it('a lease ends while its holder is busy, and a wait while the waiter is', async () => {
    const thread = start(async ({ package: { requestExplicitLock, requestFlag }, tell, busy, sleep }) => {
      const leased = await requestExplicitLock('a', { hold: 100 });
      leased.released.catch((/** @type {any} */ error) => tell(`lease ${error.name}`));
      requestFlag('b', 'exclusive', { timeout: 100 }).catch((/** @type {any} */ error) => tell(`flag ${error.name}`));
      tell('asked');
      await sleep(20);
      busy(1000);
    });
    const holder = await here.requestExplicitLock('b', { mode: 'shared' });
    await thread.told('asked');
    const began = performance.now();
    const next = await here.requestExplicitLock('a');
    const behind = await here.requestExplicitLock('b', { mode: 'shared' });
    assert.ok(performance.now() - began < 800, 'before the thread was awake');
    await thread.told('lease TimeoutError');
    await thread.told('flag TimeoutError');
    for (const lock of [holder, next, behind]) lock.release();
  });

  it('timeout 0, across threads', async () => {
    const thread = start(async ({ package: { requestExplicitLock }, tell, next }) => {
      const lock = await requestExplicitLock(['a', 'b']);
      tell('held');
      await next();
      lock.release();
      await lock.released;
      tell('released');
    });
    await thread.told('held');
    assert.equal((await rejection(here.requestFlag(['b', 'c'], 'shared', { timeout: 0 }))).name, 'TimeoutError');
    thread.send('release');
    await thread.told('released');
    await (await here.requestFlag(['b', 'c'], 'shared', { timeout: 0 })).released;
  });

  it('onContention tells of another thread', async () => {
    /** @type {any[]} */
    const told = [];
    const lock = await here.requestExplicitLock(['a', 'b'], { onContention: (waiter) => told.push(waiter) });
    const thread = start(async ({ package: { acquire }, tell, next }) => {
      await acquire('c', () => tell('there'));
      await next();
      await acquire(['b', 'c'], { mode: 'shared' }, () => tell('granted'));
    });
    await thread.told('there');
    await sleep(200);
    assert.deepEqual(told, []);
    thread.send('go');
    await until(() => told.length > 0, 5000);
    assert.deepEqual(told.map(({ mode, scope }) => `${mode} ${scope}`), ['shared b,c']);
    lock.release();
    await thread.told('granted');
  });

  it('a thread whose handle has ended stays alive for what it waits for', async () => {
    const lock = await here.requestExplicitLock('x');
    const thread = start(async ({ package: { acquire, requestExplicitLock }, tell, sleep }) => {
      const handle = await requestExplicitLock('handle');
      // While it has only a handle, none of its work keeps the thread alive.
      await sleep(50);
      handle.release();
      void acquire('x', () => tell('granted'));
      tell('released');
    });
    await thread.told('released');
    await sleep(100);
    lock.release();
    await thread.told('granted');
  });

  it(`no deadlock: ${acquisitions} acquisitions in ${THREADS} threads`, async function () {
    this.timeout(60000 + acquisitions * 50);
    /** By name: how many share it, or -1; behind them the violations and the grants. */
    const words = new Int32Array(new SharedArrayBuffer(10 * 4));
    const threads = Array.from({ length: THREADS }, (_, index) => start(async ({ package: loaded, data, tell }) => {
      const { words, count } = data;
      const places = (/** @type {string[]} */ scope) => scope.map((name) => name.charCodeAt(0) - 97);
      await loaded.huntIn({
        face: loaded,
        random: Math.random,
        acquisitions: count,
        atOnce: 2,
        entered(/** @type {string[]} */ scope, /** @type {string} */ mode) {
          Atomics.add(words, 9, 1);
          for (const place of places(scope)) {
            const before = mode === 'shared' ? Atomics.add(words, place, 1) : Atomics.compareExchange(words, place, 0, -1);
            if (mode === 'shared' ? before < 0 : before !== 0) Atomics.add(words, 8, 1);
          }
          return { scope, mode };
        },
        left(/** @type {any} */ { scope, mode }) {
          for (const place of places(scope)) {
            if (mode === 'shared') Atomics.sub(words, place, 1);
            else Atomics.store(words, place, 0);
          }
        },
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      });
      tell('end');
    }, { words, count: Math.floor(acquisitions / THREADS) + (index < acquisitions % THREADS ? 1 : 0) }));
    const began = performance.now();
    await Promise.all(threads.map(({ messages }) => until(() => messages.includes('end'), 30000 + acquisitions * 50)));
    assert.deepEqual([words[8], words[9]], [0, acquisitions]);
    await sleep(50);
    const state = await here.queryState();
    assert.deepEqual(state, { held: [], pending: [] });
    console.log(`      ${words[9]} acquisitions granted, none overlapping: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  });
});
