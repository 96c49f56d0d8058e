/** The values that lists filter by, in columns of numbers. So each of a million final claims costs some thirty bytes. */
import { STATUSES, activeDuration, remainingTtl, waitingDuration } from './claim.js';
import { hashOf } from './record.js';

/** @typedef {import('./claim.js').Claim} Claim */
/** @typedef {import('./filters.js').Filters} Filters */

/** How many claims a block has. */
export const BLOCK = 2 ** 16;
/** The status of a claim that does not exist, or was forgotten. */
export const NONE = 255;

/** The columns of claims with consecutive ids. */
export class Block {
  status = new Uint8Array(BLOCK).fill(NONE);
  hash = new Uint32Array(BLOCK);
  created = new Float64Array(BLOCK);
  waiting = new Float64Array(BLOCK);
  active = new Float64Array(BLOCK);
  claims = 0;
  /** How many of the claims are not final. */
  open = 0;
}

/**
 * @param {Filters} filters
 * @param {number} now
 * @param {{live: Map<number, Claim>, several: Map<number, number[]>}} register
 * @returns {(block: Block, place: number, id: number) => boolean}
 */
export function createTest(filters, now, { live, several }) {
  const status = filters.status === undefined ? undefined : STATUSES.indexOf(filters.status);
  const hash = filters.resource === undefined ? undefined : hashOf(filters.resource);
  // Plain numbers instead of functions, since a list goes through a million claims.
  const { minimum_ttl: leastTtl = -Infinity, maximum_ttl: mostTtl = Infinity } = filters;
  const { minimum_created: leastCreated = -Infinity, maximum_created: mostCreated = Infinity } = filters;
  const { minimum_active_duration: leastActive = -Infinity, maximum_active_duration: mostActive = Infinity } = filters;
  const { minimum_waiting_duration: leastWaiting = -Infinity, maximum_waiting_duration: mostWaiting = Infinity } = filters;
  const ttl = leastTtl !== -Infinity || mostTtl !== Infinity;
  const created = leastCreated !== -Infinity || mostCreated !== Infinity;
  const active = leastActive !== -Infinity || mostActive !== Infinity;
  const waiting = leastWaiting !== -Infinity || mostWaiting !== Infinity;
  const lasting = STATUSES.indexOf('active');
  return (block, place, id) => {
    if (status !== undefined && block.status[place] !== status) return false;
    if (hash !== undefined && block.hash[place] !== hash && !several.get(id)?.includes(hash)) return false;
    if (created && !isWithin(block.created[place], leastCreated, mostCreated)) return false;
    if (!ttl && !active && !waiting) return true;
    if (block.status[place] > lasting) {
      return !ttl && (!active || isWithin(block.active[place], leastActive, mostActive)) &&
        (!waiting || isWithin(block.waiting[place], leastWaiting, mostWaiting));
    }
    const claim = /** @type {Claim} */ (live.get(id));
    if (ttl && !isWithin(remainingTtl(claim, now) ?? NaN, leastTtl, mostTtl)) return false;
    if (active && !isWithin(activeDuration(claim, now) ?? NaN, leastActive, mostActive)) return false;
    return !waiting || isWithin(waitingDuration(claim, now), leastWaiting, mostWaiting);
  };
}

/**
 * Bounds are inclusive. A claim without a value (NaN) is in no range.
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
function isWithin(value, least, most) {
  return value >= least && value <= most;
}
