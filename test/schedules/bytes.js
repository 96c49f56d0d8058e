/** Little-endian bytes, on their way to a program and back. */

/** Commands to be sent. */
export class Commands {
  #bytes = Buffer.alloc(1 << 16);
  #size = 0;

  /** @param {number} size */
  #room(size) {
    while (this.#size + size > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    this.#size += size;
    return this.#size - size;
  }

  /** @param {number} value */
  byte(value) {
    const at = this.#room(1);
    this.#bytes[at] = value;
  }

  /** @param {number} value */
  word(value) {
    const at = this.#room(4);
    this.#bytes.writeUInt32LE(value, at);
  }

  /** @param {number} value */
  number(value) {
    const at = this.#room(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  /** @param {Uint8Array} bytes */
  block(bytes) {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** @param {string} name */
  name(name) {
    this.word(name.length);
    this.block(Buffer.from(name, 'utf16le'));
  }

  take() {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#size));
    this.#size = 0;
    return taken;
  }
}

/** The answer's bytes. To read beyond its end throws a RangeError. */
export class Answers {
  #bytes = Buffer.alloc(0);
  #at = 0;

  /** @param {Buffer} bytes */
  add(bytes) {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), bytes]);
    this.#at = 0;
  }

  /**
   * @template Answer
   * @param {() => Answer} read
   * @returns {Answer | undefined} undefined where the answer is not complete
   */
  whole(read) {
    const start = this.#at;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#at = start;
      return undefined;
    }
  }

  word() {
    return this.#bytes.readUInt32LE((this.#at += 4) - 4);
  }

  status() {
    return this.word() | 0;
  }

  number() {
    return this.#bytes.readDoubleLE((this.#at += 8) - 8);
  }

  name() {
    return this.block(this.word() * 2).toString('utf16le');
  }

  /** @param {number} size */
  block(size) {
    if (this.#at + size > this.#bytes.length) throw new RangeError('not there yet');
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }
}
