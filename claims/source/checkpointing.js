/** Decides when a checkpoint is due, by operations and by bytes, and writes it in the background. */
import { ENTRIES } from './budget.js';

export class Checkpointing {
  /** Why the last checkpoint could not be written. @type {Error | undefined} */
  failure;
  /** After a failure, or if there is hardly any space: milliseconds until the next one. */
  pause = 5000;
  /** What came after the checkpoint at [place]. */
  #since = { place: 0, operations: 0, bytes: 0 };
  #notBefore = -Infinity;
  /** @type {Promise<void> | undefined} */
  #writing;

  /**
   * @param {object} parts
   * @param {import('./log.js').Log} parts.log
   * @param {import('./machine.js').Machine} parts.machine
   * @param {import('./register.js').Register} parts.register
   * @param {(error: Error) => void} parts.failed
   * @param {number} parts.every operations
   */
  constructor({ log, machine, register, failed, every }) {
    this.log = log;
    this.machine = machine;
    this.register = register;
    this.failed = failed;
    this.every = every;
  }

  /** @param {number} place of the checkpoint that was loaded; 0 if there is none */
  begin(place) {
    this.#since = { place, operations: 0, bytes: 0 };
  }

  /** @param {import('./log.js').Entry} entry that was applied */
  note({ size, batch }) {
    this.#since.operations += 1 + batch.operations.length;
    this.#since.bytes += size;
  }

  /** How many operations the last checkpoint lacks. */
  get missing() {
    // Another server may have written one.
    if (this.log.kept() !== this.#since.place) this.begin(this.log.kept());
    return this.#since.operations;
  }

  /** @param {number} place of the last entry that was applied */
  keepIfDue(place) {
    const { missing } = this;
    // With several servers the whole state is written. So as much must have changed before it is worth it.
    const state = this.log.read ? this.register.size : this.machine.open.size / 10;
    const patience = this.log.rank() === 0 ? 1 : 2;
    const due = missing >= Math.max(this.every, state) * patience || this.#since.bytes >= ENTRIES * patience;
    if (performance.now() < this.#notBefore) return;
    if (this.log.isFull?.(this.machine.usage.bytes)) {
      this.register.forgetFinals();
      this.#notBefore = performance.now() + this.pause;
      void this.keep(place);
    } else if (due) {
      void this.keep(place);
    }
  }

  /** @param {number} place */
  keep(place) {
    this.#writing ??= this.#keep(place).finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Resolves when no checkpoint is being written. */
  async rest() {
    await this.#writing;
  }

  /** @param {number} place */
  async #keep(place) {
    const { operations, bytes } = this.#since;
    try {
      await this.log.keep({ place, machine: this.machine.snapshot() }, this.register);
      this.failure = undefined;
      // It lacks what came while it was written.
      if (this.log.kept() === place && this.#since.place !== place) {
        this.#since = { place, operations: this.#since.operations - operations, bytes: this.#since.bytes - bytes };
      }
    } catch (error) {
      // The log still has all entries, so nothing is lost. The next append will show whether it still works.
      this.failure = /** @type {Error} */ (error);
      this.#notBefore = performance.now() + this.pause;
      this.failed(this.failure);
    }
  }
}
