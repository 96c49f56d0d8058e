/**
 * Each resource's active and waiting claims, oldest first.
 *
 * @typedef {import('./claim.js').Claim} Claim
 */

/** @extends {Map<string, Set<Claim>>} */
export class Queues extends Map {
  /** @param {Claim} claim */
  enter(claim) {
    for (const resource of claim.resources) {
      const queue = this.get(resource);
      if (queue) queue.add(claim);
      else this.set(resource, new Set([claim]));
    }
  }

  /** @param {Claim} claim */
  leave(claim) {
    for (const resource of claim.resources) {
      const queue = this.get(resource);
      queue?.delete(claim);
      if (queue?.size === 0) this.delete(resource);
    }
  }

  /**
   * The earliest claim that blocks a waiting one.
   * @param {Claim} claim
   * @returns {Claim | undefined}
   */
  contenderOf(claim) {
    /** @type {Claim | undefined} */
    let first;
    for (const resource of claim.resources) {
      let count = 0;
      /** @type {Claim | undefined} */
      let same;
      for (const other of this.get(resource) ?? []) {
        if (other === claim) break;
        same ??= other;
        if (limitOf(other) === limitOf(claim) && (count += 1) < limitOf(claim)) continue;
        const blocking = limitOf(other) === limitOf(claim) ? same : other;
        if (!first || rank(blocking) < rank(first)) first = blocking;
        break;
      }
    }
    return first;
  }
}

/**
 * How many claims may be active together with this one, itself included.
 * @param {Claim} claim
 */
const limitOf = ({ mode, limit }) => (mode === 'exclusive' ? 1 : limit ?? Infinity);

/**
 * Active claims come first, then older ones.
 * @param {Claim} claim
 */
const rank = (claim) => (claim.status === 'active' ? claim.id - Number.MAX_SAFE_INTEGER : claim.id);
