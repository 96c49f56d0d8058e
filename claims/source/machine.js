/**
 * The claims as a deterministic state machine over the lock manager: a batch of operations in, results and transitions out. It has no
 * clock and does no I/O; a batch brings its own times. Whoever applies the same batches in the same order has the same claims.
 *
 * A claim is a request in the core. While it is active it has a lease beside it: a lock that nobody else asks for, with the claim's ttl
 * as its hold deadline. Another ttl is a new lease, stolen from oneself; so the claim keeps its place whatever its mode, and time
 * runs out by the core's tick alone.
 *
 * A claim that waits for so long only, and a session, have such a lease too.
 *
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./claim.js').Status} Status
 * @typedef {import('./sessions.js').Session} Session
 * @typedef {import('./operations.js').Batch} Batch
 * @typedef {import('./operations.js').ClaimOperation} ClaimOperation
 * @typedef {import('./operations.js').CreateOperation} CreateOperation
 * @typedef {import('./operations.js').UpdateOperation} UpdateOperation
 * @typedef {import('./operations.js').AnySessionOperation} AnySessionOperation
 * @typedef {import('./operations.js').Refusal} Refusal
 * @typedef {Omit<ReturnType<Machine['snapshot']>, 'fences' | 'level' | 'sessions'> &
 *   Partial<Pick<ReturnType<Machine['snapshot']>, 'fences' | 'level' | 'sessions'>>} Snapshot the others came later
 * @typedef {import('./operations.js').Result} Result
 * @typedef {import('./operations.js').Transition} Transition
 * @typedef {import('lockkeeper/core').Core} Core
 * @typedef {import('lockkeeper/core').LockEvent} LockEvent
 */
import { describe, isFinal } from './claim.js';
import { Keys } from './keys.js';
import { Locks } from './locks.js';
import { FIRST_LEVEL, levelOf } from './operations.js';
import { Queues } from './queues.js';
import { Sessions } from './sessions.js';
import { Usage } from './usage.js';

/** More claims, and more grants, than there can have been since any copy was made. */
const INCARNATION = 2 ** 40;

export class Machine {
  /** @type {Map<number, Claim>} the claims that are not final, oldest first */
  open = new Map();
  queues = new Queues();
  now = 0;
  wall = 0;
  lastId = 0;
  /** What a claim's fence is above the core's. */
  fences = 0;
  /** What a server must know to go on from here, see operations.js. */
  level = FIRST_LEVEL;
  /** What the open claims and the sessions take. */
  usage = new Usage();

  #locks;
  /** @type {Map<number, Claim>} by the core's number of its request, and of its lease */
  #byNumber = new Map();
  /** @type {Map<number, Session>} by the core's number of its lease */
  #sessionByNumber = new Map();
  #sessions = new Sessions(this.usage);
  #keys = new Keys();
  /** @type {Transition[]} of the batch that is being applied */
  #transitions = [];

  /** @param {Core} core an empty one */
  constructor(core) {
    this.#locks = new Locks(core);
  }

  /**
   * @param {Batch} batch
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
   * What asking for a claim to be active comes to. Claims become active by themselves, so this changes nothing and needs no entry.
   * @param {number} id
   * @param {string} [by] who asks
   * @param {number} [now] log time
   * @returns {Result}
   */
  activate(id, by, now = this.now) {
    const claim = this.open.get(id);
    if (!claim) return this.#absent(id);
    if (by !== undefined && claim.owner !== by) return { refusal: 'forbidden' };
    if (claim.status === 'active') return { view: describe(claim, now) };
    return { refusal: 'contended', contender: this.queues.contenderOf(claim)?.id };
  }

  /**
   * @param {number} id of a session
   * @param {number} [now] log time
   */
  session(id, now = this.now) {
    const session = this.#sessions.get(id);
    return session && this.#sessions.describe(session, now);
  }

  /** How many sessions there are. */
  get sessions() {
    return this.#sessions.size;
  }

  /** When the next time to live is over, in log time, or Infinity. */
  nextDeadline() {
    return this.#locks.nextDeadline();
  }

  /**
   * Whether a claim was made by this Idempotency-Key.
   * @param {CreateOperation} operation
   */
  isRepeated({ owner, key }) {
    return key !== undefined && this.#keys.has(owner, key);
  }

  /** Equal states have equal hashes. */
  hash() {
    return this.#locks.hash();
  }

