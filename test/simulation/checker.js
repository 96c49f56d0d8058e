/**
 * What must hold in every world. It sees what every core applies and what every program is told, and nothing of the log's own books.
 *
 * S1 exclusion from callback entry to settlement. S2 a request is granted once and ends once. S3 per name, grants in the order of
 * the log, nobody overtakes. S4 equal places, equal hashes. S5 one entry for a place.
 *
 * @typedef {import('../../glue/core/types.js').Core} Core
 * @typedef {import('../../glue/core/types.js').Operation} Operation
 * @typedef {import('../../glue/core/types.js').LockEvent} LockEvent
 * @typedef {{client: string, number: number, mode: string, names: string[]}} Asked
 *
 * @typedef {{fence: number, end: string, at?: Place}} Outcome
 *
 * @typedef {object} Place one place of one log, with what was applied there
 * @property {Log} log
 * @property {number} seq
 * @property {Place | undefined} before
 * @property {string} operation
 * @property {number} hash of the state after it
 * @property {string[]} stolen names of which the lock was stolen there
 * @property {Place[]} after one, unless two entries were accepted for the next place
 *
 * @typedef {object} Log what a log's entries say, read with the plainest means
 * @property {Asked[]} pending
 * @property {Asked[]} held
 * @property {boolean} forked
 *
 * @typedef {object} Copy one context's copy of the state
 * @property {Place | undefined} place
 * @property {() => boolean} lives neither dead, nor has it left
 * @property {() => boolean} isMember whether its own client has joined, so that it may have acted
 * @property {boolean} outOfMemory for the next operation
 */
import { OUT_OF_MEMORY } from '../../glue/core/constants.js';

export class Violation extends Error {}

/** @param {{mode: string, names: string[]}} one @param {{mode: string, names: string[]}} other */
const conflict = (one, other) =>
  (one.mode === 'exclusive' || other.mode === 'exclusive') && one.names.some((name) => other.names.includes(name));

/** @param {Operation} operation */
const print = (operation) => {
  const { type, client, number, now } = /** @type {any} */ (operation);
  return `${type} ${type === 'tick' ? now : client}${number === undefined ? '' : ` #${number}`}`;
};

/** @param {Asked[]} list @param {{client: string, number: number}} event @returns {Asked | undefined} */
const takeFrom = (list, { client, number }) => {
  const index = list.findIndex((each) => each.number === number && each.client === client);
  return index < 0 ? undefined : list.splice(index, 1)[0];
};

export class Checker {
  constructor() {
    /** @type {Copy[]} */
    this.copies = [];
    /** What became of each request, by `client/number`, and where it ended. @type {Map<string, Outcome>} */
    this.outcomes = new Map();
    /** Who runs a callback now, by name. @type {Map<string, Set<any>>} */
    this.inside = new Map();
    /** The highest fence that has entered, by name, and whose it is. @type {Map<string, {exclusive: number, any: number, key: string}>} */
    this.fences = new Map();
    this.grants = 0;
    /** How often a lock was kept for the next request (rule R20). */
    this.kept = 0;
    /** What its user has let go of, or does not want any more, by `client/number`. @type {Set<string>} */
    this.dropped = new Set();
    /** How often one was entered before the log had granted it (rule R21). */
    this.early = 0;
    /** @type {Violation | undefined} the first; it may have been thrown into code that swallowed it */
    this.violation = undefined;
  }

  /** @param {string} text @returns {never} */
  fail(text) {
    this.violation = this.violation || new Violation(text);
    throw this.violation;
  }

  /** @param {string} key */
  outcome(key) {
    const known = this.outcomes.get(key) || { fence: 0, end: '' };
    this.outcomes.set(key, known);
    return known;
  }

  /**
   * [core] with everything that happens to it looked at.
   * @param {Core} core
   * @param {Copy} copy
   * @returns {Core}
   */
  watch(core, copy) {
    this.copies.push(copy);
    return {
      ...core,
      reset: (fence) => {
        core.reset(fence);
        const log = { pending: [], held: [], forked: false };
        copy.place = { log, seq: 0, before: undefined, operation: 'begin', hash: core.hash(), stolen: [], after: [] };
      },
      apply: (operation) => {
        if (copy.outOfMemory) {
          copy.outOfMemory = false;
          throw Object.assign(new Error('out of memory'), { code: 'out-of-memory', status: OUT_OF_MEMORY });
        }
        try {
          const events = core.apply(operation);
          this.applied(copy, operation, events, core.hash());
          return events;
        } catch (error) {
          // What is refused has its place all the same.
          if (/** @type {any} */ (error).code) this.applied(copy, operation, undefined, core.hash());
          throw error;
        }
      },
      snapshot: () => Object.assign(core.snapshot(), { trace: copy.place }),
      restore: (bytes) => {
        core.restore(bytes);
        copy.place = /** @type {any} */ (bytes).trace;
        if (!copy.place || copy.place.hash !== core.hash()) this.fail('a snapshot was restored that nobody made');
      },
    };
  }

  /** @param {Copy} copy @param {Operation} operation @param {LockEvent[] | undefined} events @param {number} hash */
  applied(copy, operation, events, hash) {
    const before = copy.place || this.fail('applied without a state');
    const text = print(operation);
    let next = before.after.find((place) => place.operation === text);
    if (next) {
      if (next.hash !== hash) this.fail(`S4: after ${text} at ${next.seq} two copies differ`);
    } else {
      if (before.after.length) this.forked(before, text, copy);
      const { steal, names } = /** @type {any} */ (operation);
      const stolen = steal && events && events.some(({ type }) => type === 'granted') ? names : [];
      next = { log: before.log, seq: before.seq + 1, before, operation: text, hash, stolen, after: [] };
      before.after.push(next);
      if (events) this.readEntry(next, operation, events);
    }
    copy.place = next;
  }

