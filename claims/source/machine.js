/**
 * The claims as a deterministic state machine over the lock manager: a batch of operations in, results and transitions out. It has no
 * clock and does no I/O; a batch brings its own times. Whoever applies the same batches in the same order has the same claims.
 *
 * A claim is a request in the core. While it is active it has a lease beside it: a lock that nobody else asks for, with the claim's ttl
 * as its hold deadline. Another ttl is a new lease, stolen from oneself; so the claim keeps its place whatever its mode, and time
 * runs out by the core's tick alone.
 *
 * @typedef {object} CreateOperation
 * @property {'create'} type
 * @property {string[]} resources
 * @property {boolean} list
 * @property {'exclusive' | 'shared'} mode
 * @property {number | null} [limit] of a shared one
 * @property {number} ttl
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
 * @property {string} [by] who asks; absent: anybody may do anything
 * @property {boolean} [mayRevoke] others' claims, that is
 *
 * @typedef {object} IncarnateOperation after a copy was restored: what was given out since it was made is never given again
 * @property {'incarnate'} type
 *
 * @typedef {CreateOperation | UpdateOperation | IncarnateOperation} ClaimOperation
 *
 * @typedef {object} Batch
 * @property {number} now log time, milliseconds
 * @property {number} wall milliseconds since 1970
 * @property {ClaimOperation[]} operations
 *
 * @typedef {'unknown' | 'final' | 'forbidden' | 'contended' | 'not-active' | 'key-reused'} Refusal
 * @typedef {{view: View, contender?: undefined, refusal?: undefined}} Done
 * @typedef {{replayed: number, active: boolean, refusal?: undefined, view?: undefined}} Replayed the claim that the same key made before
 * @typedef {{refusal: Refusal, contender?: number, view?: undefined}} Refused [contender]: the claim that is in the way
 * @typedef {{incarnation: number, refusal?: undefined, view?: undefined, replayed?: undefined, active?: undefined}} Incarnated
 * @typedef {Done | Replayed | Refused | Incarnated} Result
 *
 * @typedef {{claim: Claim, view: View}} Transition a claim that has just been made or changed its status
 */
import { describe, isFinal } from './claim.js';
import { Usage } from './usage.js';

/** @typedef {import('./claim.js').Claim} Claim */
/** @typedef {import('./claim.js').View} View */
/** @typedef {import('./claim.js').Status} Status */
/** @typedef {import('lockkeeper/core').Core} Core */
/** @typedef {import('lockkeeper/core').LockEvent} LockEvent */

const CLIENT = 'claims';
/** Keys are for repetitions after a lost answer, so the last ones are enough; and nobody repeats himself after a day. */
const KEYS_KEPT = 10_000;
const KEY_LIFE = 24 * 3600 * 1000;
/** More claims, and more grants, than there can have been since any copy was made. */
const INCARNATION = 2 ** 40;
/** Above this many milliseconds a ttl does not end. */
const LONGEST_HOLD = 2 ** 50;

export class Machine {
  /** @type {Map<number, Claim>} the claims that are not final, oldest first */
  open = new Map();
  now = 0;
  wall = 0;
  lastId = 0;
  /** What a claim's fence is above the core's. */
  fences = 0;

  /** @type {Map<string, Set<Claim>>} who waits for and has each resource, oldest first */
  queues = new Map();
  /** What the open claims take. */
  usage = new Usage();

  /** @type {Core} */
  #core;
  /** @type {Map<number, Claim>} by the core's number of its request, and of its lease */
  #byNumber = new Map();
  /** @type {Map<string, {id: number, digest: string, active: boolean, at: number}>} oldest first */
  #keys = new Map();
  /** @type {Transition[]} of the batch that is being applied */
  #transitions = [];

  /** @param {Core} core an empty one */
  constructor(core) {
    this.#core = core;
    core.apply({ type: 'join', client: CLIENT, number: 1 });
  }

  /**
   * @param {Batch} batch
   * @returns {{results: Result[], transitions: Transition[]}}
   */
  apply({ now, wall, operations }) {
    this.now = Math.max(this.now, now);
    this.wall = wall;
    this.#transitions = [];
    this.#handle(this.#core.apply({ type: 'tick', now: Math.floor(this.now) }));
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
    return claim.status === 'active' ? { view: describe(claim, now) } : { refusal: 'contended', contender: this.contenderOf(claim)?.id };
  }

