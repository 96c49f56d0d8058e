/**
 * The claims as a deterministic state machine over the lock manager: a batch of operations in, results and transitions out. It has no
 * clock and does no I/O; a batch brings its own times. Servers that apply the same batches in the same order have the same claims.
 *
 * A claim is a request in the core. Its time to live is another request: see leases.js.
 *
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./claim.js').Status} Status
 * @typedef {import('./sessions.js').Session} Session
 * @typedef {import('./operations.js').ClaimOperation} ClaimOperation
 * @typedef {Omit<ReturnType<Machine['snapshot']>, 'fences' | 'level' | 'sessions'> &
 *   Partial<Pick<ReturnType<Machine['snapshot']>, 'fences' | 'level' | 'sessions'>>} Snapshot the optional ones were added later
 * @typedef {import('./operations.js').Result} Result
 * @typedef {import('./operations.js').Transition} Transition
 */
import { describe, isFinal, newClaim } from './claim.js';
import { Keys, repeated } from './keys.js';
import { Leases } from './leases.js';
import { Locks } from './locks.js';
import { FIRST_LEVEL, levelOf } from './operations.js';
import { Queues } from './queues.js';
import { refusalOfAbsent, refusalOfMember, refusalOfUpdate } from './refusals.js';
import { Sessions } from './sessions.js';
import { Usage } from './usage.js';

/** More than the claims, and the grants, that can have been made since any copy. */
const INCARNATION = 2 ** 40;

export class Machine {
  /** @type {Map<number, Claim>} the claims that are not final, oldest first */
  open = new Map();
  queues = new Queues();
  now = 0;
  wall = 0;
  lastId = 0;
  /** How much higher a claim's fence is than the core's. */
  fences = 0;
  /** The level that a server needs to continue from here, see operations.js. */
  level = FIRST_LEVEL;
  /** The memory of the open claims and the sessions. */
  usage = new Usage();
  sessions = new Sessions(this.usage);
  /** The Idempotency-Keys of claims. */
  keys = new Keys();

  #locks;
  #leases;
  /** @type {Transition[]} of the batch that is being applied */
  #transitions = [];

  /** @param {import('lockkeeper/core').Core} core an empty one */
  constructor(core) {
    this.#locks = new Locks(core);
    this.#leases = new Leases(this.#locks);
  }

  /**
   * @param {import('./operations.js').Batch} batch
   * @returns {{results: Result[], transitions: Transition[]}}
   */
  apply({ now, wall, operations }) {
    this.now = Math.max(this.now, now);
    this.wall = wall;
    this.#transitions = [];
    this.#expire(this.#locks.tick(this.now));
    const results = operations.map((operation) => this.#perform(operation));
    return { results, transitions: this.#transitions };
  }

  /**
   * The result of requesting that a claim be active. Claims become active by themselves, so this changes nothing and needs no entry.
   * @param {number} id
   * @param {string} [by] the user that asks
   * @param {number} [now] log time
   * @returns {Result}
   */
  activate(id, by, now = this.now) {
    const claim = this.open.get(id);
    if (!claim) return { refusal: refusalOfAbsent(id, this.lastId) };
    if (by !== undefined && claim.owner !== by) return { refusal: 'forbidden' };
    if (claim.status === 'active') return { view: describe(claim, now) };
    return { refusal: 'contended', contender: this.queues.contenderOf(claim)?.id };
  }

  /**
   * @param {number} id of a session
   * @param {number} [now] log time
   */
  session(id, now = this.now) {
    const session = this.sessions.get(id);
    return session && this.sessions.describe(session, now);
  }

  /** When the next time to live ends, in log time, or Infinity. */
  nextDeadline() {
    return this.#locks.nextDeadline();
  }

  /** Equal states have equal hashes. */
  hash() {
    return this.#locks.hash();
  }

  /** The state without the claims, which are kept one by one. */
  snapshot() {
    const { now, wall, lastId, fences, level, keys, sessions } = this;
    return { now, wall, lastId, fences, level, keys: keys.snapshot(), sessions: sessions.snapshot(), core: this.#locks.snapshot() };
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Iterable<Claim>} claims that are not final, oldest first
   */
  restore({ now, wall, lastId, fences = 0, level = FIRST_LEVEL, keys, sessions = { last: 0, open: [] }, core }, claims) {
    this.#locks.restore(core);
    Object.assign(this, { now, wall, lastId, fences, level });
    this.keys = new Keys(keys);
    this.usage.clear();
    this.open.clear();
    this.queues.clear();
    this.#leases.clear();
    for (const session of this.sessions.restore(sessions)) this.#leases.enterSession(session);
    for (const claim of claims) this.#enter(claim);
  }

  /**
   * @param {ClaimOperation} operation
   * @returns {Result}
   */
  #perform(operation) {
    this.level = Math.max(this.level, levelOf(operation));
    switch (operation.type) {
      case 'create': return this.#create(operation);
      case 'update': return this.#update(operation);
      case 'incarnate':
        this.lastId += INCARNATION;
        this.fences += INCARNATION;
        this.sessions.last += INCARNATION;
        return { incarnation: this.lastId };
      default: return this.#changeSession(operation);
    }
  }

  /**
   * @param {import('./operations.js').CreateOperation} operation
   * @returns {Result}
   */
  #create(operation) {
    const earlier = this.keys.find(operation, this.wall, this.open);
    if (earlier) return repeated(earlier, operation.digest);
    const refusal = refusalOfMember(operation, this.sessions.get(operation.session ?? 0));
    if (refusal) return { refusal };
    this.lastId += 1;
    const claim = newClaim(operation, { id: this.lastId, request: this.#locks.next, now: this.now });
    this.#enter(claim);
    this.#become(claim, 'waiting');
    this.#handle(this.#locks.request(claim));
    if (claim.status === 'waiting') this.#leases.begin(claim, claim.waitingTtl ?? null, this.now);
    this.keys.add(operation, claim, this.wall);
    return { view: describe(claim, this.now) };
  }

  /**
   * @param {import('./operations.js').UpdateOperation} operation
   * @returns {Result}
   */
  #update(operation) {
    const { id, status, ttl, waitingTtl, by } = operation;
    const claim = this.open.get(id);
    const refusal = claim ? refusalOfUpdate(claim, operation) : refusalOfAbsent(id, this.lastId);
    if (!claim || refusal) return { refusal };
    if (status !== undefined) this.#end(claim, status, undefined, by);
    else if (waitingTtl === undefined) this.#leases.begin(claim, claim.ttl = ttl ?? null, this.now);
    else this.#leases.begin(claim, claim.waitingTtl = waitingTtl, this.now);
    return { view: describe(claim, this.now) };
  }

  /**
   * @param {import('./operations.js').AnySessionOperation} operation
   * @returns {Result}
   */
  #changeSession(operation) {
    const { ttl, owner, id, by, mayRevoke } = /** @type {any} */ (operation);
    if (operation.type === 'session') {
      const made = this.sessions.create({ ttl, owner, created: this.wall, leaseFrom: this.now });
      this.#leases.beginSession(made, this.now);
      return { session: this.session(made.id) };
    }
    const session = this.sessions.get(id);
    if (!session) return { refusal: 'no-session' };
    const isOwn = by === undefined || by === session.owner;
    if (!isOwn && !(mayRevoke && operation.type === 'leave')) return { refusal: 'forbidden' };
    if (operation.type === 'renew') {
      session.ttl = ttl;
      this.#leases.beginSession(session, this.now);
    } else {
      this.#endSession(session, isOwn ? 'withdrawn' : 'revoked', isOwn ? 'released' : 'revoked', { by });
    }
    return { session: this.sessions.describe(session, this.now) };
  }

  /**
   * @param {Session} session
   * @param {Status} waiting the new status of its waiting claims
   * @param {Status} active and of its active claims
   * @param {{by?: string, expired?: number}} [how] the user that requested it; the number of the lease that is over
   */
  #endSession(session, waiting, active, { by, expired } = {}) {
    this.#leases.endSession(session, expired);
    this.#endWaiting(this.sessions.claimsOf(session, 'waiting'), waiting, { by });
    for (const claim of this.sessions.claimsOf(session, 'active')) this.#end(claim, active, undefined, by);
    this.sessions.remove(session);
  }

