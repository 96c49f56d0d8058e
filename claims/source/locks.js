/** The lock manager as the machine uses it: a single client, with operations that are numbered here. */

/** @typedef {import('lockkeeper/core').Core} Core */

const CLIENT = 'claims';
/** A ttl of more milliseconds never ends. */
const LONGEST_HOLD = 2 ** 50;

export class Locks {
  #core;

  /** @param {Core} core an empty one */
  constructor(core) {
    this.#core = core;
    core.apply({ type: 'join', client: CLIENT, number: 1 });
  }

  /** The number of the next operation. */
  get next() {
    return this.#core.last(CLIENT) + 1;
  }

  /** @param {number} now log time */
  tick(now) {
    return this.#core.apply({ type: 'tick', now: Math.floor(now) });
  }

  /** @param {import('./claim.js').Claim} claim */
  request({ request, resources, mode, limit }) {
    const names = resources.map((resource) => `resource ${resource}`);
    return this.#core.apply({ type: 'request', client: CLIENT, number: request, names, mode, limit: limit ?? 0 });
  }

  /**
   * Requests a lock that nobody else requests, for [ttl]. It steals the lock that has the name.
   * @param {string} name
   * @param {number} ttl seconds
   * @param {number} now log time
   * @returns {number} of the request
   */
  hold(name, ttl, now) {
    const number = this.next;
    this.#core.apply({ type: 'request', client: CLIENT, number, names: [name], mode: 'exclusive', steal: true, hold: holdOf(ttl, now) });
    return number;
  }

  /** @param {number} request */
  drop(request) {
    return this.#core.apply({ type: 'drop', client: CLIENT, number: this.next, request });
  }

  /** When the next hold ends, in log time, or Infinity. */
  nextDeadline() {
    return this.#core.nextDeadline();
  }

  hash() {
    return this.#core.hash();
  }

  snapshot() {
    return this.#core.snapshot();
  }

  /** @param {Uint8Array} bytes */
  restore(bytes) {
    this.#core.restore(bytes);
  }
}

/**
 * The core counts whole milliseconds, and the present one may have begun before [now]. So this rounds up: a claim must not expire early.
 * Nor can it expire in the same millisecond, since the core checks deadlines only when time moves.
 * @param {number} ttl seconds
 * @param {number} now
 */
function holdOf(ttl, now) {
  const hold = Math.max(1, Math.ceil(now + ttl * 1000) - Math.floor(now));
  return hold > LONGEST_HOLD ? Infinity : hold;
}
