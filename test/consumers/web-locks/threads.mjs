/**
 * Two threads that take turns, as in the tests of the package web-locks, and more often. Those tests end the threads; here each has to end
 * by itself, and then the process. The parameter is what to import.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const TURNS = 20;

if (isMainThread) {
  const inside = new SharedArrayBuffer(4);
  let turns = 0;
  const threads = [1, 2].map(() => {
    const thread = new Worker(fileURLToPath(import.meta.url), { workerData: { module: process.argv[2], inside } });
    thread.on('message', ({ alone }) => { if (alone) turns++; });
    return thread;
  });
  const codes = await Promise.all(threads.map((thread) => new Promise((resolve) => thread.on('exit', resolve))));
  console.log(JSON.stringify({ codes, turns }));
} else {
  const { module, inside } = workerData;
  const { locks } = await import(module);
  const count = new Int32Array(inside);
  for (let turn = 0; turn < TURNS; turn++) {
    await locks.request('A', async () => {
      const before = Atomics.add(count, 0, 1);
      await sleep(1);
      const after = Atomics.sub(count, 0, 1);
      parentPort?.postMessage({ alone: before === 0 && after === 1 });
    });
  }
}
