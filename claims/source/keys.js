/**
 * Idempotency-Keys. They serve clients that repeat a request after a lost answer. The latest keys are known, for one day, and those of open
 * claims: otherwise a late repetition would make a second claim, which would wait for the first.
 */

const KEPT = 10_000;
const LIFE = 24 * 3600 * 1000;

/**
 * @typedef {{id: number, digest: string, active: boolean, at: number, keepsKey?: true}} Made by a request with a key; [at]: wall clock;
 *   [keepsKey]: known while the claim is open (level 3, see operations.js)
 * @typedef {import('./operations.js').CreateOperation} CreateOperation
 */

export class Keys {
  /** @type {Map<string, Made>} the latest ones, oldest first */
  #made;
  /** @type {Map<string, Made>} older ones, whose claims are open */
  #older = new Map();
  /** @type {Map<number, string>} their names, by claim */
  #names = new Map();

  /** @param {Iterable<[name: string, made: Made, isOlder?: true]>} [all] */
  constructor(all = []) {
    this.#made = new Map();
    for (const [name, made, isOlder] of all) {
      if (isOlder) this.#keep(name, made);
      else this.#made.set(name, made);
    }
  }

  /** @returns {[name: string, made: Made, isOlder?: true][]} */
  snapshot() {
    return [...[...this.#older].map(([name, made]) => /** @type {[string, Made, true]} */ ([name, made, true])), ...this.#made];
  }

  /** @param {string} name @param {Made} made */
  #keep(name, made) {
    this.#older.set(name, made);
    this.#names.set(made.id, name);
  }

  /**
   * What the key has made, without forgetting any: only operations change the state.
   * @param {string | null} owner
   * @param {string} key
   */
  peek(owner, key) {
    const name = nameOf(owner, key);
    return this.#made.get(name) ?? this.#older.get(name);
  }

  /**
   * @param {CreateOperation} operation
   * @param {number} wall
   * @param {{has(id: number): boolean}} open the open claims
   */
  find({ owner, key }, wall, open) {
    if (key === undefined) return undefined;
    for (const [oldest, made] of this.#made) {
      if (this.#made.size <= KEPT && made.at + LIFE > wall) break;
      this.#made.delete(oldest);
      if (made.keepsKey && open.has(made.id)) this.#keep(oldest, made);
    }
    return this.peek(owner, key);
  }

  /**
   * @param {CreateOperation} operation
   * @param {import('./claim.js').Claim} claim that it has made
   * @param {number} wall
   */
  add({ owner, key, digest = '', keepsKey }, { id, status }, wall) {
    if (key === undefined) return;
    this.#made.set(nameOf(owner, key), { id, digest, active: status === 'active', at: wall, ...(keepsKey && { keepsKey }) });
  }

  /** The claim has ended. @param {number} id */
  ended(id) {
    this.#older.delete(this.#names.get(id) ?? '');
    this.#names.delete(id);
  }
}

/**
 * The result of a request with a key that was used before.
 * @param {Made} made
 * @param {string} [digest] of the request
 * @returns {import('./operations.js').Result}
 */
export const repeated = (made, digest = '') => (
  made.digest === digest ? { replayed: made.id, active: made.active } : { refusal: 'key-reused' });

/**
 * @param {string | null} owner
 * @param {string} key
 */
const nameOf = (owner, key) => JSON.stringify([owner, key]);
