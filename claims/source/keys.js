/** Idempotency-Keys. They serve clients that repeat a request after a lost answer. So the latest keys are enough, for one day. */

const KEPT = 10_000;
const LIFE = 24 * 3600 * 1000;

/** @typedef {{id: number, digest: string, active: boolean, at: number}} Made by a request with a key; [at]: wall clock */

export class Keys {
  /** @type {Map<string, Made>} oldest first */
  #made;

  /** @param {Iterable<[string, Made]>} [made] */
  constructor(made = []) {
    this.#made = new Map(made);
  }

  snapshot() {
    return [...this.#made];
  }

  /**
   * What the key has made, without forgetting any: only operations change the state.
   * @param {string | null} owner
   * @param {string} key
   */
  peek(owner, key) {
    return this.#made.get(nameOf(owner, key));
  }

  /**
   * @param {string | null} owner
   * @param {string} key
   * @param {number} wall
   */
  find(owner, key, wall) {
    for (const [oldest, { at }] of this.#made) {
      if (this.#made.size <= KEPT && at + LIFE > wall) break;
      this.#made.delete(oldest);
    }
    return this.#made.get(nameOf(owner, key));
  }

  /**
   * @param {string | null} owner
   * @param {string} key
   * @param {Made} made
   */
  add(owner, key, made) {
    this.#made.set(nameOf(owner, key), made);
  }
}

/**
 * The result of a request with a key that was used before.
 * @param {Made} made
 * @param {string} digest of the request
 * @returns {import('./operations.js').Result}
 */
export const repeated = (made, digest) => (
  made.digest === digest ? { replayed: made.id, active: made.active } : { refusal: 'key-reused' });

/**
 * @param {string | null} owner
 * @param {string} key
 */
const nameOf = (owner, key) => JSON.stringify([owner, key]);
