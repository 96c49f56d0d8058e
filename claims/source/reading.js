/** When a server reads what others have appended: before it answers a question, and when it has heard of an entry. */

/** After an append the next one is expected for so long, in milliseconds: clients that were answered go on. */
const SOON = 10;

export class Reading {
  /** The read that is under way. @type {Promise<void> | undefined} */
  #reading;
  /** The read after it. @type {Promise<void> | undefined} */
  #next;
  /** The entry that was heard of and left to an append. */
  #heard = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** When the last append ended. */
  #ended = -Infinity;
  #parts;
  #soon;

  /**
   * @param {object} parts
   * @param {() => Promise<void>} parts.read applies what others have appended
   * @param {() => number} parts.place of the last entry that is applied here
   * @param {() => boolean} parts.isAppending
   * @param {number} [soon] milliseconds
   */
  constructor(parts, soon = SOON) {
    this.#parts = parts;
    this.#soon = soon;
  }

  /**
   * Resolves when all that others had appended before the call is applied here.
   * @returns {Promise<void>}
   */
  sync() {
    // One that has begun may have looked too early for this call; one that waits its turn has not.
    if (!this.#reading) return (this.#reading = this.#parts.read().finally(() => (this.#reading = undefined)));
    this.#next ??= this.#reading.catch(() => {}).then(() => {
      this.#next = undefined;
      return this.sync();
    });
    return this.#next;
  }

  /**
   * There is, or may be, an entry that is not applied here. An append brings it, too.
   * @param {number} place of it
   */
  hear(place) {
    if (place <= this.#parts.place()) return;
    this.#heard = Math.max(this.#heard, place);
    if (this.#parts.isAppending() || this.#timer) return;
    const patience = this.#ended + this.#soon - performance.now();
    if (patience <= 0) this.#look();
    else this.#timer = setTimeout(() => this.#lookUnlessAppending(), patience);
  }

  /** The last one of several appends has ended. */
  appended() {
    this.#ended = performance.now();
    this.hear(this.#heard);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #lookUnlessAppending() {
    this.#timer = undefined;
    if (!this.#parts.isAppending() && this.#heard > this.#parts.place()) this.#look();
  }

  #look() {
    this.#heard = 0;
    // The next look, or whoever asks, learns of the failure.
    void this.sync().catch(() => {});
  }
}
