/** `keep-alive.mjs CASE` prints 'granted' or nothing, and how long it lived. Nothing but a lock keeps it alive. */
import { Worker, isMainThread } from 'node:worker_threads';
import { createLockManager, locks } from '../../../glue/entries/index.js';

const start = performance.now();
process.on('exit', () => isMainThread && console.log(performance.now() - start > 700 ? 'lived' : 'ended'));

/** @type {Record<string, () => void>} */
const cases = {
  import: () => {},
  holds: () => void locks.request('x', () => new Promise((resolve) => setTimeout(resolve, 1000).unref())),
  'holds, keepAlive false': () => void createLockManager({ keepAlive: false })
    .request('x', () => new Promise((resolve) => setTimeout(resolve, 1000).unref())),
  waits: () => {
    // The thread that holds does not keep the process alive.
    const worker = new Worker(new URL(import.meta.url), { argv: ['holder'] });
    worker.once('message', () => {
      worker.unref();
      void locks.request('x', () => console.log('granted'));
    });
  },
  'waits, keepAlive false': () => {
    const worker = new Worker(new URL(import.meta.url), { argv: ['holder'] });
    worker.once('message', () => {
      worker.unref();
      void createLockManager({ keepAlive: false }).request('x', () => console.log('granted'));
    });
  },
  'has held': () => void locks.request('x', () => {}),
  'waits for a query': () => void locks.query().then(() => console.log('answered')),
  async holder() {
    const { parentPort } = await import('node:worker_threads');
    await locks.request('x', () => {
      parentPort?.postMessage('held');
      return new Promise((resolve) => setTimeout(resolve, 1000));
    });
  },
};

cases[process.argv[2]]();
