/**
 * A context lacks memory to look at its state, for a while, just when it waits: node out-of-memory.mjs process|host|second DIRECTORY.
 * Prints what becomes of its request.
 */
import process from 'node:process';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const { Instance } = WebAssembly;
let isOut = false;
WebAssembly.Instance = /** @type {any} */ (function (/** @type {[WebAssembly.Module]} */ ...given) {
  const { exports } = new Instance(...given);
  const { memory, snapshot } = /** @type {any} */ (exports);
  // As csrc/wasm.c answers where the memory cannot grow.
  return { exports: { ...exports, memory, snapshot: () => (isOut ? -1 : snapshot()) } };
});
const { createLockManager } = await import('../../../dist/node.mjs');
const [what, directory] = isMainThread ? process.argv.slice(2) : workerData;
const locks = createLockManager(what === 'host' ? { name: 'memory', scope: 'host', directory } : { name: 'memory' });
const wait = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

if (isMainThread) {
  await locks.request('warm', () => {});
  const worker = new Worker(new URL(import.meta.url), { workerData: [what, directory] });
  await new Promise((resolve) => worker.once('message', resolve));
  isOut = true;
  setTimeout(() => { isOut = false; }, 300);
  const options = /** @type {const} */ ({ ifAvailable: what === 'second' });
  await locks.request('x', options, (lock) => console.log(lock ? 'granted' : 'unavailable')).catch(({ name }) => console.log(name));
  await worker.terminate();
} else {
  await locks.request('x', () => {
    parentPort?.postMessage('held');
    return wait(1000);
  });
}
