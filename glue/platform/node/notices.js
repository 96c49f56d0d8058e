/**
 * Lets a waiting process sleep until something concerns it. It registers with the processes whose requests block its own. Each of them
 * promises to ring *before* it writes that such a request has ended (./promises.js). So the entry is never missed, even if its writer is
 * stopped or killed right after it. New requests join the end of the queue, so only two other things can concern a waiting process. It
 * watches for deaths itself. Steals and force-releases are announced: their writer touches the journal's first file before and after, and
 * the kernel rings for every process.
 *
 * Until all have promised, the kernel rings for every entry: a process may be stopped or busy, or its connection may have ended. The kernel
 * also rings for every entry while requests of others have a time limit, which may expire while their owner is stopped.
 *
 * The process also reads the journal from time to time (SELDOM), in case two faults coincide: see docs/node.md.
 *
 * @typedef {object} Registration [from] waits behind these requests of the other process, and has seen its operations up to [last]
 * @property {string} from
 * @property {number} last
 * @property {number[]} behind the numbers of these requests
 *
 * @typedef {{from: string, promises: number[]}} Promises [from] will ring before these requests of its own end
 * @typedef {{from: string, number: number}} Ending [from] is about to write its operation [number], which ends such a request
 * @typedef {Registration | Promises | Ending} Notice
 * @typedef {import('./bell.js').Answer} Answer
 */
import { hasOwn } from '../../core/own-member.js';
import { blockersOf } from '../../log/blockers.js';
import { requestsBefore } from './waits.js';

/**
 * If a process still holds or waits, and has read nothing for this many milliseconds, it watches for deaths and registers. Most requests
 * are granted earlier.
 */
const SETTLE = 20;
/** This much later for each request in the state, in case many processes take turns, but at most SETTLE_LONGEST. */
const SETTLE_PER_REQUEST = 4;
const SETTLE_LONGEST = 200;
/** How many milliseconds blockers have to answer a registration. */
const PATIENCE = 50;
/** How often a process that reads all the time checks for deaths. */
const LOOK_FOR_DEATHS = 100;
/** How often a process for which the kernel rings for every entry checks whether it can sleep. */
const LOOK_AGAIN = 200;
/** How long the kernel rings for every entry after an alarm. The announced entry comes at once, unless the machine is busy. */
const ALARM = 1000;
/**
 * If the kernel rings again this soon, the process stops listening for this long, and then reads. The pause doubles each time. Otherwise,
 * on a busy machine, every entry would wake many waiting processes, and make it busier.
 */
const RESPITE = 5;
const RESPITE_LONGEST = 80;
/** Milliseconds between two reads of a sleeping process. */
const SELDOM = 5000;

/** @param {unknown} list */
const areNumbers = (list) => Array.isArray(list) && list.every(Number.isInteger);

