/**
 * What must hold in every world. The checker sees what every core applies and what every program is told, but not the log's own data.
 *
 * S1 Exclusion, from callback entry to settlement. S2 A request is granted once and ends once. S3 The grants of each name come in the order
 * of the log; nobody overtakes. S4 Copies at one place have equal hashes. S5 A place has one entry.
 *
 * @typedef {import('./ledger.js').Asked} Asked
 * @typedef {import('./ledger.js').Copy} Copy
 * @typedef {import('./ledger.js').Place} Place
 */
import { conflict, Ledger } from './ledger.js';

export class Checker extends Ledger {
  constructor() {
    super();
    /** The requests whose callbacks run now, by name. @type {Map<string, Set<any>>} */
    this.inside = new Map();
    /**
     * The highest fence that has entered, by name, and the request that has it.
     * @type {Map<string, {log: any, exclusive: number, any: number, key: string}>}
     */
    this.fences = new Map();
    /** Whether clocks differ and data is cleared. Then nothing tells a fresh log which fences were granted before. */
    this.forgetsFences = false;
    this.grants = 0;
    /** How often a lock was kept for the next request (rule R20). */
    this.kept = 0;
    /** The requests that their users have released or aborted, by `client/number`. @type {Set<string>} */
    this.dropped = new Set();
    /** How often a lock was entered before the log had granted it (rule R21). */
    this.early = 0;
    /**
     * The requests of contexts that share a thread: when each was made, and whether nothing has disturbed it since.
     * @type {Map<string, {loop: any, turn: number, isSteady: () => boolean}>}
     */
    this.calls = new Map();
    /** @type {Map<any, number>} by thread: the last call that has a place */
    this.lastCalls = new Map();
  }

  /** Contexts of one thread are served in the order of their calls (D15). @param {Place} place @param {any} operation */
  placed(place, { type, client, number }) {
    // Where nobody was current, earlier requests may be placed once more.
    if (place.log.forked) return;
    const call = type === 'request' && this.calls.get(`${client}/${number}`);
    if (!call) return;
    const last = this.lastCalls.get(call.loop) || 0;
    const isLate = call.turn < last && call.isSteady();
    if (isLate) {
      this.fail(`S3: ${client}/${number} was asked for earlier on its thread than what has its place at ${place.seq - 1} already`);
    }
    this.lastCalls.set(call.loop, call.turn);
  }

  /**
   * A steal also breaks a lock that was entered early and that the log has not granted yet, though no event says so.
   * @param {Asked} by
   * @param {Place} place
   */
  stolen(by, place) {
    for (const name of by.names) {
      for (const { key } of this.inside.get(name) || []) {
        const outcome = this.outcome(key);
        if (!outcome.fence) Object.assign(outcome, { end: 'broken', at: place });
      }
    }
  }

  /** Whether an entry has broken it or let it expire, no matter who has received that entry. @param {{key: string}} request */
  taken({ key }) {
    const { end } = this.outcome(key);
    return end === 'broken' || end === 'expired';
  }

  /**
   * Whether the entry that ended it was delivered to its own context. (The promises there settle a little later.)
   * @param {{key: string, copy: Copy}} request
   */
  isTold({ key, copy }) {
    const { at } = this.outcome(key);
    return !!at && !!copy.place && copy.place.log === at.log && copy.place.seq >= at.seq;
  }

  /**
   * A program's callback is entered.
   * @param {{key: string, mode: string, names: string[], waitedFor: boolean}} request [waitedFor]: see program.js
   * @param {number} fence
   * @param {() => Asked[]} pending the waiters that its context knows
   * @param {Copy} copy its context's
   * @param {boolean} fenceless whether its user sees no fence, as with navigator.locks: then it may enter early (rule R21)
   */
  entered(request, fence, pending, copy, fenceless) {
    this.grants++;
    const outcome = this.outcome(request.key);
    const early = !fence && fenceless;
    if (early) this.enteredEarly(request, pending(), copy);
    else if (outcome.fence !== fence) this.fail(`S2: ${request.key} is entered with fence ${fence}, and was granted ${outcome.fence}`);
    const late = this.taken(request);
    for (const name of request.names) {
      const inside = this.inside.get(name) || new Set();
      this.inside.set(name, inside);
      for (const other of inside) {
        if (late || !conflict(request, other) || (this.taken(other) && (other.copy === copy || !this.isTold(other)))) continue;
        this.fail(`S1: ${request.key} enters beside ${other.key} under ${name}`);
      }
      inside.add(Object.assign(request, { copy }));
      const log = copy.place && copy.place.log;
      const before = this.fences.get(name);
      const highest = before && (before.log === log || !this.forgetsFences) ? before : { log, exclusive: 0, any: 0, key: '' };
      this.fences.set(name, highest);
      const above = request.mode === 'exclusive' ? highest.any : highest.exclusive;
      if (early) {
        highest.key = request.key;
        continue;
      }
      // A lock that was kept for the next request keeps its place in the log.
      if (request.key === highest.key) {
        this.kept++;
        if (request.waitedFor) this.fail(`S3: ${request.key} is kept, and somebody waits for ${name}`);
      } else if (!late && fence <= above) this.fail(`S3: ${request.key} enters out of order`);
      if (fence >= highest.any) highest.key = request.key;
      highest.any = Math.max(highest.any, fence);
      if (request.mode === 'exclusive') highest.exclusive = Math.max(highest.exclusive, fence);
    }
  }

  /**
   * It asks for one name, and no earlier waiter blocks it. (Holders are checked as always.) If an entry that its context has not received
   * yet steals the name, it loses the lock when it is told, as the holder before it does.
   * @param {{key: string, mode: string, names: string[]}} request
   * @param {Asked[]} pending
   * @param {Copy} copy
   */
  enteredEarly(request, pending, copy) {
    this.early++;
    const place = pending.findIndex(({ client, number }) => `${client}/${number}` === request.key);
    // A lock with a `hold` of 0 ends as it is granted.
    const waits = (/** @type {Asked} */ other) =>
      conflict(other, request) && other.hold !== 0 && !this.dropped.has(`${other.client}/${other.number}`);
    const isNext = place >= 0 && !pending.slice(0, place).some(waits);
    if (!isNext || request.names.length > 1) this.fail(`S3: ${request.key} enters early, and is not next`);
    const later = copy.place ? [...copy.place.after] : [];
    for (const place of later) {
      if (place.stolen.includes(request.names[0])) Object.assign(this.outcome(request.key), { end: 'broken', at: place });
      later.push(...place.after);
    }
  }

  /** It was released, was told that its lock is gone, or is dead. @param {{names: string[]}} request */
  left(request) {
    for (const name of request.names) this.inside.get(name)?.delete(request);
  }
}
