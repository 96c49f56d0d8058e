/**
 * Log time: the last logged time, plus what this machine's monotonic clock has counted since that entry was applied here. It is never ahead
 * of a machine that logs later, so no two clocks are compared. If entries disagree, the greatest time counts.
 *
 * On Linux the monotonic clock continues from process to process until the machine restarts. So log time continues while the service is
 * down. Elsewhere, and after a restart of the machine, log time stands still meanwhile: a claim lasts longer than its ttl, never shorter.
 */
import { readFileSync } from 'node:fs';

/** @typedef {{boot: string | null, offset: number}} ClockRecord */

const monotonic = () => Number(process.hrtime.bigint()) / 1e6;

export class Clock {
  #offset = -Infinity;
  #last = 0;
  #monotonic;
  #boot;

  /**
   * @param {object} [options]
   * @param {() => number} [options.monotonic] milliseconds
   * @param {string | null} [options.boot] the id of this start of the machine
   * @param {() => number} [options.wall] milliseconds since 1970: dates that people read, and the age of Idempotency-Keys
   */
  constructor(options = {}) {
    this.#monotonic = options.monotonic ?? monotonic;
    this.wall = options.wall ?? Date.now;
    this.#boot = options.boot === undefined ? bootId() : options.boot;
  }

  /** Log time in milliseconds, to the microsecond; it never goes back. */
  now() {
    if (this.#offset === -Infinity) this.#offset = -this.#monotonic();
    this.#last = Math.max(this.#last, Math.floor((this.#monotonic() + this.#offset) * 1000) / 1000);
    return this.#last;
  }

  /**
   * An entry of the log has the time [now].
   * @param {number} now
   */
  observe(now) {
    this.#offset = Math.max(this.#offset, now - this.#monotonic());
  }

  /**
   * Continues the log time of an earlier process on this machine.
   * @param {ClockRecord | undefined} record that the process kept
   */
  resume(record) {
    if (record && record.boot !== null && record.boot === this.#boot) this.#offset = Math.max(this.#offset, record.offset);
  }

  /** @returns {ClockRecord} for a later process to resume() with */
  record() {
    this.now();
    return { boot: this.#boot, offset: this.#offset };
  }
}

/** @returns {string | null} */
function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
