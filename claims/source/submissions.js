/**
 * The operations that wait for the next batch. All that arrive during an append go together into the next one.
 *
 * @typedef {object} Submitted
 * @property {import('./operations.js').ClaimOperation} operation
 * @property {number} size in bytes, roughly
 * @property {(result: import('./operations.js').Result) => void} resolve
 * @property {(error: Error) => void} reject
 */
import { QUEUED_OPERATIONS } from './budget.js';

const LONGEST = 10_000;
const BATCH_OPERATIONS = 500;
const BATCH_BYTES = 256 * 1024;
/** A batch waits for more operations as long as some arrive within this many milliseconds. */
const GATHERING = 2;

export class Submissions {
  /** @type {Submitted[]} */
  #waiting = [];
  #bytes = 0;
  /** How many operations may come soon: answered clients continue, and others were waiting already. */
  #expected = 0;

  get length() {
    return this.#waiting.length;
  }

  get isFull() {
    return this.length >= LONGEST || this.#bytes >= QUEUED_OPERATIONS;
  }

  /** @param {Submitted} submitted */
  add(submitted) {
    this.#waiting.push(submitted);
    this.#bytes += submitted.size;
  }

  /**
   * Clients that were answered together send their next requests one after the other. If an append takes long, these should go together
   * again. Otherwise some always wait for the append of the others.
   * @param {number} most the longest wait, in milliseconds
   */
  async gather(most) {
    const expected = Math.min(this.#expected, BATCH_OPERATIONS);
    const end = performance.now() + most;
    for (let length = 0; this.length > length && this.length < expected && performance.now() < end;) {
      ({ length } = this);
      await new Promise((resolve) => setTimeout(resolve, GATHERING));
    }
  }

  /** The next batch. */
  take() {
    let bytes = 0;
    let count = 0;
    while (count < Math.min(this.length, BATCH_OPERATIONS) && (count === 0 || bytes + this.#waiting[count].size <= BATCH_BYTES)) {
      bytes += this.#waiting[count].size;
      count += 1;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  /** @param {Submitted[]} batch that was answered */
  answered(batch) {
    this.#expected = batch.length + this.length;
  }

  /** @param {Error} error for all waiting operations */
  reject(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#bytes = 0;
  }
}