  /** When the next claim expires, in log time, or Infinity. */
  nextDeadline() {
    return this.#core.nextDeadline();
  }

  /**
   * Whether a claim was made by this Idempotency-Key.
   * @param {CreateOperation} operation
   */
  isRepeated({ owner, key }) {
    return key !== undefined && this.#keys.has(keyOf(owner, key));
  }

  /** Equal states have equal hashes. */
  hash() {
    return this.#core.hash();
  }

  /**
   * The earliest claim that keeps a waiting one from being active.
   * @param {Claim} claim
   * @returns {Claim | undefined}
   */
  contenderOf(claim) {
    /** @type {Claim | undefined} */
    let first;
    for (const resource of claim.resources) {
      let count = 0;
      /** @type {Claim | undefined} */
      let same;
      for (const other of this.queues.get(resource) ?? []) {
        if (other === claim) break;
        same ??= other;
        if (limitOf(other) === limitOf(claim) && (count += 1) < limitOf(claim)) continue;
        const blocking = limitOf(other) === limitOf(claim) ? same : other;
        if (!first || rank(blocking) < rank(first)) first = blocking;
        break;
      }
    }
    return first;
  }

  /** The state but for the claims themselves, which are kept one by one. */
  snapshot() {
    return { now: this.now, wall: this.wall, lastId: this.lastId, fences: this.fences, keys: [...this.#keys], core: this.#core.snapshot() };
  }

  /**
   * @param {{now: number, wall: number, lastId: number, fences?: number, keys: [string, any][], core: Uint8Array}} snapshot
   * @param {Iterable<Claim>} claims those that are not final, oldest first
   */
  restore({ now, wall, lastId, fences = 0, keys, core }, claims) {
    this.#core.restore(core);
    Object.assign(this, { now, wall, lastId, fences });
    this.#keys = new Map(keys);
    this.open.clear();
    this.queues.clear();
    this.usage.clear();
    this.#byNumber.clear();
    for (const claim of claims) {
      this.#enter(claim);
      this.#byNumber.set(claim.request, claim);
      if (claim.lease) this.#byNumber.set(claim.lease, claim);
    }
  }

  /**
   * @param {ClaimOperation} operation
   * @returns {Result}
   */
  #perform(operation) {
    if (operation.type === 'create') return this.#create(operation);
    if (operation.type === 'update') return this.#update(operation);
    this.lastId += INCARNATION;
    this.fences += INCARNATION;
    return { incarnation: this.lastId };
  }

  /**
   * @param {CreateOperation} operation
   * @returns {Result}
   */
  #create({ resources, list, mode, limit = null, ttl, userData, owner, key, digest = '' }) {
    const ownKey = key === undefined ? undefined : keyOf(owner, key);
    const earlier = ownKey === undefined ? undefined : this.#findKey(ownKey);
    if (earlier) return earlier.digest === digest ? { replayed: earlier.id, active: earlier.active } : { refusal: 'key-reused' };
    this.lastId += 1;
    /** @type {Claim} */
    const claim = {
      id: this.lastId, request: this.#nextNumber(), lease: 0, resources, list, mode, limit, ttl, userData, owner, fence: 0,
      status: 'waiting', history: [], waitingFrom: this.now, activeFrom: NaN, leaseFrom: NaN, endedAt: NaN,
    };
    this.#enter(claim);
    this.#byNumber.set(claim.request, claim);
    this.#become(claim, 'waiting');
    this.#handle(this.#core.apply({
      type: 'request', client: CLIENT, number: claim.request, names: resources.map((resource) => `resource ${resource}`), mode,
      limit: limit ?? 0,
    }));
    if (ownKey !== undefined) this.#keys.set(ownKey, { id: claim.id, digest, active: claim.status === 'active', at: this.wall });
    return { view: describe(claim, this.now) };
  }

  /**
   * @param {UpdateOperation} operation
   * @returns {Result}
   */
  #update({ id, status, ttl = 0, by, mayRevoke }) {
    const claim = this.open.get(id);
    if (!claim) return this.#absent(id);
    if (by !== undefined && claim.owner !== by && !(mayRevoke && status === 'revoked')) return { refusal: 'forbidden' };
    if (claim.status !== 'active' && (status === undefined || status === 'released')) return { refusal: 'not-active' };
    if (status === undefined) {
      claim.ttl = ttl;
      this.#lease(claim);
    } else {
      this.#end(claim, status);
    }
    return { view: describe(claim, this.now) };
  }

  /** @param {number} id */
  #absent(id) {
    /** @type {Refusal} */
    const refusal = id >= 1 && id <= this.lastId ? 'final' : 'unknown';
    return { refusal };
  }

  /** @param {string} ownKey */
  #findKey(ownKey) {
    for (const [oldest, { at }] of this.#keys) {
      if (this.#keys.size <= KEYS_KEPT && at + KEY_LIFE > this.wall) break;
      this.#keys.delete(oldest);
    }
    return this.#keys.get(ownKey);
  }

  /**
   * What the core made of its last operation.
   * @param {LockEvent[]} events
   */
  #handle(events) {
    for (const { type, number, fence } of events) {
      const claim = this.#byNumber.get(number);
      if (!claim || isFinal(claim.status)) continue;
      if (type === 'granted' && number === claim.request) {
        claim.activeFrom = this.now;
        claim.fence = this.fences + fence;
        this.#lease(claim);
        this.#become(claim, 'active');
      } else if (type === 'expired' && number === claim.lease) {
        this.#end(claim, 'expired');
      }
    }
  }

  /**
   * Begins the claim's ttl, in the place of the one that was running.
   * @param {Claim} claim
   */
  #lease(claim) {
    this.#byNumber.delete(claim.lease);
    claim.lease = this.#nextNumber();
    claim.leaseFrom = this.now;
    this.#byNumber.set(claim.lease, claim);
    this.#core.apply({
      type: 'request', client: CLIENT, number: claim.lease, names: [`lease ${claim.id}`], mode: 'exclusive', steal: true,
      hold: holdOf(claim.ttl, this.now),
    });
  }

  /**
   * @param {Claim} claim
   * @param {Status} status a final one
   */
  #end(claim, status) {
    const { request, lease } = claim;
    claim.endedAt = this.now;
    claim.lease = 0;
    this.#become(claim, status);
    this.open.delete(claim.id);
    this.usage.add(claim, -1);
    this.#byNumber.delete(request);
    this.#byNumber.delete(lease);
    for (const resource of claim.resources) {
      const queue = this.queues.get(resource);
      queue?.delete(claim);
      if (queue?.size === 0) this.queues.delete(resource);
    }
    if (lease && status !== 'expired') this.#core.apply({ type: 'drop', client: CLIENT, number: this.#nextNumber(), request: lease });
    this.#handle(this.#core.apply({ type: 'drop', client: CLIENT, number: this.#nextNumber(), request }));
  }

  /** @param {Claim} claim */
  #enter(claim) {
    this.open.set(claim.id, claim);
    this.usage.add(claim);
    for (const resource of claim.resources) {
      const queue = this.queues.get(resource);
      if (queue) queue.add(claim);
      else this.queues.set(resource, new Set([claim]));
    }
  }

  /**
   * @param {Claim} claim
   * @param {Status} status
   */
  #become(claim, status) {
    claim.status = status;
    claim.history.push({ status, at: this.wall });
    this.#transitions.push({ claim, view: describe(claim, this.now) });
  }

  #nextNumber() {
    return this.#core.last(CLIENT) + 1;
  }
}

/**
 * @param {string | null} owner
 * @param {string} key
 */
const keyOf = (owner, key) => JSON.stringify([owner, key]);

/**
 * How many may be active together with it, itself included.
 * @param {Claim} claim
 */
const limitOf = ({ mode, limit }) => (mode === 'exclusive' ? 1 : limit ?? Infinity);

/**
 * The active ones first, then by age.
 * @param {Claim} claim
 */
const rank = (claim) => (claim.status === 'active' ? claim.id - Number.MAX_SAFE_INTEGER : claim.id);

/**
 * The core counts whole milliseconds, and its present one may have begun before [now]: a claim must not expire before its time. Nor
 * can it expire in the same millisecond, for the core looks at deadlines only when time moves.
 * @param {number} ttl seconds
 * @param {number} now
 */
function holdOf(ttl, now) {
  const hold = Math.max(1, Math.ceil(now + ttl * 1000) - Math.floor(now));
  return hold > LONGEST_HOLD ? Infinity : hold;
}
