/**
 * What a batch of the log may hold, and what comes of it.
 *
 * @typedef {object} CreateOperation
 * @property {'create'} type
 * @property {string[]} resources
 * @property {boolean} list
 * @property {'exclusive' | 'shared'} mode
 * @property {number | null} [limit] of a shared one
 * @property {number | null} ttl seconds; null: it lasts as long as its session
 * @property {number | null} [waitingTtl] seconds that it may wait without being asked for
 * @property {number | null} [session] it ends with that one at the latest
 * @property {string | null} userData
 * @property {string | null} owner
 * @property {string} [key] makes a repetition harmless; it belongs to the owner
 * @property {string} [digest] of the request that brought the key
 *
 * @typedef {object} UpdateOperation
 * @property {'update'} type
 * @property {number} id
 * @property {'released' | 'revoked' | 'aborted' | 'withdrawn'} [status] this one
 * @property {number} [ttl] or this one
 * @property {number} [waitingTtl] or this one
 * @property {string} [by] who asks; absent: anybody may do anything
 * @property {boolean} [mayRevoke] others' claims, that is
 *
 * @typedef {{type: 'session', ttl: number, owner: string | null}} SessionOperation a new session
 * @typedef {{type: 'renew', id: number, ttl: number, by?: string}} RenewOperation of a session
 * @typedef {{type: 'leave', id: number, by?: string, mayRevoke?: boolean}} LeaveOperation a session ends, and all its claims with it
 *
 * @typedef {object} IncarnateOperation after a copy was restored: what was given out since it was made is never given again
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
 * @typedef {object} Result one of these
 * @property {Refusal} [refusal]
 * @property {number} [contender] with a refusal: the claim that is in the way
 * @property {View} [view]
 * @property {number} [replayed] the claim that the same key made before
 * @property {boolean} [active] with replayed: it was active at once
 * @property {SessionView} [session]
 * @property {number} [incarnation]
 *
 * @typedef {{claim: Claim, view: View}} Transition a claim that has just been made or changed its status
 */

import { DataError } from './log.js';

/**
 * Which operations this version knows. A server announces its level when it joins, and an operation is put into the log only when all
 * servers know it; an entry says which level it needs. So versions can be mixed while servers are replaced one by one.
 *
 *   1  version 0.1
 *   2  sessions, and claims that wait for so long only
 */
export const LEVEL = 2;
/** What a server has that says nothing. */
export const FIRST_LEVEL = 1;

/**
 * @param {ClaimOperation} operation
 * @returns {number}
 */
export function levelOf(operation) {
  const { type, session, waitingTtl } = /** @type {any} */ (operation);
  if (type === 'session' || type === 'renew' || type === 'leave') return 2;
  return (session ?? waitingTtl ?? null) === null ? FIRST_LEVEL : 2;
}

/**
 * Throws where this version does not know what is there.
 * @param {number} level
 * @param {string} what
 */
export function checkLevel(level, what) {
  if (level <= LEVEL) return;
  throw new DataError(`${what} was written by a newer version of this service: it has level ${level}, and this one knows ${LEVEL}. `
    + 'Nothing was changed; start the newer version.');
}
