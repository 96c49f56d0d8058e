/**
 * A pool of worker threads that share a few unique things: `node demo/node-pool.js [threads] [seconds]`. Every few seconds one thread is
 * ended while it holds a lock. Watch how soon the next one gets it.
 */
import process from 'node:process';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { locks } from 'lockkeeper';

const THINGS = ['printer', 'camera', 'index'];
const END_ONE_EVERY = 3000;
const DRAW_EVERY = 100;

const sleep = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const draw = (/** @type {number} */ below) => Math.floor(Math.random() * below);

/** A thread's work: it reads the index together with others, and uses or rewrites everything else exclusively. */
const work = async () => {
  const tell = (/** @type {string} */ state, /** @type {string} */ thing = '') => parentPort?.postMessage({ state, thing, at: Date.now() });
  for (;;) {
    const thing = THINGS[draw(THINGS.length)];
    const mode = thing === 'index' && draw(4) ? 'shared' : 'exclusive';
    tell('waits', thing);
    await locks.request(thing, { mode }, async () => {
      tell(mode === 'shared' ? 'reads' : 'has', thing);
      const end = Date.now() + 100 + draw(500);
      // It computes, so that it receives nothing; or it waits for something.
      if (draw(2)) while (Date.now() < end);
      else await sleep(end - Date.now());
    });
    tell('idle');
    await sleep(draw(200));
  }
};

/**
 * @typedef {object} Thread
 * @property {number} number
 * @property {Worker} worker
 * @property {string} state
 * @property {string} thing
 * @property {number} turns
 */

/** @param {number} size @param {number} seconds */
const runPool = (size, seconds) => {
  /** @type {Thread[]} */
  const pool = [];
  /** @type {string[]} */
  const news = [];
  /** The thing that an ended thread held, and when that thread ended. @type {Map<string, number>} */
  const freed = new Map();
  let started = 0;
  let turns = 0;
  const color = process.stdout.isTTY ? { waits: 33, has: 32, reads: 36, idle: 90 } : {};

  const paint = (/** @type {string} */ state, /** @type {string} */ text) => {
    const code = /** @type {Record<string, number>} */ (color)[state];
    return code ? `\x1b[${code}m${text}\x1b[0m` : text;
  };

  const say = (/** @type {string} */ text) => {
    news.push(text);
    if (!process.stdout.isTTY) console.log(text);
  };

  const startThread = () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: 'thread' });
    const thread = { number: ++started, worker, state: 'starts', thing: '', turns: 0 };
    pool.push(thread);
    worker.on('message', ({ state, thing, at }) => {
      Object.assign(thread, { state, thing });
      if (state !== 'has' && state !== 'reads') return;
      thread.turns++;
      turns++;
      const since = freed.get(thing);
      if (since === undefined) return;
      freed.delete(thing);
      say(`  thread ${thread.number} has the ${thing}, ${Math.max(0, at - since)} ms later`);
    });
  };

  const endOne = () => {
    const holders = pool.filter(({ state }) => state === 'has');
    const victim = holders[draw(holders.length)];
    if (!victim) return;
    pool.splice(pool.indexOf(victim), 1);
    const { number, thing, worker } = victim;
    say(`thread ${number} is ended while it has the ${thing}`);
    if (pool.some((thread) => thread.state === 'waits' && thread.thing === thing)) freed.set(thing, Date.now());
    void worker.terminate().then(startThread);
  };

  const show = () => {
    const lines = pool.map(({ number, state, thing, turns }) =>
      `  thread ${String(number).padStart(3)}  ${paint(state, `${state} ${thing}`.padEnd(16))} ${'▪'.repeat(turns % 60)}`);
    const title = `${pool.length} threads, ${turns} turns, ${THINGS.join(', ')}; Ctrl+C ends it`;
    process.stdout.write(`\x1b[H\x1b[J${title}\n\n${lines.join('\n')}\n\n${news.slice(-8).join('\n')}\n`);
  };

  for (let count = 0; count < size; count++) startThread();
  setInterval(endOne, END_ONE_EVERY);
  if (process.stdout.isTTY) setInterval(show, DRAW_EVERY);
  if (!seconds) return;
  setTimeout(() => {
    console.log(`${turns} turns, ${started - size} threads ended and replaced`);
    process.exit();
  }, seconds * 1000);
};

if (!isMainThread && workerData === 'thread') void work();
else runPool(Number(process.argv[2]) || 6, Number(process.argv[3]) || 0);
