/** Requests the first lock under node:test's mock timers. Then a thread is terminated while it holds; prints which thread is next. */
const { mock } = require('node:test');
const { setTimeout } = require('node:timers');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { locks } = require('../../../dist/lockkeeper.cjs');

const main = async () => {
  mock.timers.enable();
  await locks.request('warm', () => {});
  mock.timers.reset();
  const worker = new Worker(__filename);
  await new Promise((resolve) => worker.once('message', resolve));
  const granted = locks.request('x', () => console.log('granted'));
  // The other one must be watched by then.
  await new Promise((resolve) => setTimeout(resolve, 100));
  await worker.terminate();
  await granted;
};

if (isMainThread) void main();
else {
  void locks.request('x', () => {
    parentPort.postMessage('held');
    return new Promise((resolve) => setTimeout(resolve, 1e6));
  });
}
