/** Decides when a server reads what others have appended: before it answers a question, and when it is told of an entry. */

/** For this many milliseconds after an append the next one is expected, since answered clients continue. */
const SOON = 10;

export class Reading {
  /** The read that is under way. @type {Promise<void> | undefined} */
  #reading;
  /** The read after it. @type {Promise<void> | undefined} */
  #next;
  /** The entry that this server was told of, and that an append will bring. */
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
   * Resolves when everything that others had appended before the call is applied here.
   * @returns {Promise<void>}
   */
  sync() {
    // A read that has begun may be too early for this call. A read that has not begun yet is not.
    if (!this.#reading) return (this.#reading = this.#parts.read().finally(() => (this.#reading = undefined)));
    this.#next ??= this.#reading.catch(() => {}).then(() => {
      this.#next = undefined;
      return this.sync();
    });
    return this.#next;
  }

  /**
   * There may be an entry that is not applied here. An append brings it, too.
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
    // The next read fails, too, and its caller learns of that.
    void this.sync().catch(() => {});
  }
}
