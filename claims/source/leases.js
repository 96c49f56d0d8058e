/**
 * The times to live that run, and whom they belong to. While a claim is active it has a lease beside its lock: a lock that nobody else
 * asks for, with the claim's ttl as its hold deadline. Another ttl is a new lease, stolen from oneself; so the claim keeps its place
 * whatever its mode, and time runs out by the core's tick alone.
 *
 * A claim that waits for so long only, and a session, have such a lease too.
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
   * Whose request, or lease, has that number.
   * @param {number} number
   */
  claimOf(number) {
    return this.#claims.get(number);
  }

  /** @param {number} number of a lease */
  sessionOf(number) {
    return this.#sessions.get(number);
  }

  /** @param {Claim} claim with the lease that it has, if it has one */
  enter(claim) {
    this.#claims.set(claim.request, claim);
    if (claim.lease) this.#claims.set(claim.lease, claim);
  }

  /** @param {Session} session with its lease */
  enterSession(session) {
    this.#sessions.set(session.lease, session);
  }

  /**
   * Begins a claim's time, in the place of the one that was running.
   * @param {Claim} claim
   * @param {number | null} ttl null: there is none
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
   * @param {Claim} claim one that is over
   * @param {number} lease that it had
   * @param {number} [expired] the lease that the core has ended itself
   */
  end({ request }, lease, expired) {
    this.#claims.delete(request);
    if (this.#claims.delete(lease) && lease !== expired) this.#locks.drop(lease);
  }

  /**
   * @param {Session} session one that is over
   * @param {number} [expired] the lease that the core has ended itself
   */
  endSession({ lease }, expired) {
    if (this.#sessions.delete(lease) && lease !== expired) this.#locks.drop(lease);
  }
}
