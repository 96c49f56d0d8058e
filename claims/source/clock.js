/**
 * Log time: the last time that was logged, and what this machine's monotonic clock has counted since it was applied here. That is never
 * ahead of a machine that logged later, so no clock is compared with another's; of what several entries say, the greatest counts.
 *
 * On Linux the monotonic clock goes on from process to process until the machine is started anew; there, log time goes on while the
 * service is down. Elsewhere and after a new start it stands still meanwhile: a claim then lasts longer than its ttl, never less.
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
   * @param {string | null} [options.boot] what the start of this machine is called
   */
  constructor(options = {}) {
    this.#monotonic = options.monotonic ?? monotonic;
    this.#boot = options.boot === undefined ? bootId() : options.boot;
  }

  /** Log time in milliseconds, to the microsecond; it never goes back. */
  now() {
    if (this.#offset === -Infinity) this.#offset = -this.#monotonic();
    this.#last = Math.max(this.#last, Math.floor((this.#monotonic() + this.#offset) * 1000) / 1000);
    return this.#last;
  }

  /**
   * An entry of the log says that it is [now].
   * @param {number} now
   */
  observe(now) {
    this.#offset = Math.max(this.#offset, now - this.#monotonic());
  }

  /**
   * Goes on with the log time of an earlier process on this machine.
   * @param {ClockRecord | undefined} record what it kept
   */
  resume(record) {
    if (record && record.boot !== null && record.boot === this.#boot) this.#offset = Math.max(this.#offset, record.offset);
  }

  /** @returns {ClockRecord} what a later process resumes with */
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
