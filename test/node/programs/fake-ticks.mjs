/** Requests first locks while process.nextTick() is replaced, as by sinon's fake timers; prints what was granted. */
import process from 'node:process';
import { createLockManager, locks } from '../../../dist/node.mjs';

const [,, directory] = process.argv;
const { nextTick } = process;
const queue = [];
process.nextTick = (...call) => void queue.push(call);
const host = createLockManager({ name: 'fake ticks', scope: 'host', directory });
/** @type {NodeJS.Timeout | undefined} */
let timer;
const granted = await Promise.race([
  Promise.all([locks, host].map((manager) => manager.request('x', () => manager.request('y', () => 'granted')))),
  new Promise((resolve) => (timer = setTimeout(resolve, 5000, 'none'))),
]);
clearTimeout(timer);
console.log(String(granted));
process.nextTick = nextTick;
for (const [callback, ...rest] of queue) callback(...rest);
