/** A context's log time: the ticks that it writes, and the timer for the next deadline. */
import { LONGEST_TIMER } from '../../log/clock.js';

/** @typedef {import('../../core/types.js').Operation} Operation */

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'now' | 'setTimer'>} parts.surroundings
 * @param {import('./copy.js').Core} parts.core
 * @param {() => number} parts.pause milliseconds that must pass before a retry
 * @param {() => void} parts.tick a deadline is due
 */
export const createTicks = ({ surroundings: { now, setTimer }, core, pause, tick }) => {
  /** How far this host's clock is behind log time. After a reboot the clock restarts, and log time goes on. */
  let behind = 0;
  let cancel = () => {};

  const logTime = () => {
    const time = Math.floor(now());
    behind = Math.max(behind, core.time() - time);
    return time + behind;
  };

  return {
    /**
     * Puts a tick before [operations] if log time is behind. They may grant a request with a lease, which begins then, and a context that
     * was busy may not know of that request.
     * @param {Operation[]} operations about to be written
     * @returns {Operation[]}
     */
    timed(operations) {
      const time = logTime();
      return time > core.time() ? [{ type: 'tick', now: time }, ...operations] : operations;
    },

    /** Sets the timer for the next deadline. */
    settle() {
      const due = core.nextDeadline();
      if (due < Infinity) cancel = setTimer(tick, Math.min(Math.max(pause() || 1, due - logTime()), LONGEST_TIMER));
    },

    stop: () => cancel(),
  };
};
