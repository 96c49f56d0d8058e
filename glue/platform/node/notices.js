/**
 * How a process that waits can sleep until something concerns it. It registers with those whose requests block its own, and each promises
 * to ring *before* it writes that such a request has ended. So nobody misses that entry, even if its writer is stopped or killed at once
 * after it. Requests come at the end of the queue, so nothing else can concern a process that waits, but deaths, which it sees itself, and
 * what takes locks away: steals and forced releases. Before and after these their writers touch the journal's first file, and the kernel
 * tells everybody.
 *
 * Until all have promised, and while somebody does not (he is stopped, or busy, or his connection has ended), the kernel rings for every
 * entry. So it does where others' requests have limits of time: their holders may be stopped while those run out.
 *
 * A slow look all the same covers what two faults at once can do: see docs/node.md.
 *
 * @typedef {import('./bell.js').Answer} Answer
 */
import { blockersOf } from '../../log/blockers.js';

/**
 * A process that has read nothing for so many milliseconds, and still holds or waits, watches for deaths and registers. Most requests are
 * granted by then.
 */
const SETTLE = 20;
/** So much later for each request there is, where many take turns; but not later than that. */
const SETTLE_PER_REQUEST = 4;
const SETTLE_LONGEST = 200;
/** So long those who block it have to answer. */
const PATIENCE = 50;
/** So often it looks whether it can sleep, while the kernel rings. */
const LOOK_AGAIN = 200;
/** So long after an alarm the kernel rings: the entry comes at once, but for a busy machine. */
const ALARM = 1000;
/**
 * Where the kernel rings again and again, the process leaves it for so long, twice as long each time, and reads then: or many who wait,
 * on a busy machine, would all wake at every entry, and make it busier.
 */
const RESPITE = 5;
const RESPITE_LONGEST = 80;
/** The slow look. */
const SELDOM = 5000;

/**
 * The numbers of others' requests that are before those of [client], under the same names, by whose they are.
 * @param {import('../../core/types.js').State} state
 * @param {string} client
 * @param {Set<string>} blockers the other clients that count
 * @returns {Map<string, number[]>}
 */
const requestsBefore = ({ held, pending }, client, blockers) => {
  const all = [...held, ...pending];
  const names = new Set(pending.flatMap((request) => (request.client === client ? request.names : [])));
  const last = all.length - 1 - [...all].reverse().findIndex((request) => request.client === client && !request.fence);
  /** @type {Map<string, number[]>} */
  const before = new Map();
  for (const request of all.slice(0, last)) {
    if (!blockers.has(request.client) || !request.names.some((name) => names.has(name))) continue;
    const numbers = before.get(request.client);
    if (numbers) numbers.push(request.number);
    else before.set(request.client, [request.number]);
  }
  return before;
};

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'bell' | 'now' | 'setTimer'>} parts.surroundings
 * @param {import('./bell.js').Kernel} parts.kernel
 * @param {import('./types.js').Journal} parts.journal
 * @param {import('./copy.js').Core} parts.core
 * @param {() => Set<string>} parts.members
 * @param {() => string} parts.client this context's
 * @param {() => boolean} parts.isNeeded whether this context holds or waits
 * @param {(number: number) => boolean} parts.isOpen whether a request of this context is in the state and has not been dropped
 * @param {() => void} parts.read
 * @param {ReturnType<typeof import('./lookout.js').createLookout>} parts.lookout
 */