  /**
   * Waiting claims end before active ones, and the newest of them first, so that none of them becomes active meanwhile.
   * @param {Claim[]} claims
   * @param {Status} status
   * @param {{by?: string, over?: Set<number>}} [how] the user that requested it; the leases that are over
   */
  #endWaiting(claims, status, { by, over } = {}) {
    const newestFirst = [...new Set(claims)].sort((a, b) => b.id - a.id);
    for (const claim of newestFirst) this.#end(claim, status, over?.has(claim.lease) ? claim.lease : undefined, by);
  }

  /**
   * Time has moved.
   * @param {import('lockkeeper/core').LockEvent[]} events
   */
  #expire(events) {
    const over = new Set(events.filter(({ type }) => type === 'expired').map(({ number }) => number));
    const claims = [...over].flatMap((number) => {
      const session = this.#leases.sessionOf(number);
      return session ? this.sessions.claimsOf(session, 'waiting') : this.#leases.claimOf(number) ?? [];
    });
    this.#endWaiting(claims.filter(({ status }) => status === 'waiting'), 'expired', { over });
    for (const number of over) {
      const claim = this.#leases.claimOf(number);
      const session = this.#leases.sessionOf(number);
      if (claim) this.#end(claim, 'expired', number);
      else if (session) this.#endSession(session, 'expired', 'expired', { expired: number });
    }
  }

  /**
   * Applies the events of the core's last operation.
   * @param {import('lockkeeper/core').LockEvent[]} events
   */
  #handle(events) {
    for (const { type, number, fence } of events) {
      const claim = this.#leases.claimOf(number);
      if (type !== 'granted' || !claim || number !== claim.request || isFinal(claim.status)) continue;
      claim.activeFrom = this.now;
      claim.fence = this.fences + fence;
      this.#leases.begin(claim, claim.ttl, this.now);
      this.#become(claim, 'active');
    }
  }

  /**
   * @param {Claim} claim
   * @param {Status} status a final one
   * @param {number} [expired] the number of the lease that is over
   * @param {string} [by] the user that requested it
   */
  #end(claim, status, expired, by) {
    const { lease } = claim;
    claim.endedAt = this.now;
    claim.lease = 0;
    this.#become(claim, status, by);
    this.open.delete(claim.id);
    this.usage.add(claim, -1);
    this.queues.leave(claim);
    this.sessions.leave(claim);
    this.keys.ended(claim.id);
    this.#leases.end(claim, lease, expired);
    this.#handle(this.#locks.drop(claim.request));
  }

  /** @param {Claim} claim */
  #enter(claim) {
    this.open.set(claim.id, claim);
    this.usage.add(claim);
    this.queues.enter(claim);
    this.sessions.enter(claim);
    this.#leases.enter(claim);
  }

  /**
   * @param {Claim} claim
   * @param {Status} status
   * @param {string} [by]
   */
  #become(claim, status, by) {
    claim.status = status;
    claim.history.push({ status, at: this.wall, ...(status === 'revoked' && by !== undefined && { by }) });
    this.#transitions.push({ claim, view: describe(claim, this.now) });
  }
}