  /**
   * A second entry for one place: nobody who lives may have acted on the first.
   * @param {Place} place
   * @param {string} text
   * @param {Copy} by
   */
  forked(place, text, by) {
    place.log.forked = true;
    for (const copy of this.copies) {
      if (copy === by || !copy.lives() || !copy.isMember()) continue;
      let at = copy.place;
      while (at && at.seq > place.seq + 1) at = at.before;
      if (at && at.before === place) this.fail(`S5: ${at.operation} and ${text} both have place ${at.seq}`);
    }
  }

  /** @param {Place} place @param {Operation} operation @param {LockEvent[]} events */
  readEntry(place, operation, events) {
    const { log } = place;
    if (operation.type === 'request') log.pending.push(operation);
    for (const event of events) {
      if (event.type === 'joined') continue;
      const outcome = this.outcome(`${event.client}/${event.number}`);
      if (event.type === 'granted') {
        if (outcome.fence && !log.forked) this.fail(`S2: ${event.client} #${event.number} is granted twice`);
        outcome.fence = event.fence;
        if (!log.forked) this.granted(place, event, operation);
      } else {
        outcome.end = event.type;
        outcome.at = place;
        if (!takeFrom(log.held, event)) takeFrom(log.pending, event);
      }
    }
  }

  /** @param {Place} place @param {LockEvent} event @param {Operation} operation */
  granted(place, event, operation) {
    const { log } = place;
    const earlier = [];
    for (const asked of log.pending) {
      if (asked.client === event.client && asked.number === event.number) break;
      earlier.push(asked);
    }
    const request = takeFrom(log.pending, event) || this.fail(`S2: ${event.client} #${event.number} is granted and had not asked`);
    const { type, steal, number, client } = /** @type {any} */ (operation);
    const steals = type === 'request' && steal && number === event.number && client === event.client;
    const blocked = (/** @type {Asked[]} */ list) => list.some((other) => conflict(other, request));
    if (steals) this.stolen(request, place);
    if (blocked(log.held)) this.fail(`S1: ${event.client} #${event.number} is granted beside a holder`);
    if (!steals && blocked(earlier)) this.fail(`S3: ${event.client} #${event.number} overtakes`);
    log.held.push(request);
  }

  /**
   * Whoever has entered early, and is not granted by the log yet, is not in its books: it loses the lock all the same.
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

  /** Was it taken away by an entry, wherever that has been delivered by now? @param {{key: string}} request */
  taken({ key }) {
    const { end } = this.outcome(key);
    return end === 'broken' || end === 'expired';
  }

  /**
   * Has the entry that ended it been delivered where it is inside? (There, promises tell of it a little later.)
   * @param {{key: string, copy: Copy}} request
   */
  isTold({ key, copy }) {
    const { at } = this.outcome(key);
    return !!at && !!copy.place && copy.place.log === at.log && copy.place.seq >= at.seq;
  }

  /**
   * A program's callback is entered.
   * @param {{key: string, mode: string, names: string[]}} request
   * @param {number} fence
   * @param {() => Asked[]} pending who waits as far as its context knows
   * @param {Copy} copy its context's
   * @param {boolean} fenceless whether it was asked for as navigator.locks asks, which shows no fence: so it may enter early (rule R21)
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
      const highest = this.fences.get(name) || { exclusive: 0, any: 0, key: '' };
      this.fences.set(name, highest);
      const above = request.mode === 'exclusive' ? highest.any : highest.exclusive;
      if (early) {
        highest.key = request.key;
        continue;
      }
      // Kept for the same request again, it has the same place in the log.
      if (request.key === highest.key) {
        this.kept++;
        if (pending().some(({ names }) => names.includes(name))) this.fail(`S3: ${request.key} is kept, and somebody waits for ${name}`);
      } else if (!late && fence <= above) this.fail(`S3: ${request.key} enters out of order`);
      if (fence >= highest.any) highest.key = request.key;
      highest.any = Math.max(highest.any, fence);
      if (request.mode === 'exclusive') highest.exclusive = Math.max(highest.exclusive, fence);
    }
  }

  /**
   * It waits for one name, and for nobody that still waits; that nobody is inside is looked at as always. Where the name has been stolen by
   * an entry that its context has not been delivered, it loses the lock as the one before it does: when it is told.
   * @param {{key: string, mode: string, names: string[]}} request
   * @param {Asked[]} pending
   * @param {Copy} copy
   */
  enteredEarly(request, pending, copy) {
    this.early++;
    const place = pending.findIndex(({ client, number }) => `${client}/${number}` === request.key);
    const waits = (/** @type {Asked} */ other) => conflict(other, request) && !this.dropped.has(`${other.client}/${other.number}`);
    const isNext = place >= 0 && !pending.slice(0, place).some(waits);
    if (!isNext || request.names.length > 1) this.fail(`S3: ${request.key} enters early, and is not next`);
    const later = copy.place ? [...copy.place.after] : [];
    for (const place of later) {
      if (place.stolen.includes(request.names[0])) Object.assign(this.outcome(request.key), { end: 'broken', at: place });
      later.push(...place.after);
    }
  }

  /** It lets go, has been told that the lock is gone, or is dead. @param {{names: string[]}} request */
  left(request) {
    for (const name of request.names) this.inside.get(name)?.delete(request);
  }
}
