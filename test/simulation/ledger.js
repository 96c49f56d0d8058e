/**
 * What the cores apply, as one tree for all logs of a world. Each copy of the state stands at one place in it. Copies that have applied the
 * same entries stand at the same place, and must be equal there. At one place all copies apply the same entry.
 *
 * @typedef {import('../../glue/core/types.js').Core} Core
 * @typedef {import('../../glue/core/types.js').Operation} Operation
 * @typedef {import('../../glue/core/types.js').LockEvent} LockEvent
 * @typedef {{client: string, number: number, mode: string, names: string[], hold?: number}} Asked
 *
 * @typedef {object} Outcome of a request
 * @property {number} fence
 * @property {string} end
 * @property {Place} [at] where it ended
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
 * @typedef {object} Log what a log's entries say, read in the plainest way
 * @property {Asked[]} pending
 * @property {Asked[]} held
 * @property {boolean} forked
 *
 * @typedef {object} Copy one context's copy of the state
 * @property {Place | undefined} place
 * @property {boolean} current whether the state is right at that place, as far as one can see from outside
 * @property {() => boolean} lives whether it is neither dead nor has left
 * @property {() => boolean} isMember whether its own client has joined
 * @property {() => boolean} mayHaveActed whether it has, as this client, been a member that may enter locks. False for a copy that still
 *   catches up, and that others need not have waited for
 * @property {boolean} outOfMemory for the next operation
 */
import { OUT_OF_MEMORY } from '../../glue/core/constants.js';

export class Violation extends Error {}

/** @param {{mode: string, names: string[]}} one @param {{mode: string, names: string[]}} other */
export const conflict = (one, other) =>
  (one.mode === 'exclusive' || other.mode === 'exclusive') && one.names.some((name) => other.names.includes(name));

/** @param {Operation} operation */
const print = (operation) => {
  const { type, client, number, now } = /** @type {any} */ (operation);
  return `${type} ${type === 'tick' ? now : client}${number === undefined ? '' : ` #${number}`}`;
};

/** @param {LockEvent} event @param {Operation} operation its cause */
const isSteal = ({ client, number }, operation) =>
  operation.type === 'request' && operation.steal && number === operation.number && client === operation.client;

/** @param {Asked[]} list @param {{client: string, number: number}} event @returns {Asked | undefined} */
const takeFrom = (list, { client, number }) => {
  const index = list.findIndex((each) => each.number === number && each.client === client);
  return index < 0 ? undefined : list.splice(index, 1)[0];
};

export class Ledger {
  constructor() {
    /** @type {Copy[]} */
    this.copies = [];
    /** The outcome of each request, by `client/number`, and where it ended. @type {Map<string, Outcome>} */
    this.outcomes = new Map();
    /** @type {Violation | undefined} the first one, since the code into which it was thrown may have swallowed it */
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
   * Wraps [core], so that the ledger sees all that happens to it.
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
        copy.current = true;
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
          // A refused operation has its place all the same.
          if (/** @type {any} */ (error).code) this.applied(copy, operation, undefined, core.hash());
          throw error;
        }
      },
      raise: (above) => {
        core.raise(above);
        // This is one more place, so that all contexts that are given that state stand there.
        this.applied(copy, /** @type {any} */ ({ type: 'raise', client: above }), [], core.hash());
      },
      snapshot: () => Object.assign(core.snapshot(), { trace: { place: copy.place } }),
      restore: (bytes) => {
        core.restore(bytes);
        const { trace } = /** @type {any} */ (bytes);
        if (!trace || !trace.place || trace.place.hash !== core.hash()) this.fail('a snapshot was restored that nobody made');
        copy.place = trace.place;
        copy.current = true;
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
      // A refused operation, such as one that was sent again, changes nothing.
      if (events) {
        this.readEntry(next, operation, events);
        this.placed(next, operation);
      }
    }
    copy.place = next;
  }

  /**
   * There is a second entry for one place. No living context may have acted on the first. A joiner that does not take part yet acts on
   * neither. If a member has continued since the joiner was given the state (D10), the joiner is behind, and gives up.
   * @param {Place} place
   * @param {string} text
   * @param {Copy} by
   */
  forked(place, text, by) {
    place.log.forked = true;
    if (!by.mayHaveActed()) return;
    for (const copy of this.copies) {
      if (copy === by || !copy.lives() || !copy.mayHaveActed()) continue;
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
        if (isSteal(event, operation)) this.stolen(/** @type {any} */ (operation), place);
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
    const blocked = (/** @type {Asked[]} */ list) => list.some((other) => conflict(other, request));
    if (blocked(log.held)) this.fail(`S1: ${event.client} #${event.number} is granted beside a holder`);
    if (!isSteal(event, operation) && blocked(earlier)) this.fail(`S3: ${event.client} #${event.number} overtakes`);
    log.held.push(request);
  }

  /** An entry is applied for the first time anywhere. @type {(place: Place, operation: Operation) => void} */
  placed() {}

  /** A context steals. @type {(by: Asked, place: Place) => void} */
  stolen() {}
}
