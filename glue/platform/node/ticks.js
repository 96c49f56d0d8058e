/** Log time for one context: what it writes about time, and when something is due. */
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
  /** How far this host's clock is behind the log's time, which goes on where the clock began again with a new boot. */
  let behind = 0;
  let cancel = () => {};

  const logTime = () => {
    const time = Math.floor(now());
    behind = Math.max(behind, core.time() - time);
    return time + behind;
  };

  return {
    /**
     * They may grant a request with a lease, which counts from then; whether there is one, a context that was busy does not know.
     * @param {Operation[]} operations to be written
     * @returns {Operation[]} behind the time, where the log does not have it
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
