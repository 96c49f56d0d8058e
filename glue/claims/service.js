/**
 * A lock manager's requests to a claims service, over fetch. Every address is built from the configured one, never from an answer, so that
 * a token is sent nowhere else.
 *
 * @typedef {object} ClaimsOptions
 * @property {string | URL} url of the service
 * @property {number} [ttl] seconds after which the locks of a dead client are released
 * @property {string} [clientId] the client id that query() shows for this client's locks
 * @property {Given | (() => Given | Promise<Given>)} [headers] sent with every request, for instance Authorization; a function is called
 *   each time, for tokens that expire
 * @property {number} [patience] seconds during which an unreachable service is tried again; Infinity: for ever
 *
 * @typedef {Record<string, string> | Iterable<readonly [string, string]>} Given headers as fetch() accepts them
 *
 * @typedef {{id: string, created: string, asked: number, status: string, ttl: number | null, fence: number | null, resource: string |
 *   string[], mode: string, user_data: {clientId?: string} | null, status_history: {status: string, timestamp: string}[]}} Claim [asked]:
 *   when the request for it was sent
 */
import { hasEnded, idOf, isNowhere, isUnknown } from './answers.js';
import { createConnection } from './connection.js';

/** The service answers a waiting request after this many seconds at the latest; sooner if a gateway cuts such requests. */
const LONGEST_WAIT = 25;
const SHORTEST_WAIT = 1;
/** The most claims in one answer. Each answer shows one moment, and the next answer a later one. */
const PAGE = 10_000;
/** Milliseconds between two polls of a waiting claim, if the service cannot answer when it changes. */
const BETWEEN = 1000;
/** How many milliseconds after close() to wait for the answer that names the new session. */
const GRACE = 2000;
/** No service can end, start anew and grant a claim within this many milliseconds. */
const QUICK = 250;

/**
 * @param {typeof globalThis} global
 * @param {import('./clock.js').Time} time
 * @param {ClaimsOptions} options
 * @param {string} clientId
 * @param {() => string} randomId
 */
