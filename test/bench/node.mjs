/**
 * Lockkeeper beside Node's own navigator.locks, in one run: `node test/bench/node.mjs`; a Node that has none hands over to Node 26. Each
 * measurement is taken in turns, round by round; printed are the medians, and the median of the rounds' ratios. One thread alone is
 * measured by the processor's time, so that neighbours on a busy machine do not count; threads that wait for each other by the wall's.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { locks as ours } from '../../glue/entries/index.js';

const native = globalThis.navigator?.locks;
if (!native) {
  const { nodeOf } = await import('../node/tools.js');
  const node = nodeOf(26);
  if (!node) throw new Error('needs a Node that has navigator.locks, 24 or later');
  process.exit(spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1);
}

const ROUNDS = 15;
const WARM_UP = 5;

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** By the processor's time. */
const perSecond = async (count, run) => {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return count / (user + system) * 1e6;
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Each with the least that its rate may be of the native one's. */
const bars = {
  'tight loop, one name': 0.5,
  'tight loop, shared': 0.6,
  'one request a turn of the event loop': 0.5,
  '10,000 names': 0.6,
  'queue of 10,000': 0.6,
  'queue of 40,000': 0.6,
  'hand-over, two lanes a thread, asked for ahead': 0.3,
  'hand-over, two lanes a thread, in a loop': 0.3,
};

const alone = {
  'tight loop, one name': (locks) => perSecond(10000, async () => {
    for (let i = 0; i < 10000; i++) await locks.request('a', () => {});
  }),
  'tight loop, shared': (locks) => perSecond(10000, async () => {
    for (let i = 0; i < 10000; i++) await locks.request('a', { mode: 'shared' }, () => {});
  }),
  'one request a turn of the event loop': (locks) => perSecond(5000, async () => {
    for (let i = 0; i < 5000; i++) {
      await locks.request('a', () => {});
      await nextTurn();
    }
  }),
  '10,000 names': (locks) => perSecond(10000, async () => {
    for (let i = 0; i < 10000; i++) await locks.request(`name ${i}`, () => {});
  }),
  'queue of 10,000': (locks) => perSecond(10000, () => Promise.all(Array.from({ length: 10000 }, () => locks.request('a', () => {})))),
  'queue of 40,000': (locks) => perSecond(40000, () => Promise.all(Array.from({ length: 40000 }, () => locks.request('a', () => {})))),
};

const missed = [];

const report = (title, pairs, unit = '/s') => {
  const [a, b] = [0, 1].map((side) => median(pairs.map((pair) => pair[side])));
  const ratio = median(pairs.map(([x, y]) => x / y));
  const digits = a < 100 ? 1 : 0;
  const [left, right] = [a, b].map((each) => `${each.toFixed(digits)}${unit}`.padStart(12));
  const bar = bars[title];
  if (ratio < bar) missed.push(title);
  const verdict = bar ? `  bar ${bar}${ratio < bar ? ', MISSED' : ''}` : '';
  console.log(`${title.padEnd(48)} ours ${left}  native ${right}  ratio ${ratio.toFixed(2)}${verdict}`);
};

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Words that the two threads share: how many turns they had, and whether they are to go on. */
const GRANTS = 1;
const RUNNING = 2;

/**
 * Two threads that take turns under one name, each with so many lanes. Ahead: each lane asks for its next turn while it has one, so every
 * grant waits in the queue. In a loop: each lane asks for the next turn when it has released, as most programs do; whether a grant goes
 * to the other thread depends on which asks first. All grants count.
 */
const startPair = async (kind, lanes, manner) => {
  const words = new Int32Array(new SharedArrayBuffer(16));
  const workers = [0, 1].map((index) => new Worker(new URL(import.meta.url), { workerData: { kind, index, words, lanes, manner } }));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
  return {
    /** @param {number} milliseconds @returns {Promise<number>} grants a second */
    async run(milliseconds) {
      words[RUNNING] = 1;
      workers.forEach((worker) => worker.postMessage('go'));
      await sleep(100);
      const before = words[GRANTS];
      const start = performance.now();
      await sleep(milliseconds);
      const rate = (words[GRANTS] - before) / (performance.now() - start) * 1000;
      words[RUNNING] = 0;
      await sleep(50);
      return rate;
    },
    end: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
};

const takeTurns = async ({ kind, index, words, lanes, manner }) => {
  const locks = kind === 'ours' ? ours : native;
  await locks.request(`warm up ${kind} ${index}`, () => {});
  // Native calls back from inside the request, so the next one waits for a promise job, or it would never end.
  const ahead = () => void locks.request(`turns ${kind}`, () => Promise.resolve().then(() => {
    words[GRANTS]++;
    if (Atomics.load(words, RUNNING)) ahead();
  }));
  const loop = async () => {
    while (Atomics.load(words, RUNNING)) await locks.request(`turns ${kind}`, () => void words[GRANTS]++);
  };
  parentPort.on('message', () => {
    for (let lane = 0; lane < lanes; lane++) void (manner === 'ahead' ? ahead : loop)();
  });
  parentPort.postMessage('ready');
};

const measureHandOvers = async (title, lanes, manner) => {
  const sides = await Promise.all(['ours', 'native'].map((kind) => startPair(kind, lanes, manner)));
  // Until both are compiled.
  for (const side of sides) await side.run(2000);
  const pairs = [];
  for (let round = 0; round < 7; round++) pairs.push([await sides[0].run(500), await sides[1].run(500)]);
  report(title, pairs);
  await Promise.all(sides.map((side) => side.end()));
};

/** A thread is ended, in the middle of a computation, while it holds; how soon does the next have the lock? */
const takeOver = async () => {
  const worker = new Worker(new URL(import.meta.url), { workerData: { kind: 'holder' } });
  await new Promise((resolve) => worker.once('message', resolve));
  const granted = ours.request('take over', () => performance.now());
  await sleep(15);
  const start = performance.now();
  await worker.terminate();
  return (await granted) - start;
};

const hold = () => ours.request('take over', () => {
  parentPort.postMessage('held');
  for (;;);
});

/** What a worker of one side does: runs what it is told to, and tells the rate. */
const runAlone = async ({ kind }) => {
  const locks = kind === 'ours' ? ours : native;
  const start = performance.now();
  await locks.request('first', () => {});
  parentPort.on('message', async (title) => parentPort.postMessage(await alone[title](locks)));
  parentPort.postMessage(performance.now() - start);
};

/** One thread alone: each side has a thread and a heap of its own, and rests while the other one runs. */
const measureAlone = async () => {
  const answer = (side) => new Promise((resolve) => side.once('message', resolve));
  const sides = [];
  for (const kind of ['ours', 'native']) {
    const side = new Worker(new URL(import.meta.url), { workerData: { kind, alone: true } });
    const first = await answer(side);
    if (kind === 'ours') console.log(`the first request of a thread takes ${first.toFixed(1)} ms`);
    sides.push(side);
  }
  for (const title of Object.keys(alone)) {
    const pairs = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const pair = [];
      for (const side of sides) {
        const rate = answer(side);
        side.postMessage(title);
        pair.push(await rate);
      }
      pairs.push(pair);
    }
    report(title, pairs.slice(WARM_UP));
  }
  await Promise.all(sides.map((side) => side.terminate()));
};

if (isMainThread) {
  console.log(`node ${process.version}`);
  await measureAlone();
  await measureHandOvers('hand-over, one lane a thread, asked for ahead', 1, 'ahead');
  await measureHandOvers('hand-over, two lanes a thread, asked for ahead', 2, 'ahead');
  await measureHandOvers('hand-over, two lanes a thread, in a loop', 2, 'loop');
  const times = [];
  for (let round = 0; round < 50; round++) times.push(await takeOver());
  console.log(`thread ended while it holds: the next has the lock after ${median(times).toFixed(1)} ms (median of 50); native: never`);
  if (missed.length) {
    console.log(`missed: ${missed.join('; ')}`);
    process.exitCode = 1;
  }
} else if (workerData.kind === 'holder') void hold();
else if (workerData.alone) void runAlone(workerData);
else void takeTurns(workerData);