/** @param {any} message @returns {message is Notice} */
const isNotice = (message) => {
  const { from, last, behind, promises, number } = message;
  if (typeof from !== 'string') return false;
  if (hasOwn(message, 'behind')) return areNumbers(behind) && Number.isInteger(last);
  return hasOwn(message, 'promises') ? areNumbers(promises) : Number.isInteger(number);
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
 * @param {() => void} parts.readAndTell reads the journal, and calls the listeners
 * @param {(action: () => void) => void} parts.attemptAndTell
 * @param {ReturnType<typeof import('./lookout.js').createLookout>} parts.lookout
 * @param {ReturnType<typeof import('./promises.js').createPromises>} parts.promises
 */
export const createNotices = ({
  surroundings, kernel, journal, core, members, client, isNeeded, readAndTell, attemptAndTell, lookout, promises,
}) => {
  const { bell, now, setTimer } = surroundings;
  /**
   * For each client with which this context has registered: its requests that block this context, and whether it has promised for each of
   * them.
   * @type {Map<string, Map<number, boolean>>}
   */
  let asked = new Map();
  /** By client: the number of its operation that was announced and is not in the journal yet. @type {Map<string, number>} */
  const expected = new Map();
  let attending = false;
  /** Ends the pause in which the kernel does not ring; undefined if there is none. @type {(() => void) | undefined} */
  let endRespite;
  let respite = 0;
  let stirredAt = -Infinity;
  /** A client that blocked this context has died since the last check. */
  let bereaved = false;
  let alarmedUntil = -Infinity;
  let readAt = 0;
  /** The place in the journal at the last complete check. */
  let checkedAt = '';
  /** This context's last operation at that check. */
  let checkedLast = 0;
  let due = Infinity;
  /** When this context first postponed the check, or last checked for deaths since then; Infinity if it has not postponed it. */
  let lookedAt = Infinity;
  let cancel = () => {};

  const settling = () => Math.min(SETTLE + core.requestCount() * SETTLE_PER_REQUEST, SETTLE_LONGEST);

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

  /**
   * Registers with the blockers with which it has not registered yet.
   * @param {import('../../core/types.js').State} state
   * @returns {'promised' | 'asked' | 'late'}
   */
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

  /** Makes sure that this context will learn of everything that concerns it. */
  const check = () => {
    due = Infinity;
    if (!isNeeded()) return;
    const time = now();
    const quiet = time - readAt;
    if (!attending && !bereaved && quiet < settling()) {
      lookedAt = Math.min(lookedAt, time);
      // A process that reads all the time must notice deaths, too.
      if (time - lookedAt > LOOK_FOR_DEATHS) {
        lookedAt = time;
        attemptAndTell(() => lookout.lookAt(core.state()));
      }
      checkAfter(settling() - quiet);
      return;
    }
    lookedAt = Infinity;
    bereaved = false;
    kernel.heed(journal.firstPath());
    readAndTell();
    if (!isNeeded()) return;
    attemptAndTell(() => {
      const state = core.state();
      checkedAt = journal.place();
      checkedLast = core.last(client());
      for (const [each, number] of expected) if (core.last(each) >= number || !members().has(each)) expected.delete(each);
      lookout.lookAt(state);
      const result = register(state);
      if (result === 'late' || expected.size || now() < alarmedUntil) {
        attend();
        checkAfter(LOOK_AGAIN);
      } else {
        stopAttending();
        checkAfter(result === 'promised' ? SELDOM : PATIENCE);
      }
    });
  };

  const notices = {
    /** This context has read the journal. */
    hasRead() {
      readAt = now();
    },

    /** This context holds or waits, and has read or written. */
    settle() {
      if (attending) attend();
      if (journal.place() === checkedAt) return;
      // Its own requests and releases since then may make it wait for other contexts, which may be dead.
      const hasActed = core.last(client()) !== checkedLast;
      checkAfter(attending && !hasActed ? LOOK_AGAIN : settling());
    },

    /** Checks again even if nothing was written since: burying a dead client may have failed. */
    doubt() {
      checkedAt = '';
    },

    /**
     * A message of another process, or of anything else that writes to this one's socket. This context has already read what the sender
     * wrote before it.
     * @param {import('./bell.js').Message} notice
     * @param {Answer} answer
     */
    hear(notice, answer) {
      if (!isNotice(notice)) return;
      const { from } = notice;
      if (hasOwn(notice, 'behind')) promises.give(notice, answer);
      else if (hasOwn(notice, 'promises')) {
        const answers = asked.get(from);
        for (const each of notice.promises) if (answers?.has(each)) answers.set(each, true);
      } else if (core.last(from) >= notice.number) return;
      // It may write much later, and rings only once. So its promise holds no longer for what this context asks for until then.
      else if (!isNeeded()) asked.delete(from);
      else {
        expected.set(from, notice.number);
        lookout.expect(from, notice.number);
        attend();
      }
    },

    /** A steal or force-release is about to be written, or was written. */
    alarmed() {
      alarmedUntil = now() + ALARM;
      if (isNeeded()) {
        attend();
        // This context may now wait for the client that steals, which may end.
        checkAfter(settling());
      }
      readAndTell();
    },

    /** An entry was written while the kernel rings for every entry. */
    stirred() {
      const time = now();
      // The kernel rings soon after this process listens again.
      const isBusy = time - stirredAt - respite < 2 * RESPITE;
      respite = isBusy ? Math.min(Math.max(2 * respite, RESPITE), RESPITE_LONGEST) : 0;
      stirredAt = time;
      readAndTell();
      if (!attending || !respite || endRespite) return;
      kernel.unattend();
      endRespite = setTimer(() => {
        endRespite = undefined;
        if (attending && isNeeded()) attend();
      }, respite);
    },

    /** @param {string} each a client whose connection has ended: it may have forgotten its promises, and its last message may be lost */
    cut(each) {
      if (!asked.delete(each) || !isNeeded()) return;
      attend();
      checkAfter(PATIENCE);
    },

    /** @param {string} gone */
    forget(gone) {
      // The next blocker may be dead, too.
      if (asked.delete(gone) && isNeeded()) {
        bereaved = true;
        checkAfter(SETTLE);
      }
      promises.forget(gone);
    },

    /** This context no longer holds or waits. */
    rest() {
      cancel();
      due = lookedAt = Infinity;
      stopAttending();
      checkedAt = '';
      kernel.rest();
    },

    stop() {
      notices.rest();
      promises.forgetAll();
      expected.clear();
      asked.clear();
    },
  };
  return notices;
};
