/**
 * Decides when time must be logged: when a ttl is over, when claims are active and nothing has moved log time for long, or when this server
 * has been silent for long.
 */

/** With several servers, each waits this many milliseconds longer than the one before it. */
const TURN = 15;
const MOST_TURNS = 4;
const LONGEST_TIMER = 2 ** 30;

export class Deadlines {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #parts;
  #wake;

  /**
   * @param {object} parts
   * @param {import('./log.js').Log} parts.log
   * @param {import('./machine.js').Machine} parts.machine
   * @param {import('./register.js').Register} parts.register
   * @param {import('./clock.js').Clock} parts.clock
   * @param {number} parts.heartbeat milliseconds
   * @param {() => void} wake called at the next deadline
   */
  constructor(parts, wake) {
    this.#parts = parts;
    this.#wake = wake;
  }

  /** The next deadline, in log time. */
  get #next() {
    const { log, machine, register, heartbeat } = this.#parts;
    if (log.isSilent?.()) return -Infinity;
    const beat = register.counts.active > 0 ? machine.now + heartbeat : Infinity;
    return Math.min(machine.nextDeadline(), beat) + Math.min(log.rank(), MOST_TURNS) * TURN;
  }

  get passed() {
    return Math.floor(this.#parts.clock.now()) >= this.#next;
  }

  /** Finds the next deadline again. */
  schedule() {
    this.stop();
    const delay = this.#next - this.#parts.clock.now();
    if (delay < Infinity) this.#timer = setTimeout(this.#wake, Math.min(Math.max(0, Math.ceil(delay)), LONGEST_TIMER));
  }

  stop() {
    clearTimeout(this.#timer);
  }
}
