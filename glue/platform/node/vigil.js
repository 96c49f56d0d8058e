/**
 * To sleep and be woken takes a thread longer than most critical sections last. So who has just handed a lock over, and waits for the next
 * one, stays awake a little while, with its eyes on a word in shared memory; whoever rings for it meanwhile changes the word, and need
 * not send a message. Where that was in vain, it sleeps at once for the next so many times: twice as many after each failure.
 */
import os from 'node:os';
import { performance } from 'node:perf_hooks';

const ASLEEP = 0;
const AWAKE = 1;
const RUNG = 2;

/** Milliseconds: about what it takes to sleep and to be woken, so staying awake at most doubles the cost of a wait. */
const LONGEST = 0.2;
/** After failures it is tried once in so many times. */
const SELDOM = 16;

const countProcessors = () => os.availableParallelism?.() ?? os.cpus().length;

/** @param {Int32Array} word another thread's @returns {boolean} whether it is awake, and knows now */
export const ringAwake = (word) => Atomics.compareExchange(word, 0, AWAKE, RUNG) !== ASLEEP;

/** @param {number} [processors] on the only one, who stays awake keeps off the thread it waits for */
export const createVigil = (processors = countProcessors()) => {
  const word = new Int32Array(new SharedArrayBuffer(4));
  let pause = 0;
  let skipped = 0;
  return {
    word,
    /**
     * Stays awake until there is something, and no longer than that little while.
     * @param {() => boolean} look whether there is something
     */
    keep(look) {
      if (processors < 2 || skipped++ < pause) return;
      skipped = 0;
      Atomics.store(word, 0, AWAKE);
      // What came before the word was changed.
      let found = look();
      const end = performance.now() + LONGEST;
      while (!found && Atomics.load(word, 0) === AWAKE && performance.now() < end);
      if (Atomics.exchange(word, 0, ASLEEP) === RUNG) found = look() || found;
      pause = found ? 0 : Math.min(pause * 2 + 1, SELDOM);
    },
  };
};
