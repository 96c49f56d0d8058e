/**
 * The session that all claims of a manager share. One renewal keeps them all, and the service ends them all if this client dies. The lease
 * counts from the time at which the request was sent, so it ends here before it ends at the service.
 *
 * @typedef {object} Session
 * @property {string} id
 * @property {string} created
 * @property {number} end of the lease, by now()
 * @property {number} gone the latest time at which it is over at the service: a renewal without an answer may have had an effect
 * @property {number} users how many requests need it; it is renewed while there are any
 * @property {boolean} hasLasted whether it was ever renewed
 * @property {number} begun when the service's answer arrived
 * @property {boolean} wasAsleep whether it ended while this client was suspended
 * @property {string | undefined} over why it can no longer be used
 * @property {string | undefined} failure why the last renewal failed
 * @property {Map<(reason: string | undefined) => void, string>} held by the function to call when a held claim is lost: the claim's id. Two
 *   claims may have the same id: a service that has lost its data reuses it
 * @property {AbortController | undefined} rest aborts when no request needs the session, or when it is over
 *
 * @typedef {Pick<import('./attempt.js').How, 'isLast' | 'longest'>} Last see ./attempt.js
 */

import { LONGEST_ATTEMPT } from './attempt.js';

/** Milliseconds between two attempts to renew a session. */
const BETWEEN = 500;
/** Timers stand still while the machine is suspended. After that, a loss is detected within this many milliseconds. */
const LOOK = 1000;
/** Why a session ended, where no attempt to renew it has failed. */
const NOT_RENEWED = 'it was not renewed in time: this thread was busy or suspended, or the service cannot be reached';
/** Milliseconds between the first two attempts to end an unneeded claim. */
const REPEAT = 2000;
/** The same between later attempts, at most. */
const SELDOM = 60_000;

/**
 * @param {typeof globalThis} global
 * @param {ReturnType<typeof import('./service.js').createService>} service
 */
