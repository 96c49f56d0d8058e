/** Which final claims are remembered, where not all of them are: the last ones, by number and by what they take in memory. */

/** So many places of forgotten ones are kept before they are dropped together. */
const SLACK = 10_000;

export class Finals {
  /** @type {number[]} from [#oldest] on */
  #ids = [];
  /** @type {number[]} bytes of each */
  #sizes = [];
  #oldest = 0;
  #bytes = 0;
  #keep;
  #keepBytes;

  /**
   * @param {number} keep how many
   * @param {number} keepBytes and how much they may take
   */
  constructor(keep, keepBytes) {
    this.#keep = keep;
    this.#keepBytes = keepBytes;
  }

  clear() {
    this.#ids = [];
    this.#sizes = [];
    this.#oldest = this.#bytes = 0;
  }

  /** Whether any are forgotten. */
  get isBounded() {
    return this.#keep < Infinity || this.#keepBytes < Infinity;
  }

  /**
   * @param {number} id
   * @param {number} bytes
   */
  add(id, bytes) {
    this.#ids.push(id);
    this.#sizes.push(bytes);
    this.#bytes += bytes;
  }

  /** Those that have to be forgotten, the oldest first. */
  *takeExcess() {
    while (this.#ids.length - this.#oldest > this.#keep || this.#bytes > this.#keepBytes) yield this.#take();
  }

  *takeAll() {
    while (this.#oldest < this.#ids.length) yield this.#take();
  }

  #take() {
    const id = this.#ids[this.#oldest];
    this.#bytes -= this.#sizes[this.#oldest];
    this.#oldest += 1;
    if (this.#oldest >= SLACK) {
      this.#ids.splice(0, this.#oldest);
      this.#sizes.splice(0, this.#oldest);
      this.#oldest = 0;
    }
    return id;
  }
}
