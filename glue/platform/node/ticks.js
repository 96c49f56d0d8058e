/** Log time for one context: the ticks that it writes, and the timer for the next deadline. */
import { LONGEST_TIMER } from '../../log/clock.js';

/** @typedef {import('../../core/types.js').Operation} Operation */

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'now' | 'setTimer'>} parts.surroundings
 * @param {import('./copy.js').Core} parts.core
 * @param {() => number} parts.pause milliseconds that must pass before something is tried again
 * @param {() => void} parts.tick something is due
 */
export const createTicks = ({ surroundings: { now, setTimer }, core, pause, tick }) => {
  /** How far this host's clock is behind the log's time. After a reboot the clock begins again, and the log's time goes on. */
  let behind = 0;
  let cancel = () => {};

  const logTime = () => {
    const time = Math.floor(now());
    behind = Math.max(behind, core.time() - time);
    return time + behind;
  };

  return {
    /**
     * Puts the time before [operations], if the log does not have it. They may grant a request with a lease, which begins then, and a
     * context that was busy does not know whether there is one.
     * @param {Operation[]} operations to be written
     * @returns {Operation[]}
     */
    timed(operations) {
      const time = logTime();
      return time > core.time() ? [{ type: 'tick', now: time }, ...operations] : operations;
    },

    /** Waits for the next deadline. */
    settle() {
      const due = core.nextDeadline();
      if (due < Infinity) cancel = setTimer(tick, Math.min(Math.max(pause() || 1, due - logTime()), LONGEST_TIMER));
    },

    stop: () => cancel(),
  };
};
