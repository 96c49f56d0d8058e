/**
 * The lock manager as the standard and the drafts word it: two plain lists, searched from end to end. It is slow and it is meant to be
 * read. The core in C keeps counters and frontiers; this keeps nothing. So if the two agree, the counters are right.
 */
import { STATUSES } from '../../glue/core/constants.js';
import { CoreError } from '../../glue/core/error.js';
import { hashOf } from './hash.js';
import { blockedNames, grantable, isDuration, isNumber } from './rules.js';
import { decode, encode } from './snapshot.js';

/** @typedef {import('../../glue/core/types.js').Core} Core */
/** @typedef {import('../../glue/core/types.js').Operation} Operation */
/** @typedef {import('../../glue/core/types.js').RequestOperation} RequestOperation */
/** @typedef {import('../../glue/core/types.js').RequestState} RequestState */
/** @typedef {import('../../glue/core/types.js').LockEvent} LockEvent */
/** @typedef {import('../../glue/core/types.js').State} State */

/**
 * It ends, counted from now, or it is without an end.
 * @param {number} duration
 * @param {number} now
 */
const isTerm = (duration, now) => isDuration(duration) && isDuration(now + duration);

/** @param {number} value */
const isCount = (value) => value >>> 0 === value;

/** @param {string[]} names */
const areNames = (names) => names.length > 0 && new Set(names).size === names.length;

/**
 * What an operation says, its client and number apart.
 * @param {Operation} operation
 * @param {number} now
 */
function wellFormed(operation, now) {
  switch (operation.type) {
    case 'request':
      return areNames(operation.names) && isTerm(operation.wait ?? Infinity, now) && isTerm(operation.hold ?? Infinity, now)
        && isCount(operation.limit ?? 0) && (operation.mode === 'shared' || !operation.limit)
        && (!operation.steal || (operation.mode === 'exclusive' && !operation.ifAvailable));
    case 'drop':
      return isNumber(operation.request);
    case 'force-release':
      return areNames(operation.names);
    case 'join':
      return isNumber(operation.number) && operation.number > 0 && operation.client !== '';
    case 'tick':
      return isNumber(operation.now);
    default:
      return true;
  }
}

/** @param {string} code */
const refusal = (code) => new CoreError(Number(Object.keys(STATUSES).find((status) => STATUSES[Number(status)] === code)));

/**
 * @param {{fence?: number}} [options] fences start above [fence]
 * @returns {Core}
 */
