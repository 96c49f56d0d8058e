/**
 * What a turn costs with many processes of a host: `node test/bench/processes.mjs [COUNT…]`. All processor time that they use together,
 * divided by the turns, so neighbours on a busy machine do not count; and the turns a second. The bar is on the growth from the fewest
 * processes to the most.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createLockManager } from '../../glue/entries/index.js';

const COUNTS = [2, 10, 50];
/** Requests that each process makes alone first, so that its code is compiled. */
const WARM_UP = 1500;
/** Turns that each process has had before it is measured: code that is not compiled yet costs ten times as much. */
const SETTLED = 100;
/** Milliseconds: it is measured after this long in any case, and for how long. */
const SETTLE_LONGEST = 60000;
const DURATION = 3000;
const CHILD = 'child';

/** A turn with the most processes may cost so many times as much as with the fewest. */
const BARS = { 'all take turns': 2, 'two take turns, the others wait for something else': 2 };

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What a process does: `turns` until it is told to end, or waits for a lock that is held all the time. */
const runChild = (directory) => {
  const locks = createLockManager({ name: 'bench', scope: 'host', directory });
  let turns = 0;
  const roles = {
    async warm() {
      for (let each = 0; each < WARM_UP; each++) await locks.request(`warm ${process.pid}`, () => {});
      process.send('warm');
    },
    hold: () => locks.request('long', () => {
      process.send('held');
      return new Promise(() => {});
    }),
    wait: () => locks.request('long', () => {}),
    // The next turn is asked for while there is one, so that every turn goes from one process to another.
    turn: () => void locks.request('short', async () => {
      turns++;
      roles.turn();
    }),
  };
  process.on('message', (message) => {
    if (message === 'measure') {
      const { user, system } = process.cpuUsage();
      process.send({ turns, microseconds: user + system });
    } else void roles[message]();
  });
  process.send('ready');
};

const startChild = async (directory) => {
  const child = fork(fileURLToPath(import.meta.url), [CHILD, directory]);
  const next = () => new Promise((resolve) => child.once('message', resolve));
  await next();
  return {
    send: (message) => child.send(message),
    next,
    async measure() {
      const answer = next();
      child.send('measure');
      return answer;
    },
    end: () => {
      child.kill('SIGKILL');
      return new Promise((resolve) => child.once('exit', resolve));
    },
  };
};

const measureAll = (children) => Promise.all(children.map((child) => child.measure()));

/** Until each has had its turns. */
const settle = async (children) => {
  const end = performance.now() + SETTLE_LONGEST;
  while ((await measureAll(children)).some(({ turns }) => turns < SETTLED)) {
    if (performance.now() > end) {
      console.log(`not settled: some have had less than ${SETTLED} turns`);
      return;
    }
    await sleep(500);
  }
};

const sum = (list, key) => list.reduce((total, each) => total + each[key], 0);

/** @returns {Promise<{cost: number, rate: number}>} microseconds of processors a turn, and turns a second */
const measure = async (manner, count) => {
  const directory = mkdtempSync(join(tmpdir(), 'lk-bench-'));
  const children = [];
  for (let each = 0; each < count; each++) {
    const child = await startChild(directory);
    children.push(child);
    child.send('warm');
    await child.next();
  }
  const takers = manner === 'all take turns' ? count : 2;
  if (takers < count) {
    children[2].send('hold');
    await children[2].next();
    children.slice(3).forEach((child) => child.send('wait'));
  }
  children.slice(0, takers).forEach((child) => child.send('turn'));
  await settle(children.slice(0, takers));
  const start = performance.now();
  const before = await measureAll(children);
  await sleep(DURATION);
  const after = await measureAll(children);
  const seconds = (performance.now() - start) / 1000;
  const turns = sum(after, 'turns') - sum(before, 'turns');
  const cost = (sum(after, 'microseconds') - sum(before, 'microseconds')) / turns;
  await Promise.all(children.map((child) => child.end()));
  rmSync(directory, { recursive: true, force: true });
  return { cost, rate: turns / seconds };
};

const runAll = async () => {
  const given = process.argv.slice(2).map(Number);
  const counts = given.length ? given : COUNTS;
  let missed = false;
  for (const [manner, bar] of Object.entries(BARS)) {
    const costs = [];
    for (const count of counts) {
      const { cost, rate } = await measure(manner, count);
      costs.push(cost);
      const numbers = `${String(Math.round(cost)).padStart(6)} µs of processor a turn ${String(Math.round(rate)).padStart(7)} turns/s`;
      console.log(`${manner.padEnd(52)} ${String(count).padStart(3)} processes ${numbers}`);
    }
    const growth = costs[costs.length - 1] / costs[0];
    console.log(`${manner.padEnd(52)} growth ${growth.toFixed(2)}  bar ${bar}${growth > bar ? ', MISSED' : ''}`);
    missed = missed || growth > bar;
  }
  process.exitCode = missed ? 1 : 0;
};

if (process.argv[2] === CHILD) runChild(process.argv[3]);
else await runAll();
