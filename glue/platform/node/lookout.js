/**
 * While a context holds or waits, it watches the contexts that block it, to learn of their deaths. A context that neither holds nor waits
 * watches nobody.
 */
import { LONGEST_TIMER } from '../../log/clock.js';
import { blockersOf } from '../../log/blockers.js';
import { createGuard } from './guard.js';
import { holdersBefore } from './waits.js';

/** After this many milliseconds a context that still waits determines its blockers. Most requests are granted earlier. */
const SETTLE = 1;
/** This much later for each request in the state, since a large state takes longer to examine. */
const SETTLE_PER_REQUEST = 0.01;
/** The least time between two checks: otherwise contexts that take turns all the time would check all the time. */
const LOOK_AGAIN = 8;

/**
 * The shortest lease that may begin while [client] waits.
 * @param {import('../../core/types.js').State} state
 * @param {string} client
 */
const shortestLease = ({ pending }, client) =>
  pending.reduce((shortest, request) => (request.client === client ? shortest : Math.min(shortest, request.hold)), Infinity);

/**
 * The holders that block [client], directly or through other pending requests, which may be for several names.
 * @param {import('../../core/types.js').State} state
 * @param {string} client
 */
const holdersAhead = ({ held, pending }, client) => {
  /** @type {Set<string>} */
  const names = new Set();
  let before;
  do {
    before = names.size;
    for (const request of pending) {
      if (request.client === client || request.names.some((name) => names.has(name))) request.names.forEach((name) => names.add(name));
    }
  } while (names.size > before);
  return held.filter((request) => request.client !== client && request.names.some((name) => names.has(name)));
};

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'bell' | 'life' | 'now' | 'setTimer'>} parts.surroundings
 * @param {import('./types.js').Journal} parts.journal
 * @param {import('./copy.js').Core} parts.core
 * @param {() => Set<string>} parts.members
 * @param {() => string} parts.client this context's
 * @param {() => boolean} parts.isNeeded whether this context holds or waits
 * @param {() => void} parts.readAndTell reads the journal, and calls the listeners
 * @param {(action: () => void) => void} parts.attemptAndTell
 * @param {(client: string) => void} parts.died
 * @param {(error: Error) => void} parts.failed deaths can no longer be seen
 */
export const createLookout = ({ surroundings, journal, core, members, client, isNeeded, readAndTell, attemptAndTell, died, failed }) => {
  const { bell, life, now, setTimer } = surroundings;
  const guard = createGuard((each, onDeath) => life.watch(each, onDeath, failed), died);
  let scheduled = false;
  /** The place in the journal at the last check, and the time of that check. */
  let lookedAt = '';
  let lookedWhen = -Infinity;
  /** This context's last operation at the last check. */
  let lookedLast = 0;
  let cancelLease = () => {};

  /** @param {number} milliseconds */
  const lookAfter = (milliseconds) => {
    if (scheduled) return;
    scheduled = true;
    setTimer(look, milliseconds);
  };

  const look = () => {
    scheduled = false;
    if (!isNeeded()) return;
    const at = journal.place();
    if (at === lookedAt) return;
    const time = now();
    if (time < lookedWhen + LOOK_AGAIN) {
      lookAfter(lookedWhen + LOOK_AGAIN - time);
      return;
    }
    lookedAt = at;
    lookedWhen = time;
    if (members().size < 2) return;
    attemptAndTell(() => {
      const state = core.state();
      lookout.lookAt(state);
      // A holder may want to know that another context waits for its lock (onContention of the drafts), and nobody else tells it. Ring only
      // once for each request: a busy holder reads no messages, so more of them would fill the memory.
      holdersBefore(state, client(), lookedLast).forEach((holder) => bell.ring(holder));
      lookedLast = core.last(client());
      heedLeases(state);
    });
  };

  /**
   * Nobody tells this context that a lease has begun ahead of it. If it reads once during that lease, it learns the end in time.
   * @param {import('../../core/types.js').State} state
   */
  const heedLeases = (state) => {
    cancelLease();
    const lease = shortestLease(state, client());
    if (lease === Infinity) return;
    cancelLease = setTimer(() => {
      if (!isNeeded()) return;
      lookedAt = '';
      readAndTell();
    }, Math.min(Math.max(lease, LOOK_AGAIN), LONGEST_TIMER));
  };

  const lookout = {
    /** Watches the contexts that block this one. @param {import('../../core/types.js').State} state */
    lookAt(state) {
      const watched = blockersOf(state, client());
      // The next in line watches the holder. But if it is stopped it cannot, and its own lease must begin nevertheless.
      if (shortestLease(state, client()) < Infinity) holdersAhead(state, client()).forEach((holder) => watched.add(holder.client));
      guard.turnTo(watched, core.last);
    },

    /** This context holds or waits, and has just acted. Between processes, ./notices.js decides when to check. */
    settle: () => lookAfter(SETTLE + core.requestCount() * SETTLE_PER_REQUEST),

    /** Checks again even if nothing was written since: burying a dead client may have failed. */
    doubt() {
      lookedAt = '';
    },

    /** Another context is about to write an entry that may concern this one, and may end before it rings. */
    expect: guard.expect,

    /** @param {string} gone */
    forget(gone) {
      bell.forget(gone);
      guard.remove(gone);
    },

    stop() {
      guard.stop();
      cancelLease();
      lookedAt = '';
      lookedLast = 0;
    },
  };
  return lookout;
};
