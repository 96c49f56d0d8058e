/**
 * A session is a time to live that several claims share. One renewal keeps them all, and they end with it.
 *
 * @typedef {import('./claim.js').Claim} Claim
 *
 * @typedef {object} Session
 * @property {number} id counts the sessions
 * @property {number} ttl seconds, as last requested
 * @property {string | null} owner
 * @property {number} created wall clock, milliseconds
 * @property {number} lease the number of its lease's operation in the core
 * @property {number} leaseFrom log time: when the ttl began to run
 *
 * @typedef {object} SessionView a session at one moment
 * @property {number} id
 * @property {number} ttl seconds that are left
 * @property {string | null} owner
 * @property {number} created
 * @property {number[]} active its active claims
 * @property {number[]} waiting
 */
import { remaining } from './claim.js';

const NOTHING = { resources: [], userData: null };

export class Sessions {
  last = 0;
  /** @type {Map<number, Session>} */
  #sessions = new Map();
  /** @type {Map<number, Set<Claim>>} the open claims of each, oldest first */
  #claims = new Map();
  #usage;

  /** @param {import('./usage.js').Usage} usage in which a session counts like a claim */
  constructor(usage) {
    this.#usage = usage;
  }

  get size() {
    return this.#sessions.size;
  }

  snapshot() {
    return { last: this.last, open: [...this.#sessions.values()].map((session) => ({ ...session })) };
  }

  /** @param {ReturnType<Sessions['snapshot']>} snapshot */
  restore({ last, open }) {
    this.last = last;
    this.#sessions.clear();
    this.#claims.clear();
    for (const session of open) this.add({ ...session });
    return this.#sessions.values();
  }

  /** @param {Omit<Session, 'id' | 'lease'>} made */
  create({ ttl, owner, created, leaseFrom }) {
    this.last += 1;
    const session = { id: this.last, ttl, owner, created, lease: 0, leaseFrom };
    this.add(session);
    return session;
  }

  /** @param {Session} session */
  add(session) {
    this.#sessions.set(session.id, session);
    this.#claims.set(session.id, new Set());
    this.#usage.add({ ...NOTHING, owner: session.owner });
  }

  /** @param {Session} session */
  remove(session) {
    this.#sessions.delete(session.id);
    this.#claims.delete(session.id);
    this.#usage.add({ ...NOTHING, owner: session.owner }, -1);
  }

  /** @param {number} id */
  get(id) {
    return this.#sessions.get(id);
  }

  /** @param {Claim} claim */
  enter(claim) {
    this.#claims.get(claim.session ?? 0)?.add(claim);
  }

  /** @param {Claim} claim */
  leave(claim) {
    this.#claims.get(claim.session ?? 0)?.delete(claim);
  }

  /**
   * @param {Session} session
   * @param {import('./claim.js').Status} status
   */
  claimsOf({ id }, status) {
    return [...this.#claims.get(id) ?? []].filter((claim) => claim.status === status);
  }

  /**
   * @param {Session} session
   * @param {number} now log time
   * @returns {SessionView}
   */
  describe(session, now) {
    const ids = (/** @type {import('./claim.js').Status} */ status) => this.claimsOf(session, status).map(({ id }) => id);
    const { id, owner, created, ttl, leaseFrom } = session;
    return { id, owner, created, ttl: remaining(ttl, leaseFrom, now), active: ids('active'), waiting: ids('waiting') };
  }
}
