/** How much memory the open claims take, in all and by owner, and the limits. */
import { OPEN_CLAIMS } from './budget.js';
import { Full } from './log.js';

/** The size of a claim with its Idempotency-Key, but without its other texts, in memory and in the core, in bytes, roughly. */
const CLAIM = 900;
const RESOURCE = 200;

/**
 * @typedef {object} Limits of open claims
 * @property {number} claims in all
 * @property {number} bytes in all, roughly
 * @property {number} ownerClaims of one owner; claims without an owner only count in all
 * @property {number} ownerBytes
 *
 * @typedef {{resources: string[], userData: string | null, owner: string | null}} Measured
 */

/** @type {Limits} */
export const DEFAULT_LIMITS = {
  claims: 200_000, bytes: OPEN_CLAIMS, ownerClaims: 20_000, ownerBytes: Math.floor(OPEN_CLAIMS / 4),
};

/** @param {Measured} claim */
export const sizeOf = ({ resources, userData, owner }) =>
  resources.reduce((sum, resource) => sum + RESOURCE + 2 * resource.length, CLAIM + 2 * (userData?.length ?? 0) + 2 * (owner?.length ?? 0));

export class Usage {
  claims = 0;
  bytes = 0;
  /** @type {Map<string, {claims: number, bytes: number}>} */
  #owners = new Map();

  clear() {
    this.claims = this.bytes = 0;
    this.#owners.clear();
  }

  /**
   * @param {Measured} claim
   * @param {1 | -1} [times] -1 subtracts it
   */
  add(claim, times = 1) {
    const size = sizeOf(claim) * times;
    this.claims += times;
    this.bytes += size;
    if (claim.owner === null) return;
    const own = this.#owners.get(claim.owner) ?? { claims: 0, bytes: 0 };
    own.claims += times;
    own.bytes += size;
    if (own.claims === 0) this.#owners.delete(claim.owner);
    else this.#owners.set(claim.owner, own);
  }

  /** @param {string | null} owner */
  of(owner) {
    return (owner !== null && this.#owners.get(owner)) || { claims: 0, bytes: 0 };
  }
}

/**
 * @param {Measured} claim one more
 * @param {Usage[]} usages of the existing claims, and of those that are being made
 * @param {Limits} limits
 */
export function checkRoom(claim, usages, limits) {
  const sum = (/** @type {(usage: Usage) => number} */ read) => usages.reduce((total, usage) => total + read(usage), 0);
  const size = sizeOf(claim);
  if (sum((usage) => usage.of(claim.owner).claims) >= limits.ownerClaims) {
    throw new Full(`You have ${limits.ownerClaims} open claims, and more are not allowed.`, true);
  }
  if (sum((usage) => usage.of(claim.owner).bytes) + size > limits.ownerBytes) {
    throw new Full(`Your open claims take ${limits.ownerBytes} bytes, and more is not allowed.`, true);
  }
  if (sum((usage) => usage.claims) >= limits.claims) throw new Full(`The service has ${limits.claims} open claims, and takes no more.`);
  if (sum((usage) => usage.bytes) + size > limits.bytes) {
    throw new Full(`The service's open claims take ${limits.bytes} bytes, and it takes no more.`);
  }
}