export function createModel({ fence = 0 } = {}) {
  if (!isNumber(fence)) throw refusal('invalid');
  /** @type {State} */
  let state = { time: 0, fence, lastHandle: 0, members: [], held: [], pending: [] };
  /** @type {LockEvent[]} */
  let events = [];

  /** @param {string} client */
  const member = (client) => state.members.find((each) => each.client === client);

  /**
   * @param {LockEvent['type']} type
   * @param {{client: string, number: number}} subject
   */
  const report = (type, { client, number }, grantFence = 0) => events.push({ type, client, number, fence: grantFence });

  /** @param {RequestState} request */
  function grant(request) {
    state.fence += 1;
    state.pending = state.pending.filter((each) => each !== request);
    state.held.push(request);
    request.fence = state.fence;
    // It was near enough when the request was made; now it may be one that never comes.
    request.deadline = isDuration(state.time + request.hold) ? state.time + request.hold : Infinity;
    report('granted', request, request.fence);
  }

  /**
   * All of [ended] end first, then [thief] is granted, and only then the queues of the names that the ended ones had are gone through,
   * name by name. A blocker frees a name when that name's turn comes. So a request of several names is
   * granted at the last of those under which another one blocked it.
   * @param {'broken' | 'removed' | 'expired'} type
   * @param {RequestState[]} ended
   * @param {RequestState} [thief]
   */
  function end(type, ended, thief) {
    const before = { held: state.held, pending: state.pending };
    state.held = state.held.filter((each) => !ended.includes(each));
    state.pending = state.pending.filter((each) => !ended.includes(each));
    for (const request of ended) report(type, request);
    if (thief) grant(thief);
    const walked = new Set();
    for (const name of ended.flatMap((request) => request.names)) {
      walked.add(name);
      for (const request of state.pending.filter((each) => each.names.includes(name))) {
        if (grantable(request, state) && blockedNames(request, before).every((each) => walked.has(each))) grant(request);
      }
    }
  }

  /** @param {RequestOperation} operation */
  function request({ client, number, names, mode, limit = 0, ifAvailable, steal, wait = Infinity, hold = Infinity }) {
    /** @type {RequestState} */
    const made = { client, number, mode, limit, names: [...names], fence: 0, deadline: state.time + wait, hold: hold + 0 }; // no -0
    if (steal) end('broken', holdersOf(names), made);
    else if (grantable(made, state)) grant(made);
    else if (ifAvailable) report('unavailable', made);
    else state.pending.push(made);
  }

  /**
   * Name by name; each once.
   * @param {string[]} names
   */
  const holdersOf = (names) => [...new Set(names.flatMap((name) => state.held.filter((lock) => lock.names.includes(name))))];

  /** @param {string} client */
  const requestsOf = (client) => [...state.held, ...state.pending].filter((each) => each.client === client);

  /** One after the other. */
  function expireWhatIsDue() {
    for (;;) {
      const due = [...state.held, ...state.pending].filter((each) => each.deadline <= state.time).sort(byDeadline);
      if (due.length === 0) return;
      end('expired', [due[0]]);
    }
  }

  /** @param {string} client */
  const handleOf = (client) => member(client)?.handle ?? 0;

  /**
   * @param {RequestState} one
   * @param {RequestState} other
   */
  const byDeadline = (one, other) =>
    one.deadline - other.deadline || handleOf(one.client) - handleOf(other.client) || one.number - other.number;

  /** @param {{client: string, number: number}} operation */
  function join({ client, number }) {
    state.lastHandle += 1;
    state.members.push({ client, handle: state.lastHandle, last: number });
    report('joined', { client, number });
  }

  /** @param {string} client */
  function gone(client) {
    end('removed', requestsOf(client));
    state.members = state.members.filter((each) => each.client !== client);
  }

  /** @param {{client: string, number: number}} operation */
  function count({ client, number }) {
    for (const each of state.members) if (each.client === client) each.last = number;
  }

  /**
   * Faults are looked for in this order: the client, the number, the rest.
   * @param {Operation} operation
   * @returns {string | undefined} the code of what is wrong; 'refused' and 'no-fence' use up the number
   */
  function fault(operation) {
    if (operation.type === 'tick') return wellFormed(operation, state.time) ? undefined : 'invalid';
    if (operation.type === 'join') {
      if (!wellFormed(operation, state.time)) return 'invalid';
      if (member(operation.client)) return 'duplicate';
      return state.lastHandle === 2 ** 32 - 1 ? 'no-handle' : undefined;
    }
    const sender = member(operation.client);
    if (!sender) return 'unknown-client';
    if (operation.type === 'gone') return undefined;
    if (!isNumber(operation.number)) return 'invalid';
    if (operation.number <= sender.last) return 'duplicate';
    if (operation.number > sender.last + 1) return 'gap';
    const outOfFences = operation.type === 'request' && state.fence + state.held.length + state.pending.length >= Number.MAX_SAFE_INTEGER;
    if (!wellFormed(operation, state.time)) return 'refused';
    return outOfFences ? 'no-fence' : undefined;
  }

  /** @type {Core} */
  const machine = {
    /** @param {Operation} operation */
    apply(operation) {
      const code = fault(operation);
      const counted = !code || code === 'refused' || code === 'no-fence';
      if (counted && 'number' in operation && operation.type !== 'join') count(operation);
      if (code) throw refusal(code);
      events = [];
      switch (operation.type) {
        case 'join': join(operation); break;
        case 'gone': gone(operation.client); break;
        case 'tick': state.time = Math.max(state.time, operation.now); break;
        case 'request': request(operation); break;
        case 'drop':
          end('removed', requestsOf(operation.client).filter((each) => each.number === operation.request));
          break;
        case 'force-release':
          end('broken', holdersOf(operation.names));
          break;
        default:
          throw refusal('invalid');
      }
      expireWhatIsDue();
      return events;
    },
    /** @param {Operation[]} operations */
    foresee(operations) {
      const before = structuredClone(state);
      try {
        return operations.flatMap((operation) => machine.apply(operation));
      } catch {
        return [];
      } finally {
        state = before;
      }
    },
    snapshot: () => encode(state),
    /** @param {Uint8Array} bytes */
    restore(bytes) {
      const decoded = decode(bytes);
      if (!decoded) throw refusal('bad-snapshot');
      state = decoded;
    },
    /** @param {number} newFence */
    reset(newFence) {
      state = { time: 0, fence: newFence, lastHandle: 0, members: [], held: [], pending: [] };
    },
    /** @param {number} above */
    raise(above) {
      if (!isNumber(above)) throw refusal('invalid');
      if (above <= state.fence) return;
      if (!isNumber(above + machine.requestCount())) throw refusal('invalid');
      state.fence = above;
    },
    requests: () => [...state.held, ...state.pending].map((each) => structuredClone(each)),
    state: () => structuredClone(state),
    hash: () => hashOf(state),
    time: () => state.time,
    nextDeadline: () => Math.min(...[...state.held, ...state.pending].map((each) => each.deadline), Infinity),
    requestCount: () => state.held.length + state.pending.length,
    isUndisputed: (client, number) => {
      const request = state.held.find((each) => each.client === client && each.number === number);
      return !!request && !state.pending.some((each) => each.names.some((name) => request.names.includes(name)));
    },
    useByOthers(client, names) {
      const use = (/** @type {import('../../glue/core/types.js').RequestState} */ each) =>
        each.client !== client && each.names.some((name) => names.includes(name));
      if (state.held.some(use)) return 'held';
      return state.pending.some(use) ? 'awaited' : 'unused';
    },
    last: (/** @type {string} */ client) => member(client)?.last ?? -1,
  };
  return machine;
}