export const createSessions = (global, service) => {
  const { now } = service;
  const whole = service.ttl * 1000;
  /** @type {Session | undefined} */
  let current;
  /** @type {Promise<Session> | undefined} */
  let beginning;

  /** How many requests wait for the session that is beginning. */
  let waiting = 0;

  const begin = async () => {
    const { id, created, asked } = await service.begin(() => waiting > 0);
    current = {
      id, created, end: asked + whole, gone: now() + whole, users: 0, hasLasted: false, begun: now(), wasAsleep: false, over: undefined,
      failure: undefined, held: new Map(), rest: undefined,
    };
    return current;
  };

  /** Begins one session for all requests that wait for one. @param {AbortSignal} signal @returns {Promise<Session>} */
  const beginTogether = async (signal) => {
    let isOlder = Boolean(beginning);
    for (;;) {
      beginning = beginning || begin().finally(() => {
        beginning = undefined;
      });
      try {
        return await beginning;
      } catch (error) {
        // A request that joined this attempt late has not had its full time yet.
        if (!isOlder || signal.aborted || /** @type {Error} */ (error).name !== 'NetworkError') throw error;
        isOlder = false;
      }
    }
  };

  /** @param {Session} session @param {string} reason */
  const end = (session, reason) => {
    if (session.over) return;
    session.over = reason;
    // Otherwise watch() would have noticed the end earlier, or the answer would not have taken so long.
    session.wasAsleep = now() > Math.max(session.end, session.begun) + 2 * LOOK || session.begun > session.end - whole + LONGEST_ATTEMPT;
    if (current === session) current = undefined;
    if (session.rest) session.rest.abort();
    for (const lose of [...session.held.keys()]) lose(reason);
  };

  /**
   * Milliseconds until it counts as lost, which is a little before its end. After the end, others may get the locks.
   * @param {Session} session
   */
  const left = (session) => Math.max(0, session.end - now() - whole / 10);

  /**
   * Whether it is over, or may be over at the service. This client may have been suspended since the last answer.
   * @param {Session} session
   */
  const isOver = (session) => {
    if (!session.over && !left(session)) end(session, session.failure || NOT_RENEWED);
    return Boolean(session.over);
  };

  /**
   * Ends it when its current lease is over. In hidden tabs, browsers fire timers that were set by timers, as in watch(), only once a
   * minute. This one is set when an answer arrives.
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  const endInTime = async (session, signal) => {
    await service.pause(left(session), signal);
    if (!signal.aborted) isOver(session);
  };

  /** Ends it when its lease is over, even if a renewal still waits for an answer. @param {Session} session @param {AbortSignal} signal */
  const watch = async (session, signal) => {
    while (!signal.aborted && !service.isStopped() && !isOver(session)) {
      await service.pause(Math.min(LOOK, left(session)), signal);
    }
  };

  /**
   * Renews it while a request uses it.
   * @param {Session} session
   */
  const keep = async (session) => {
    const { signal } = session.rest = new global.AbortController();
    void watch(session, signal);
    void endInTime(session, signal);
    while (!signal.aborted && !service.isStopped()) {
      await service.pause(Math.max(0, session.end - now() - (whole * 2) / 3), signal);
      if (!signal.aborted && !isOver(session)) await renew(session, signal);
    }
  };

  /** @param {Session} session @param {AbortSignal} signal */
  const renew = async (session, signal) => {
    // Check only the current claims: the answer may lack later ones.
    const held = [...session.held];
    do {
      const answer = await service.renew(session, signal)
        .catch((error) => ({ error, status: 0, asked: 0, active: undefined, isGone: false }));
      session.gone = now() + whole;
      const { status, active, asked, isGone } = answer;
      if (active) {
        Object.assign(session, { end: asked + whole, hasLasted: true, failure: undefined });
        for (const [lose, id] of held) if (!active.has(id)) lose('the claim has ended');
        void endInTime(session, signal);
        return;
      }
      if (isGone) return end(session, `its session has ended (${status})`);
      if (signal.aborted || isOver(session)) return;
      // Any other failure may be temporary, such as a token that has just expired. The session goes on meanwhile.
      session.failure = status ? `the service answers ${status}` : String(/** @type {{error: unknown}} */ (answer).error);
      await service.pause(BETWEEN, signal);
    } while (!signal.aborted && !service.isStopped());
  };

  /**
   * Repeats [step] until it succeeds, or the session is over at the service. Otherwise, if other requests keep the session alive, a claim
   * left in it would never end. This keeps alive neither the session nor the process: if the process ends, so does the session. But Node
   * waits for an unanswered attempt, so the first ones have little time.
   * @param {Session} session
   * @param {(how: Last) => Promise<unknown>} step resolves with whether it succeeded
   */
  const repeat = async (session, step) => {
    // Try at least once: if the clock was set forward, the session may still exist.
    for (let pause = REPEAT; ; pause = Math.min(pause * 2, SELDOM)) {
      if (await step({ isLast: true, longest: pause }).catch(() => false) || session.gone <= now()) return;
      await service.pause(pause, undefined, true);
    }
  };

  return {
    end,

    isOver,

    repeat,

    /** Ends the session at the service, so that the service need not keep it until its lease ends. */
    async close() {
      const session = current;
      if (session && session.gone > now()) await repeat(session, (last) => service.leave(session, last));
    },

    /**
     * @param {AbortSignal} signal aborts when the session is no longer wanted
     * @returns {Promise<Session>} a session that is renewed until leave()
     */
    async enter(signal) {
      // Do not use an idle session that is nearly over.
      if (current && current.users === 0 && current.end - now() < whole / 3) current = undefined;
      let session = current;
      if (!session) {
        waiting++;
        const give = () => void waiting--;
        signal.addEventListener('abort', give);
        try {
          session = await beginTogether(signal);
        } finally {
          signal.removeEventListener('abort', give);
          if (!signal.aborted) give();
        }
      }
      session.users += 1;
      if (session.users === 1) void keep(session);
      return session;
    },

    /** @param {Session} session */
    leave(session) {
      session.users -= 1;
      if (session.users === 0 && session.rest) session.rest.abort();
    },

    /**
     * Resolves with the reason when the claim is lost, or with undefined when [signal] aborts.
     * @param {Session} session
     * @param {string} id
     * @param {AbortSignal} signal
     * @returns {Promise<string | undefined>}
     */
    hold: (session, id, signal) => new Promise((resolve) => {
      const finish = (/** @type {string | undefined} */ reason) => {
        session.held.delete(finish);
        signal.removeEventListener('abort', release);
        resolve(reason);
      };
      const release = () => finish(undefined);
      // A service that has lost its latest data gives an id again, even in this session. Its list has that id, so no renewal would tell.
      for (const [lose, other] of [...session.held]) if (other === id) lose('the service has lost its data');
      session.held.set(finish, id);
      signal.addEventListener('abort', release);
      if (signal.aborted) release();
    }),
  };
};