export const createService = (global, time, { url, ttl = 30, headers = {}, patience = 60 }, clientId, randomId) => {
  const connection = createConnection(global, time, { url, ttl, patience, headers });
  const { address, base, now, pause, insist, hasMarks } = connection;

  /** @param {{body: any, asked: number}} answer @returns {Claim} */
  const read = ({ body, asked }) => ({ ...body, id: idOf(body), asked });

  /**
   * The address of a claim or session for changes. A service that has lost its data reuses the ids. So it checks [created] at each attempt.
   * A service that does not mark its answers does not check it.
   * @param {'claims' | 'sessions'} kind
   * @param {{id: string, created: string}} which
   */
  const addressOf = (kind, { id, created }) => `${kind}/${id}/?created=${encodeURIComponent(created)}`;

  /** @param {import('./answers.js').Answer} answer */
  const refusal = ({ status, body }) => new Error(isNowhere({ status, body })
    ? `The claims service at ${address} has nothing at this path. The option url must be the address of its start page, without "v1/", `
      + 'and the service must be 0.2.0 or later.'
    : `The claims service at ${address} answered ${status}: ${JSON.stringify(body)}`);

  /**
   * Whether an answer may take long. A browser has six connections to a host for all its tabs, except over HTTP/2 and later. Waiting
   * requests would take all of them, and no renewal would get through. Check the protocol of the latest session request, since the network
   * may have changed.
   */
  const mayWait = () => {
    const { document, performance, WorkerGlobalScope } = /** @type {any} */ (global);
    if (!document && !WorkerGlobalScope) return true;
    const entries = performance.getEntriesByName ? performance.getEntriesByName(new global.URL('sessions/', base).href) : [];
    const { nextHopProtocol } = entries[entries.length - 1] || {};
    return /^h[23]/.test(String(nextHopProtocol));
  };

  return {
    ...connection, ttl, patience,
    key: randomId,

    /** Begins a session. Only the answer names it, so that it can be ended. @param {() => boolean} isWanted */
    async begin(isWanted) {
      const answer = await insist('sessions/', { method: 'POST', body: { ttl }, isWanted, grace: GRACE });
      if (answer.status !== 201) throw refusal(answer);
      return { id: idOf(answer.body), created: /** @type {string} */ (answer.body.created), asked: answer.asked };
    },

    /**
     * @param {{id: string, created: string}} session
     * @param {AbortSignal} signal
     * @returns {Promise<{status: number, asked: number, active?: Set<string>, isGone: boolean}>} [active]: its active claims, if it was
     *   renewed. [isGone]: there is no such session
     */
    async renew(session, signal) {
      const { id, created } = session;
      const { status, body, asked } = await insist(addressOf('sessions', session), { method: 'PATCH', body: { ttl }, signal });
      if (status !== 200) {
        return { status, asked, isGone: isUnknown({ status, body }, 'session', id) };
      }
      // This is another session: see addressOf().
      if (body.created !== created) return { status: 404, asked, isGone: true };
      return { status, asked, active: new Set(body.active.map((/** @type {string} */ url) => idOf({ url }))), isGone: false };
    },

    /**
     * Ends a session with its remaining claims. Not at a service that does not mark its answers, since it could end another one: see
     * addressOf().
     * @param {{id: string, created: string}} session
     * @param {import('./session.js').Last} last
     * @returns {Promise<boolean>} whether it is over, or must end by itself
     */
    async leave(session, last) {
      if (!hasMarks()) return true;
      const answer = await insist(addressOf('sessions', session), { method: 'DELETE', isWanted: () => false, ...last });
      return answer.status === 204 || isUnknown(answer, 'session', session.id);
    },

    /**
     * @param {string | string[]} resource
     * @param {string} mode
     * @param {{id: string, created: string}} session
     * @param {string} key makes a repetition harmless
     * @param {import('./session.js').Last & {isWanted?: () => boolean}} how
     * @returns {Promise<Claim | undefined>} undefined if the session is over. An error with `isSure` says that no claim was made. One with
     *   `isFinal` says that an earlier attempt made none either; a 403 does not say that, since rights may have changed
     */
    async make(resource, mode, session, key, how) {
      // As in addressOf(). It is not in the body, since an older service would refuse an unknown member.
      const answer = await insist(`claims/?session_created=${encodeURIComponent(session.created)}`, {
        method: 'POST',
        // query() shows the user_data.
        body: { resource, session: session.id, mode, user_data: { clientId } },
        headers: { 'idempotency-key': key },
        ...how,
      });
      const { status, body, isFirst } = answer;
      if (status === 400 && body.session) return undefined;
      if (status === 201 || status === 202) return read(answer);
      throw Object.assign(refusal(answer), { isSure: isFirst, isFinal: [400, 409, 422].includes(status) });
    },

    /**
     * Resolves with the claim as soon as it is no longer waiting; with undefined if the service no longer knows it.
     * @param {Claim} claim
     * @param {AbortSignal} signal
     */
    async whenNotWaiting({ id, created }, signal) {
      const short = `claims/${id}/`;
      let wait = LONGEST_WAIT;
      let wasCut = false;
      for (;;) {
        const waits = mayWait();
        if (!waits || wasCut) await pause(BETWEEN, signal);
        const [to, how] = waits ? [`${short}?wait=${wait}&while=waiting`, { wait: wait * 1000, short, mayBeBusy: true }] : [short, {}];
        let answer = await insist(to, { signal, ...how });
        wasCut = waits && !answer.isFirst;
        // Lengthen the wait again: the network may have failed only for a moment.
        wait = wasCut ? Math.max(SHORTEST_WAIT, Math.floor(wait / 2)) : Math.min(LONGEST_WAIT, wait + 1);
        if (answer.status === 429) {
          // Too many requests wait already.
          await pause(BETWEEN, signal);
          answer = await insist(short, { signal });
        }
        if (isUnknown(answer, 'claim', id)) return undefined;
        if (answer.status !== 200) throw refusal(answer);
        const claim = read(answer);
        // This is another claim: the service has lost its data.
        if (claim.created !== created) return undefined;
        if (claim.status !== 'waiting') return claim;
      }
    },

    /**
     * @param {Claim} claim
     * @param {'released' | 'aborted' | 'withdrawn'} status
     * @param {import('./session.js').Last} [last]
     * @returns {Promise<boolean>} whether the claim has ended; false if the service refused, for example an expired token
     */
    async finish(claim, status, last) {
      const { id, created, asked } = claim;
      const how = { isWanted: () => false, ...last };
      // The id may belong to another claim by now: see addressOf().
      if (!hasMarks() && now() - asked > QUICK) {
        const seen = await insist(`claims/${id}/`, how);
        if (isUnknown(seen, 'claim', id)) return true;
        if (seen.status !== 200) return false;
        if (seen.body.created !== created) return true;
      }
      const answer = await insist(addressOf('claims', claim), { method: 'PATCH', body: { status }, ...how });
      return hasEnded(answer, id);
    },

    /** Ends a claim, also one of another client if the service allows it. @param {Claim} claim */
    async revoke(claim) {
      const answer = await insist(addressOf('claims', claim), { method: 'PATCH', body: { status: 'revoked' } });
      // The claim may have ended meanwhile.
      if (hasEnded(answer, claim.id)) return;
      throw answer.status === 403 ? new global.DOMException(`The claims service at ${address} does not let you revoke this claim.`,
        'NotAllowedError') : refusal(answer);
    },

    /** @param {'active' | 'waiting'} status */
    async list(status) {
      /** By id, since claims that end move later ones to an earlier offset. @type {Map<string, Claim>} */
      const found = new Map();
      for (let offset = 0; ; offset += PAGE) {
        const answer = await insist(`claims/?status=${status}&limit=${PAGE}&offset=${offset}`, { isList: true });
        if (answer.status !== 200 || !Array.isArray(answer.body)) throw refusal(answer);
        for (const each of answer.body) found.set(idOf(each), read({ body: each, asked: answer.asked }));
        if (answer.body.length < PAGE) return [...found.values()];
      }
    },
  };
};

/** The client that query() shows. @param {Claim} claim @param {string} otherwise the result for claims that no LockManager has made */
export const clientOf = ({ user_data: data }, otherwise) => (data && data.clientId) || otherwise;
