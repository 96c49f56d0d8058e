/**
 * The hashes of this server's earlier states. An entry names the state that its writer had. If this server had another state at that place,
 * or was never there, the two have not read the same log.
 */
import { DataError } from './log.js';

const KEPT = 5000;

export class Lineage {
  /** @type {Map<number, number>} by place */
  #hashes = new Map();
  /** The places, in order, from [#oldest] on. @type {number[]} */
  #places = [];
  #oldest = 0;

  /**
   * @param {number} place
   * @param {number} hash of the state after the entry of [place]
   */
  begin(place, hash) {
    this.#hashes = new Map([[place, hash]]);
    this.#places = [place];
    this.#oldest = 0;
  }

  /**
   * @param {number} place
   * @param {number} hash
   */
  add(place, hash) {
    this.#hashes.set(place, hash);
    this.#places.push(place);
    if (this.#hashes.size > KEPT) this.#hashes.delete(this.#places[this.#oldest++]);
    if (this.#oldest < KEPT) return;
    this.#places.splice(0, this.#oldest);
    this.#oldest = 0;
  }

  /**
   * @param {number} place of an entry
   * @param {number} seen the place of the state that its writer had
   * @param {number} hash of that state
   */
  check(place, seen, hash) {
    const own = this.#hashes.get(seen);
    if (own === hash || (own === undefined && seen < this.#places[this.#oldest])) return;
    if (own === undefined) {
      throw new DataError(`the writer of entry ${place} of the log had read an entry ${seen}, which is not there. Entries were removed, `
        + 'or the log was restored from a copy');
    }
    throw new DataError(`entry ${place} of the log was made in another state than this server's; that is a defect of the service`);
  }
}
