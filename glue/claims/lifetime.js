/**
 * Ends the requests and pauses of a manager: each by its signal, or all at once by stop().
 *
 * @callback OnEnd calls [listener] when [signal] aborts, or when all ends
 * @param {AbortSignal | undefined} signal
 * @param {() => void} listener
 * @param {boolean} [isLast] whether only [signal] counts
 * @returns {() => void} removes it
 */
import { LONGEST_TIMER } from '../log/clock.js';
import { unref } from './attempt.js';

/** @param {import('./clock.js').Time} time */
export const createLifetime = ({ setTimeout, clearTimeout }) => {
  let stopped = false;
  /**
   * Functions to call when all ends. They are not listeners of a signal, since Node warns of a leak if a signal has more than ten.
   * @type {Set<() => void>}
   */
  const enders = new Set();

  /** @param {AbortSignal | undefined} signal @param {boolean} [isLast] whether only [signal] counts */
  const isOver = (signal, isLast) => (stopped && !isLast) || (signal && signal.aborted);

  /** @type {OnEnd} */
  const onEnd = (signal, listener, isLast) => {
    if (isOver(signal, isLast)) {
      listener();
      return () => {};
    }
    if (!isLast) enders.add(listener);
    if (signal) signal.addEventListener('abort', listener);
    return () => {
      enders.delete(listener);
      if (signal) signal.removeEventListener('abort', listener);
    };
  };

  return {
    isOver, onEnd,

    /**
     * @param {number} milliseconds
     * @param {AbortSignal} [signal] ends the pause
     * @param {boolean} [isLast] whether the pause goes on after stop(), and does not keep a process of Node alive
     * @returns {Promise<void>}
     */
    pause: (milliseconds, signal, isLast) => new Promise((resolve) => {
      let stopListening = () => {};
      const finish = () => {
        clearTimeout(timer);
        stopListening();
        resolve();
      };
      const timer = setTimeout(finish, Math.min(milliseconds, LONGEST_TIMER));
      if (isLast) unref(timer);
      stopListening = onEnd(signal, finish, isLast);
    }),

    isStopped: () => stopped,
    /** Ends everything except the last requests. */
    stop() {
      stopped = true;
      for (const end of enders) end();
    },
  };
};
