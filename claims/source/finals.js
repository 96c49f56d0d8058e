/** Chooses the final claims to remember if not all can be: the last ones, limited by number and by memory. */

/** How many places of forgotten claims accumulate before they are dropped together. */
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
   * @param {number} keepBytes how many bytes they may take
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

  /** Whether any claims were forgotten. */
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

  /** The claims that have to be forgotten, oldest first. */
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
