/**
 * What a claim is, and its view at a moment of log time.
 *
 * @typedef {'waiting' | 'active' | 'released' | 'expired' | 'revoked' | 'aborted' | 'withdrawn'} Status
 *
 * @typedef {{status: Status, at: number, by?: string}} Step [at]: wall clock, milliseconds; [by]: the user that revoked it
 *
 * @typedef {object} Claim
 * @property {number} id counts the claims
 * @property {number} request the number of its operation in the core
 * @property {number} lease the number of its lease's operation in the core; 0 if it has none
 * @property {string[]} resources
 * @property {boolean} list whether its resource was given as a list
 * @property {'exclusive' | 'shared'} mode
 * @property {number | null} [limit] of a shared claim: so many may be active at once, if all claims of the resource agree; null: any number
 * @property {number | null} ttl seconds, as last requested; null: as long as its session
 * @property {number | null} [waitingTtl] seconds that it may wait without being polled
 * @property {number | null} [session] the claim ends with this session at the latest
 * @property {string | null} userData JSON text, as it came
 * @property {string | null} owner
 * @property {number} fence grows from grant to grant; 0 until it is active
 * @property {Status} status
 * @property {Step[]} history
 * @property {number} waitingFrom log time in milliseconds, like the other three
 * @property {number} activeFrom NaN until it is active
 * @property {number} leaseFrom when the ttl began to run, or while it waits, the waiting ttl
 * @property {number} endedAt NaN until it is final
 *
 * @typedef {object} View a claim at one moment
 * @property {number} id
 * @property {string[]} resources
 * @property {boolean} list
 * @property {'exclusive' | 'shared'} mode
 * @property {number | null} limit
 * @property {string | null} userData
 * @property {string | null} owner
 * @property {number | null} fence
 * @property {Status} status
 * @property {Step[]} history
 * @property {number | null} ttl seconds that are left; the two durations are seconds, too
 * @property {number | null} activeDuration
 * @property {number} waitingDuration
 * @property {number | null} waitingTtl seconds that are left
 * @property {number | null} session
 */

/** @type {Status[]} Indexes of this list are written to disk: append only. */
export const STATUSES = ['waiting', 'active', 'released', 'expired', 'revoked', 'aborted', 'withdrawn'];

/** @param {Status} status */
export const isFinal = (status) => status !== 'waiting' && status !== 'active';

/**
 * @param {import('./operations.js').CreateOperation} operation
 * @param {{id: number, request: number, now: number}} made [now]: log time
 * @returns {Claim}
 */
export const newClaim = (operation, { id, request, now }) => {
  const { resources, list, mode, limit = null, ttl, waitingTtl = null, session = null, userData, owner } = operation;
  return {
    id, request, lease: 0, resources, list, mode, limit, ttl, waitingTtl, session, userData, owner,
    fence: 0, status: 'waiting', history: [], waitingFrom: now, activeFrom: NaN, leaseFrom: NaN, endedAt: NaN,
  };
};

/**
 * @param {Claim} claim
 * @param {number} now log time
 */
export const waitingDuration = (claim, now) =>
  seconds((Number.isNaN(claim.activeFrom) ? end(claim, now) : claim.activeFrom) - claim.waitingFrom);

/**
 * @param {Claim} claim
 * @param {number} now log time
 */
export const activeDuration = (claim, now) => (Number.isNaN(claim.activeFrom) ? null : seconds(end(claim, now) - claim.activeFrom));

/**
 * What is left of the ttl; null if the claim is not active, or lasts as long as its session.
 * @param {Claim} claim
 * @param {number} now log time
 */
export const remainingTtl = ({ status, ttl, leaseFrom }, now) =>
  (status === 'active' && ttl !== null ? remaining(ttl, leaseFrom, now) : null);

/**
 * How long it may still wait; null if there is no limit, or it does not wait.
 * @param {Claim} claim
 * @param {number} now log time
 */
export const remainingWait = ({ status, waitingTtl = null, leaseFrom }, now) =>
  (status === 'waiting' && waitingTtl !== null ? remaining(waitingTtl, leaseFrom, now) : null);

/**
 * @param {number} ttl seconds
 * @param {number} from log time
 * @param {number} now log time
 */
export function remaining(ttl, from, now) {
  const elapsed = Math.max(0, now - from) / 1000;
  return elapsed === 0 ? ttl : Math.max(0, Math.round((ttl - elapsed) * 1e6) / 1e6);
}

/**
 * @param {Claim} claim
 * @param {number} now log time
 * @returns {View}
 */
export function describe(claim, now) {
  return {
    id: claim.id,
    resources: claim.resources,
    list: claim.list,
    mode: claim.mode,
    limit: claim.limit ?? null,
    userData: claim.userData,
    owner: claim.owner,
    fence: claim.fence || null,
    status: claim.status,
    history: [...claim.history],
    ttl: remainingTtl(claim, now),
    activeDuration: activeDuration(claim, now),
    waitingDuration: waitingDuration(claim, now),
    waitingTtl: remainingWait(claim, now),
    session: claim.session ?? null,
  };
}

/**
 * @param {Claim} claim
 * @param {number} now
 */
const end = (claim, now) => (Number.isNaN(claim.endedAt) ? now : claim.endedAt);

/** @param {number} milliseconds */
const seconds = (milliseconds) => Math.max(0, Math.round(milliseconds * 1000) / 1e6);