export const createNotices = ({ surroundings, kernel, journal, core, members, client, isNeeded, isOpen, read, lookout }) => {
  const { bell, now, setTimer } = surroundings;
  /** Who waits behind this context's requests, by their numbers. @type {Map<number, Map<string, Answer>>} */
  const registered = new Map();
  /** Who has been told of what is being written. @type {Set<string>} */
  const told = new Set();
  /**
   * Whom this context has registered with, behind which requests, and which of these have promised.
   * @type {Map<string, Map<number, boolean>>}
   */
  let asked = new Map();
  /** Announced, and not there yet: by client, the number of its operation. @type {Map<string, number>} */
  const expected = new Map();
  let attending = false;
  /** What ends the respite from the kernel, while there is one. @type {(() => void) | undefined} */
  let endRespite;
  let respite = 0;
  let stirredAt = -Infinity;
  /** Somebody before this context has died since the last check. */
  let bereaved = false;
  let alarmedUntil = -Infinity;
  let readAt = 0;
  /** The place in the journal when this context last made sure that it is told. */
  let checkedAt = '';
  let due = Infinity;
  let cancel = () => {};

  const settling = () => Math.min(SETTLE + core.requestCount() * SETTLE_PER_REQUEST, SETTLE_LONGEST);

  const place = () => `${journal.path()} ${journal.position()}`;

  /** @param {number} milliseconds */
  const checkAfter = (milliseconds) => {
    const time = now() + milliseconds;
    if (time >= due) return;
    cancel();
    due = time;
    cancel = setTimer(check, milliseconds);
  };

  const attend = () => {
    attending = true;
    if (!endRespite) kernel.attend(journal.path());
  };

  const stopAttending = () => {
    attending = false;
    endRespite?.();
    endRespite = undefined;
    kernel.unattend();
  };

  /** Registers where that is missing. @param {import('../../core/types.js').State} state @returns {'promised' | 'asked' | 'late'} */
  const register = (state) => {
    const before = requestsBefore(state, client(), blockersOf(state, client()));
    const known = asked;
    asked = new Map();
    let /** @type {'promised' | 'asked' | 'late'} */ result = 'promised';
    for (const [blocker, numbers] of before) {
      const answers = known.get(blocker) || new Map();
      const missing = numbers.filter((number) => !answers.get(number));
      const fresh = missing.filter((number) => !answers.has(number));
      asked.set(blocker, new Map(numbers.map((number) => [number, !!answers.get(number)])));
      if (fresh.length) bell.ring(blocker, { from: client(), last: core.last(client()), behind: fresh });
      if (fresh.length && result === 'promised') result = 'asked';
      if (missing.length > fresh.length) result = 'late';
    }
    const isLimited = [...state.held, ...state.pending].some((request) =>
      request.client !== client() && (request.deadline < Infinity || request.hold < Infinity || request.limit > 0));
    return isLimited ? 'late' : result;
  };

  /** Makes sure that this context is told of what concerns it. */
  const check = () => {
    due = Infinity;
    if (!isNeeded()) return;
    const quiet = now() - readAt;
    if (!attending && !bereaved && quiet < settling()) {
      checkAfter(settling() - quiet);
      return;
    }
    bereaved = false;
    kernel.heed(journal.firstPath());
    read();
    if (!isNeeded()) return;
    checkedAt = place();
    for (const [each, number] of expected) if (core.last(each) >= number || !members().has(each)) expected.delete(each);
    const state = core.state();
    lookout.lookAt(state);
    const result = register(state);
    if (result === 'late' || expected.size || now() < alarmedUntil) {
      attend();
      checkAfter(LOOK_AGAIN);
    } else {
      stopAttending();
      checkAfter(result === 'promised' ? SELDOM : PATIENCE);
    }
  };

  const notices = {
    /** This context has read the journal. */
    hasRead() {
      readAt = now();
    },

    /** This context holds or waits, and has read or written. */
    settle() {
      if (attending) attend();
      if (place() !== checkedAt) checkAfter(attending ? LOOK_AGAIN : settling());
    },

    /** What this context had to do about a death may have failed: it looks anew, even if nothing was written since. */
    doubt() {
      checkedAt = '';
    },

    /** Another context has said so, and what it had written before was read. @param {any} message @param {Answer} answer */
    hear({ from, last, behind, promises, number }, answer) {
      if (behind) {
        const kept = behind.filter(isOpen);
        for (const each of kept) registered.set(each, (registered.get(each) || new Map()).set(from, answer));
        if (core.last(from) >= last && kept.length) answer({ from: client(), promises: kept });
        if (kept.length < behind.length) answer();
      } else if (promises) {
        const answers = asked.get(from);
        for (const each of promises) if (answers?.has(each)) answers.set(each, true);
      } else if (core.last(from) < number && isNeeded()) {
        expected.set(from, number);
        lookout.expect(from, number);
        attend();
      }
    },

    /**
     * Tells those behind what ends by [operations], which are about to be written.
     * @param {import('../../core/types.js').Operation[]} operations
     */
    announce(operations) {
      for (const operation of operations) {
        if (operation.type !== 'drop') continue;
        registered.get(operation.request)?.forEach((answer, each) => {
          answer({ from: client(), number: operation.number });
          told.add(each);
        });
        registered.delete(operation.request);
      }
    },

    /** Tells everybody, since all requests of this context are about to end. */
    leave() {
      const everybody = new Map([...registered.values()].flatMap((waiters) => [...waiters]));
      everybody.forEach((answer) => answer({ from: client(), number: Number.MAX_SAFE_INTEGER }));
    },

    /** @param {string} each @returns {boolean} whether it has been told of what was just written */
    wasTold: (each) => told.has(each),

    /** What was written is written, and everybody has been rung for. */
    written: () => told.clear(),

    /** Something rare is about to be written, or was. */
    alarmed() {
      alarmedUntil = now() + ALARM;
      if (isNeeded()) attend();
      read();
    },

    /** Something was written, while this context attends. */
    stirred() {
      const time = now();
      respite = time - stirredAt > 2 * RESPITE_LONGEST ? 0 : Math.min(Math.max(2 * respite, RESPITE), RESPITE_LONGEST);
      stirredAt = time;
      read();
      if (!attending || !respite || endRespite) return;
      kernel.unattend();
      endRespite = setTimer(() => {
        endRespite = undefined;
        if (attending && isNeeded()) attend();
      }, respite);
    },

    /** @param {string} each its promises may be forgotten, and what it said last may be lost */
    cut(each) {
      if (!asked.delete(each) || !isNeeded()) return;
      attend();
      checkAfter(PATIENCE);
    },

    /** @param {string} gone */
    forget(gone) {
      // Whoever blocked this context behind it may be dead, too.
      if (asked.delete(gone) && isNeeded()) {
        bereaved = true;
        checkAfter(SETTLE);
      }
      registered.forEach((waiters) => waiters.delete(gone));
    },

    /** This context neither holds nor waits any more. */
    rest() {
      cancel();
      due = Infinity;
      stopAttending();
      checkedAt = '';
      kernel.rest();
    },

    stop() {
      notices.rest();
      registered.clear();
      expected.clear();
      asked.clear();
    },
  };
  return notices;
};
