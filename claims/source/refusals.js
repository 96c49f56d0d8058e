/**
 * The reasons why an operation is refused.
 *
 * @typedef {import('./operations.js').Refusal} Refusal
 */

/**
 * @param {number} id of a claim that is not open
 * @param {number} lastId the greatest id so far
 * @returns {Refusal}
 */
export const refusalOfAbsent = (id, lastId) => (id >= 1 && id <= lastId ? 'final' : 'unknown');

/**
 * @param {import('./claim.js').Claim} claim that is open
 * @param {import('./operations.js').UpdateOperation} operation
 * @returns {Refusal | undefined}
 */
export function refusalOfUpdate(claim, { status, ttl, waitingTtl, by, mayRevoke }) {
  if (by !== undefined && claim.owner !== by && !(mayRevoke && status === 'revoked')) return 'forbidden';
  if (claim.status !== 'active' && (ttl !== undefined || status === 'released')) return 'not-active';
  return claim.status !== 'waiting' && waitingTtl !== undefined ? 'not-waiting' : undefined;
}

/**
 * Why a claim cannot be made in a session.
 * @param {import('./operations.js').CreateOperation} operation
 * @param {import('./sessions.js').Session | undefined} session that it names
 * @returns {Refusal | undefined}
 */
export function refusalOfMember({ session: named = null, owner }, session) {
  if (named === null) return undefined;
  if (!session) return 'no-session';
  return session.owner === owner ? undefined : 'forbidden';
}
