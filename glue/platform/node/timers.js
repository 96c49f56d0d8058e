/**
 * Node's timers and clock as they are when this file is loaded. A program's tests may replace them later (mock timers). With those, the
 * library would wait for a turn of the event loop that never comes, or write a wrong time into the journal.
 */
import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { process } from './process.js';

export { readWallClock } from '../wall-clock.js';

export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = timers;
export const { hrtime } = process;

/** Milliseconds of this thread's own clock. Reading it makes no garbage. */
export const readClock = performance.now.bind(performance);
