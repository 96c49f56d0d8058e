/**
 * The session that all claims of a manager share. One renewal keeps them all, and the service ends them all if this client dies. The lease
 * counts from the time of the request, so it ends here before it ends at the service.
 *
 * @typedef {object} Session
 * @property {string} id
 * @property {number} end of the lease, by this clock
 * @property {number} users how many requests need it; it is renewed while there are any
 * @property {string | undefined} over why it can no longer be used
 * @property {Map<string, (reason: string | undefined) => void>} held called when a held claim is lost, by the claim's id
 * @property {AbortController | undefined} rest ends the pause before the next renewal
 */

/** Milliseconds between two attempts to renew a session. */
const BETWEEN = 500;
/** A timer with more milliseconds fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * @param {typeof globalThis} global
 * @param {ReturnType<typeof import('./service.js').createService>} service
 */
export const createSessions = (global, service) => {
  const whole = service.ttl * 1000;
  /** @type {Session | undefined} */
  let current;
  /** @type {Promise<Session> | undefined} */
  let beginning;
  const now = () => global.performance.now();

  /** How many requests wait for the session that is being made. */
  let waiting = 0;

  const begin = async () => {
    const { id, asked } = await service.begin(() => waiting > 0);
    current = { id, end: asked + whole, users: 0, over: undefined, held: new Map(), rest: undefined };
    return current;
  };

  /** @param {Session} session @param {string} reason */
  const end = (session, reason) => {
    session.over = reason;
    if (current === session) current = undefined;
    for (const lose of session.held.values()) lose(reason);
  };

  /**
   * Renews it as long as a request uses it.
   * @param {Session} session
   */
  const keep = async (session) => {
    while (session.users > 0 && !session.over) {
      session.rest = new global.AbortController();
      await service.pause(Math.max(0, session.end - now() - (whole * 2) / 3), session.rest.signal);
      if (session.users > 0) await renew(session);
    }
    session.rest = undefined;
  };

  /** @param {Session} session */
  const renew = async (session) => {
    // Only the claims of now: the answer may not contain later ones.
    const held = [...session.held];
    // It counts as lost a little before its end. After the end, others may have the locks.
    const late = new global.AbortController();
    const timer = global.setTimeout(() => late.abort(), Math.min(session.end - now() - whole / 10, LONGEST_TIMER));
    /** Why it could not be renewed so far. @type {string | undefined} */
    let failure;
    try {
      do {
        const answer = await service.renew(session.id, late.signal).catch((error) => ({ error, status: 0, active: new Set(), asked: 0 }));
        const { status, active, asked } = answer;
        if (status === 200) {
          session.end = asked + whole;
          for (const [id, lose] of held) if (!active.has(id)) lose('the claim has ended');
          return undefined;
        }
        if (status === 404) return end(session, `its session has ended (${status})`);
        // Anything else may pass, such as a token that has just expired. The session lives on meanwhile.
        if (status) failure = `the service answers ${status}`;
        else if (!late.signal.aborted) failure = String(/** @type {{error: unknown}} */ (answer).error);
        await service.pause(BETWEEN, late.signal);
      } while (!late.signal.aborted && !service.isStopped());
      return end(session, failure || 'the service cannot be reached');
    } finally {
      global.clearTimeout(timer);
    }
  };

  return {
    end,

    /** Whether its claims may be there still. @param {Session} session */
    mayLive: (session) => !session.over && session.end > now() && !service.isStopped(),

    /**
     * Whether it is over, or may be over at the service: this client may have stood still since the answer that it holds.
     * @param {Session} session
     */
    isOver(session) {
      if (!session.over && session.end - now() < whole / 10) end(session, 'the service cannot be reached');
      return Boolean(session.over);
    },

    /**
     * @param {AbortSignal} signal aborts when the session is no longer wanted
     * @returns {Promise<Session>} a session that is renewed until leave()
     */
    async enter(signal) {
      // An unused session may be nearly over.
      if (current && current.users === 0 && current.end - now() < whole / 3) current = undefined;
      let session = current;
      if (!session) {
        beginning = beginning || begin().finally(() => {
          beginning = undefined;
        });
        waiting++;
        const give = () => void waiting--;
        signal.addEventListener('abort', give);
        try {
          session = await beginning;
        } finally {
          signal.removeEventListener('abort', give);
          if (!signal.aborted) give();
        }
      }
      session.users += 1;
      if (!session.rest) keep(session);
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
        session.held.delete(id);
        signal.removeEventListener('abort', release);
        resolve(reason);
      };
      const release = () => finish(undefined);
      session.held.set(id, finish);
      signal.addEventListener('abort', release);
      if (signal.aborted) release();
    }),
  };
};