  /** The state but for the claims themselves, which are kept one by one. */
  snapshot() {
    const { now, wall, lastId, fences, level } = this;
    return {
      now, wall, lastId, fences, level,
      keys: this.#keys.snapshot(), sessions: this.#sessions.snapshot(), core: this.#locks.snapshot(),
    };
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Iterable<Claim>} claims those that are not final, oldest first
   */
  restore({ now, wall, lastId, fences = 0, level = FIRST_LEVEL, keys, sessions = { last: 0, open: [] }, core }, claims) {
    this.#locks.restore(core);
    Object.assign(this, { now, wall, lastId, fences, level });
    this.#keys = new Keys(keys);
    this.usage.clear();
    this.open.clear();
    this.queues.clear();
    this.#byNumber.clear();
    this.#sessionByNumber.clear();
    for (const session of this.#sessions.restore(sessions)) this.#sessionByNumber.set(session.lease, session);
    for (const claim of claims) {
      this.#enter(claim);
      if (claim.lease) this.#byNumber.set(claim.lease, claim);
    }
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
        this.#sessions.last += INCARNATION;
        return { incarnation: this.lastId };
      default: return this.#changeSession(operation);
    }
  }

  /**
   * @param {CreateOperation} operation
   * @returns {Result}
   */
  #create({ resources, list, mode, limit = null, ttl, waitingTtl = null, session = null, userData, owner, key, digest = '' }) {
    const earlier = key === undefined ? undefined : this.#keys.find(owner, key, this.wall);
    if (earlier) return earlier.digest === digest ? { replayed: earlier.id, active: earlier.active } : { refusal: 'key-reused' };
    const ofSession = session === null ? undefined : this.#sessions.get(session);
    if (session !== null && !ofSession) return { refusal: 'no-session' };
    if (ofSession && ofSession.owner !== owner) return { refusal: 'forbidden' };
    this.lastId += 1;
    /** @type {Claim} */
    const claim = {
      id: this.lastId, request: this.#locks.next, lease: 0, resources, list, mode, limit, ttl, waitingTtl, session, userData, owner,
      fence: 0, status: 'waiting', history: [], waitingFrom: this.now, activeFrom: NaN, leaseFrom: NaN, endedAt: NaN,
    };
    this.#enter(claim);
    this.#become(claim, 'waiting');
    this.#handle(this.#locks.request(claim));
    if (claim.status === 'waiting') this.#lease(claim, waitingTtl);
    if (key !== undefined) this.#keys.add(owner, key, { id: claim.id, digest, active: claim.status === 'active', at: this.wall });
    return { view: describe(claim, this.now) };
  }

  /**
   * @param {UpdateOperation} operation
   * @returns {Result}
   */
  #update({ id, status, ttl, waitingTtl, by, mayRevoke }) {
    const claim = this.open.get(id);
    if (!claim) return this.#absent(id);
    if (by !== undefined && claim.owner !== by && !(mayRevoke && status === 'revoked')) return { refusal: 'forbidden' };
    if (claim.status !== 'active' && (ttl !== undefined || status === 'released')) return { refusal: 'not-active' };
    if (claim.status !== 'waiting' && waitingTtl !== undefined) return { refusal: 'not-waiting' };
    if (status !== undefined) this.#end(claim, status, undefined, by);
    else if (waitingTtl === undefined) this.#lease(claim, claim.ttl = ttl ?? null);
    else this.#lease(claim, claim.waitingTtl = waitingTtl);
    return { view: describe(claim, this.now) };
  }

  /** @param {number} id */
  #absent(id) {
    /** @type {Refusal} */
    const refusal = id >= 1 && id <= this.lastId ? 'final' : 'unknown';
    return { refusal };
  }

  /**
   * @param {AnySessionOperation} operation
   * @returns {Result}
   */
  #changeSession(operation) {
    const { ttl, owner, id, by, mayRevoke } = /** @type {any} */ (operation);
    if (operation.type === 'session') {
      this.#sessions.last += 1;
      const made = { id: this.#sessions.last, ttl, owner, created: this.wall, lease: 0, leaseFrom: this.now };
      this.#sessions.add(made);
      this.#leaseSession(made);
      return { session: this.session(made.id) };
    }
    const session = this.#sessions.get(id);
    if (!session) return { refusal: 'no-session' };
    const isOwn = by === undefined || by === session.owner;
    if (!isOwn && !(mayRevoke && operation.type === 'leave')) return { refusal: 'forbidden' };
    if (operation.type === 'renew') {
      session.ttl = ttl;
      this.#leaseSession(session);
    } else {
      this.#endSession(session, isOwn ? 'withdrawn' : 'revoked', isOwn ? 'released' : 'revoked', by);
    }
    return { session: this.#sessions.describe(session, this.now) };
  }

  /**
   * @param {Session} session
   * @param {Status} waiting what becomes of its claims that wait
   * @param {Status} active and of those that are active
   * @param {string} [by]
   */
  #endSession(session, waiting, active, by) {
    if (this.#sessionByNumber.delete(session.lease)) this.#locks.drop(session.lease);
    // First those that wait, so that none of them has a turn.
    for (const claim of this.#sessions.claimsOf(session, 'waiting')) this.#end(claim, waiting, undefined, by);
    for (const claim of this.#sessions.claimsOf(session, 'active')) this.#end(claim, active, undefined, by);
    this.#sessions.remove(session);
  }

  /**
   * Time has moved.
   * @param {LockEvent[]} events
   */
  #expire(events) {
    const over = events.filter(({ type }) => type === 'expired').map(({ number }) => number);
    const claimOf = (/** @type {number} */ number) => this.#byNumber.get(number);
    // Nobody who is gone has a turn. So those who wait end first.
    for (const number of over) {
      const session = this.#sessionByNumber.get(number);
      const claim = claimOf(number);
      if (claim?.status === 'waiting') this.#end(claim, 'expired', number);
      else if (session) for (const each of this.#sessions.claimsOf(session, 'waiting')) this.#end(each, 'expired');
    }
    for (const number of over) {
      const claim = claimOf(number);
      const session = this.#sessionByNumber.get(number);
      this.#sessionByNumber.delete(number);
      if (claim) this.#end(claim, 'expired', number);
      else if (session) this.#endSession(session, 'expired', 'expired');
    }
  }

  /**
   * What the core made of its last operation.
   * @param {LockEvent[]} events
   */
  #handle(events) {
    for (const { type, number, fence } of events) {
      const claim = this.#byNumber.get(number);
      if (type !== 'granted' || !claim || number !== claim.request || isFinal(claim.status)) continue;
      claim.activeFrom = this.now;
      claim.fence = this.fences + fence;
      this.#lease(claim, claim.ttl);
      this.#become(claim, 'active');
    }
  }

  /**
   * Begins a claim's time, in the place of the one that was running.
   * @param {Claim} claim
   * @param {number | null} ttl null: there is none
   */
  #lease(claim, ttl) {
    const { lease } = claim;
    claim.lease = 0;
    if (this.#byNumber.delete(lease) && ttl === null) this.#locks.drop(lease);
    if (ttl === null) return;
    claim.leaseFrom = this.now;
    claim.lease = this.#locks.hold(`lease ${claim.id}`, ttl, this.now);
    this.#byNumber.set(claim.lease, claim);
  }

  /** @param {Session} session */
  #leaseSession(session) {
    this.#sessionByNumber.delete(session.lease);
    session.leaseFrom = this.now;
    session.lease = this.#locks.hold(`session ${session.id}`, session.ttl, this.now);
    this.#sessionByNumber.set(session.lease, session);
  }

  /**
   * @param {Claim} claim
   * @param {Status} status a final one
   * @param {number} [expired] the number of the lease that is over
   * @param {string} [by] who has asked for it
   */
  #end(claim, status, expired, by) {
    const { request, lease } = claim;
    claim.endedAt = this.now;
    claim.lease = 0;
    this.#become(claim, status, by);
    this.open.delete(claim.id);
    this.usage.add(claim, -1);
    this.queues.leave(claim);
    this.#sessions.leave(claim);
    this.#byNumber.delete(request);
    if (this.#byNumber.delete(lease) && lease !== expired) this.#locks.drop(lease);
    this.#handle(this.#locks.drop(request));
  }

  /** @param {Claim} claim */
  #enter(claim) {
    this.open.set(claim.id, claim);
    this.usage.add(claim);
    this.queues.enter(claim);
    this.#sessions.enter(claim);
    this.#byNumber.set(claim.request, claim);
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
