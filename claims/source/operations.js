/**
 * The operations of a batch, and their results.
 *
 * @typedef {object} CreateOperation
 * @property {'create'} type
 * @property {string[]} resources
 * @property {boolean} list
 * @property {'exclusive' | 'shared'} mode
 * @property {number | null} [limit] of a shared claim
 * @property {number | null} ttl seconds; null: as long as its session
 * @property {number | null} [waitingTtl] seconds that it may wait without being polled
 * @property {number | null} [session] the claim ends with this session at the latest
 * @property {string | null} userData
 * @property {string | null} owner
 * @property {string} [key] makes a repetition harmless; it belongs to the owner
 * @property {string} [digest] of the request that brought the key
 * @property {true} [keepsKey] the key is known at least while the claim is open
 *
 * @typedef {object} UpdateOperation
 * @property {'update'} type
 * @property {number} id
 * @property {'released' | 'revoked' | 'aborted' | 'withdrawn'} [status] either this
 * @property {number} [ttl] or this
 * @property {number} [waitingTtl] or this
 * @property {string} [by] the user that requests it; absent: everything is allowed
 * @property {boolean} [mayRevoke] others' claims
 *
 * @typedef {{type: 'session', ttl: number, owner: string | null}} SessionOperation a new session
 * @typedef {{type: 'renew', id: number, ttl: number, by?: string}} RenewOperation of a session
 * @typedef {{type: 'leave', id: number, by?: string, mayRevoke?: boolean}} LeaveOperation ends a session and all its claims
 *
 * @typedef {object} IncarnateOperation after a copy was restored: ids and fences that were given since the copy are never given again
 * @property {'incarnate'} type
 *
 * @typedef {SessionOperation | RenewOperation | LeaveOperation} AnySessionOperation
 * @typedef {CreateOperation | UpdateOperation | AnySessionOperation | IncarnateOperation} ClaimOperation
 *
 * @typedef {object} Batch
 * @property {number} now log time, milliseconds
 * @property {number} wall milliseconds since 1970
 * @property {ClaimOperation[]} operations
 *
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./claim.js').View} View
 * @typedef {import('./sessions.js').SessionView} SessionView
 *
 * @typedef {'unknown' | 'final' | 'forbidden' | 'contended' | 'not-active' | 'not-waiting' | 'key-reused' | 'no-session'} Refusal
 *
 * @typedef {object} Result has one of these
 * @property {Refusal} [refusal]
 * @property {number} [contender] with a refusal: the claim that blocks it
 * @property {View} [view]
 * @property {number} [replayed] the claim that the same key made before
 * @property {boolean} [active] with replayed: whether it was active at once
 * @property {SessionView} [session]
 * @property {number} [incarnation]
 *
 * @typedef {{claim: Claim, view: View}} Transition a claim was made, or has changed its status
 */

import { DataError } from './log.js';

/**
 * Which operations this version knows. A server announces its level when it joins. An operation is put into the log only if all servers
 * know it, and an entry names the level that it needs. So versions can be mixed while servers are replaced one by one.
 *
 *   1  version 0.1
 *   2  sessions, and claims with a limited waiting time
 *   3  keys that are known while their claims are open
 */
export const LEVEL = 3;
/** The level of a server that announces none. */
export const FIRST_LEVEL = 1;

/**
 * @param {ClaimOperation} operation
 * @returns {number}
 */
export function levelOf(operation) {
  const { type, session, waitingTtl, keepsKey } = /** @type {any} */ (operation);
  if (keepsKey) return 3;
  if (type === 'session' || type === 'renew' || type === 'leave') return 2;
  return (session ?? waitingTtl ?? null) === null ? FIRST_LEVEL : 2;
}

/**
 * Throws an error if this version does not know an operation.
 * @param {number} level
 * @param {string} what
 */
export function checkLevel(level, what) {
  if (level <= LEVEL) return;
  throw new DataError(`${what} was written by a newer version of this service: it has level ${level}, and this one knows ${LEVEL}. `
    + 'Nothing was changed; start the newer version.');
}
