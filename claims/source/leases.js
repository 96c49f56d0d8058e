/**
 * The running times to live, and what they belong to. An active claim has a lease beside its lock: a lock that only it requests, with
 * the claim's ttl as its hold deadline. A new ttl is a new lease, which steals the old one. So the claim keeps its place whatever its mode,
 * and only the core's tick ends its time.
 *
 * A claim with a limited waiting time has such a lease too, and so has a session.
 *
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./sessions.js').Session} Session
 */

export class Leases {
  /** @type {Map<number, Claim>} by the core's number of its request, and of its lease */
  #claims = new Map();
  /** @type {Map<number, Session>} by the core's number of its lease */
  #sessions = new Map();
  #locks;

  /** @param {import('./locks.js').Locks} locks */
  constructor(locks) {
    this.#locks = locks;
  }

  clear() {
    this.#claims.clear();
    this.#sessions.clear();
  }

  /**
   * The claim or session with a request or lease of that number.
   * @param {number} number
   */
  claimOf(number) {
    return this.#claims.get(number);
  }

  /** @param {number} number of a lease */
  sessionOf(number) {
    return this.#sessions.get(number);
  }

  /** @param {Claim} claim with its lease, if it has one */
  enter(claim) {
    this.#claims.set(claim.request, claim);
    if (claim.lease) this.#claims.set(claim.lease, claim);
  }

  /** @param {Session} session with its lease */
  enterSession(session) {
    this.#sessions.set(session.lease, session);
  }

  /**
   * Begins a claim's time; it replaces a running one.
   * @param {Claim} claim
   * @param {number | null} ttl null: none
   * @param {number} now log time
   */
  begin(claim, ttl, now) {
    const { lease } = claim;
    claim.lease = 0;
    if (this.#claims.delete(lease) && ttl === null) this.#locks.drop(lease);
    if (ttl === null) return;
    claim.leaseFrom = now;
    claim.lease = this.#locks.hold(`lease ${claim.id}`, ttl, now);
    this.#claims.set(claim.lease, claim);
  }

  /**
   * @param {Session} session
   * @param {number} now log time
   */
  beginSession(session, now) {
    this.#sessions.delete(session.lease);
    session.leaseFrom = now;
    session.lease = this.#locks.hold(`session ${session.id}`, session.ttl, now);
    this.#sessions.set(session.lease, session);
  }

  /**
   * @param {Claim} claim that is over
   * @param {number} lease that it had
   * @param {number} [expired] the lease that the core has ended
   */
  end({ request }, lease, expired) {
    this.#claims.delete(request);
    if (this.#claims.delete(lease) && lease !== expired) this.#locks.drop(lease);
  }

  /**
   * @param {Session} session that is over
   * @param {number} [expired] the lease that the core has ended
   */
  endSession({ lease }, expired) {
    if (this.#sessions.delete(lease) && lease !== expired) this.#locks.drop(lease);
  }
}
