/** Threads for tests: a function, run in a worker with the package loaded there. */
import { Worker } from 'node:worker_threads';
import { at } from './support.js';

const entry = new URL('../../glue/entries/index.js', import.meta.url).href;

export const sleep = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param {(...parameters: any[]) => any} condition */
export const until = async (condition, patience = 60000) => {
  const end = Date.now() + patience;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${condition}`);
    await sleep(2);
  }
};

/** @type {Set<Worker>} */
const living = new Set();

export const endThreads = async () => {
  await Promise.all([...living].map((worker) => worker.terminate()));
  living.clear();
};

/**
 * @param {(kit: any) => any} run gets {locks, package, data, tell, sleep, busy, busyUntil, next};
 *   it is sent as text, so it sees nothing of the test
 * @param {any} [data] cloned, or shared
 * @param {string} [from] what to load instead of the sources: `import(from)`
 */
export const startThread = (run, data, from = entry) => {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const busy = (milliseconds) => { const end = Date.now() + milliseconds; while (Date.now() < end); };
    const busyUntil = (condition) => { while (!condition()); };
    const next = () => new Promise((resolve) => parentPort.once('message', resolve));
    const tell = (message) => parentPort.postMessage(message);
    void import(workerData.from).then(async (loaded) => {
      // Of a CommonJS module the names may not be known.
      const { locks } = loaded.locks ? loaded : loaded.default;
      await (${run})({ locks, package: loaded, data: workerData.data, tell, sleep, busy, busyUntil, next });
    });`;
  const worker = new Worker(code, { eval: true, workerData: { data, from } });
  living.add(worker);
  /** @type {any[]} */
  const messages = [];
  worker.on('message', (message) => messages.push(message));
  worker.on('error', () => {});
  const ended = new Promise((resolve) => worker.once('exit', (code) => {
    living.delete(worker);
    resolve(code);
  }));
  return {
    worker, messages, ended,
    send: (/** @type {any} */ message) => worker.postMessage(message),
    /** @param {any} message */
    told: (message) => until(() => messages.includes(message)),
  };
};

export { at };
