/**
 * Waking a thread takes longer than most critical sections. So a thread that has just passed on a lock and waits for the next one stays
 * awake for a while. It polls a word in shared memory. Another thread then rings by changing that word, without a message. If none rings,
 * the thread skips this the next 1, 3, 7, 15 and then 16 times.
 */
import os from 'node:os';
import { readClock } from './timers.js';

const ASLEEP = 0;
const AWAKE = 1;
const RUNG = 2;

/** Milliseconds: about as long as sleeping and waking takes. So staying awake at most doubles the cost of a wait. */
const LONGEST = 0.2;
/** This many polls take longer than LONGEST. */
const MOST = 1e5;
/** How often it is skipped in a row at most. */
const SELDOM = 16;

const countProcessors = () => os.availableParallelism?.() ?? os.cpus().length;

/** @param {Int32Array} word of another thread @returns {boolean} whether that thread is awake and has thus been told */
export const ringAwake = (word) => Atomics.compareExchange(word, 0, AWAKE, RUNG) !== ASLEEP;

/**
 * @param {number} [processors] with only one processor, a thread that stays awake would keep the others from running
 * @param {() => number} [clock] milliseconds
 */
export const createVigil = (processors = countProcessors(), clock = readClock) => {
  const word = new Int32Array(new SharedArrayBuffer(4));
  let pause = 0;
  let skipped = 0;
  return {
    word,
    /**
     * Stays awake until there is news, for LONGEST milliseconds at most.
     * @param {() => boolean} look returns whether there is news
     */
    keep(look) {
      if (processors < 2 || skipped++ < pause) return;
      skipped = 0;
      Atomics.store(word, 0, AWAKE);
      const isRung = () => Atomics.exchange(word, 0, ASLEEP) === RUNG;
      let found;
      try {
        // News may have come before the word was set.
        found = look();
      } catch (error) {
        isRung();
        throw error;
      }
      const end = clock() + LONGEST;
      // Count the polls, too: the clock stands still if a program's tests replaced it before this file was loaded.
      for (let looks = 0; looks < MOST && !found && Atomics.load(word, 0) === AWAKE && clock() < end; looks++);
      if (isRung()) found = look() || found;
      pause = found ? 0 : Math.min(pause * 2 + 1, SELDOM);
    },
  };
};
