/**
 * Requests that are made where the stack is about to end: `end-of-stack.mjs first|later`. At each of many depths there is one, for a name
 * of its own: a context's first request, or a later one while another thread is a member. Prints the depths, counted from the end of the
 * stack, after which the name is not free; they should be none.
 */
import process from 'node:process';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { createLockManager } from '../../../glue/entries/index.js';

const FRAMES = 120;

/** @param {Promise<unknown>} promise @returns {Promise<unknown>} undefined if it does not settle */
const soon = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 2000))]);

const act = async () => {
  const isFirst = process.argv[2] === 'first';
  const shared = createLockManager({ name: 'end of stack' });
  if (!isFirst) {
    const worker = new Worker(new URL(import.meta.url));
    await new Promise((resolve) => worker.once('message', resolve));
  }
  let depth = -1;
  let passed = 0;
  let action = () => {};
  /** Calls [action] so many frames above the end of the stack. */
  const dig = () => {
    try {
      dig();
    } catch {
      passed ||= 1;
    }
    if (passed++ === depth) action();
  };
  /** @type {number[]} */
  const bad = [];
  // Those below 0 are made far from the end of the stack: a function that runs there for the first time would need much of it.
  for (depth = -20; depth < FRAMES; depth++) {
    const name = `x ${depth}`;
    const locks = isFirst ? createLockManager({ name }) : shared;
    action = () => void locks.request(name, () => {}).catch(() => {});
    passed = 0;
    try {
      if (depth < 0) action();
      else dig();
    } catch {
      // That request was refused.
    }
    const ask = () => locks.request(name, () => 'granted');
    // A failure of this context, of which the next request is told, ends its earlier requests, too.
    if (await soon(ask().catch(ask)) !== 'granted') bad.push(depth);
    await locks.query();
    if (isFirst) await locks.close();
  }
  console.log(JSON.stringify(bad));
  process.exit();
};

if (isMainThread) await act();
else {
  await createLockManager({ name: 'end of stack' }).request('y', () => {});
  parentPort?.postMessage('ready');
  setInterval(() => {}, 1000);
}
