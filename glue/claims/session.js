/**
 * The session that the claims of a manager share: one renewal keeps all of them, and the service ends them all when this client is gone.
 * Its lease counts from when it was asked for, so it ends here before it ends at the service.
 *
 * @typedef {object} Session
 * @property {string} id
 * @property {number} end of the lease, by this clock
 * @property {number} users requests that need it; without any it is not renewed
 * @property {string | undefined} over why it is of no use any more
 * @property {Map<string, (reason: string | undefined) => void>} held what to call when a claim that is held is lost, by the claim's id
 * @property {AbortController | undefined} rest ends the pause before the next renewal
 */

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

  /** So many wait for the session that is beginning. */
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
    // Those of now: the answer may not know of later ones.
    const held = [...session.held];
    // A little before its end it counts as lost, for then others may have what it held.
    const late = new global.AbortController();
    const timer = global.setTimeout(() => late.abort(), session.end - now() - whole / 10);
    try {
      const { status, active, asked } = await service.renew(session.id, late.signal);
      if (status !== 200) return end(session, `its session has ended (${status})`);
      session.end = asked + whole;
      for (const [id, lose] of held) if (!active.has(id)) lose('the claim has ended');
    } catch (error) {
      end(session, late.signal.aborted ? 'the service cannot be reached' : String(error));
    } finally {
      global.clearTimeout(timer);
    }
    return undefined;
  };

  return {
    end,

    /**
     * @param {AbortSignal} signal aborts where it is not wanted any more
     * @returns {Promise<Session>} one that is renewed until leave()
     */
    async enter(signal) {
      // One that nobody used may be nearly over.
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
     * Resolves when the claim is lost, with the reason, or with nothing when [signal] fires.
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
