/**
 * A lock manager's requests to a claims service, over fetch. Every address is made from the configured one, never from an answer. So a
 * token is sent nowhere else.
 *
 * @typedef {object} ClaimsOptions
 * @property {string | URL} url of the service
 * @property {number} [ttl] seconds after which the locks of a dead client are released
 * @property {string} [clientId] the client that query() shows for this client's locks
 * @property {Given | (() => Given | Promise<Given>)} [headers] sent with every request, for instance Authorization; a function is called
 *   each time, for tokens that expire
 * @property {number} [patience] seconds during which an unreachable service is tried again; Infinity: for ever
 *
 * @typedef {Record<string, string> | Iterable<readonly [string, string]>} Given headers as fetch() takes them
 *
 * @typedef {{id: string, created: string, asked: number, status: string, ttl: number | null, fence: number | null,
 *   resource: string | string[], mode: string, user_data: {clientId?: string} | null,
 *   status_history: {status: string, timestamp: string}[]}} Claim [asked]: when the service was asked for it
 */
import { hasEnded, idOf, isUnknown } from './answers.js';
import { createConnection } from './connection.js';

/** The service answers a waiting request after this many seconds at the latest; sooner if a gateway cuts such requests. */
const LONGEST_WAIT = 25;
const SHORTEST_WAIT = 1;
/** The most claims in an answer. They are shown as they were at one moment, but those of the next answer at a later one. */
const PAGE = 10_000;
/** Milliseconds between two looks at a waiting claim if the service does not answer when it changes. */
const BETWEEN = 1000;
/** So many milliseconds may pass after close() until the answer is there that says which session was made. */
const GRACE = 2000;
/** No service can end, start anew and grant a claim within this many milliseconds. */
const QUICK = 250;

/**
 * @param {typeof globalThis} global
 * @param {ClaimsOptions} options
 * @param {string} clientId
 * @param {() => string} randomId
 */
export const createService = (global, { url, ttl = 30, headers = {}, patience = 60 }, clientId, randomId) => {
  const connection = createConnection(global, { url, ttl, patience, headers });
  const { address, base, now, pause, insist, hasMarks } = connection;

  /** @param {{body: any, asked: number}} answer @returns {Claim} */
  const read = ({ body, asked }) => ({ ...body, id: idOf(body), asked });

  /**
   * The address of a claim or session for changes. A service that has lost its data gives the same ids again, to others. The service itself
   * looks whether it is the same one, at each attempt. One that does not mark its answers does not look.
   * @param {'claims' | 'sessions'} kind
   * @param {{id: string, created: string}} which
   */
  const addressOf = (kind, { id, created }) => `${kind}/${id}/?created=${encodeURIComponent(created)}`;

  /** @param {import('./answers.js').Answer} answer */
  const refusal = ({ status, body }) => new Error(`The claims service at ${address} answered ${status}: ${JSON.stringify(body)}`);

  /**
   * Whether an answer may take long. A browser has six connections to a host for all its tabs, except over HTTP/2 and later. Requests that
   * wait would take all of them, and no renewal would get through. The request for the last session tells: the network may have changed.
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

    /** A session. Only the answer tells which one, so that it can be ended. @param {() => boolean} isWanted */
    async begin(isWanted) {
      const answer = await insist('sessions/', { method: 'POST', body: { ttl }, isWanted, grace: GRACE });
      if (answer.status !== 201) throw refusal(answer);
      return { id: idOf(answer.body), created: /** @type {string} */ (answer.body.created), asked: answer.asked };
    },

    /**
     * @param {{id: string, created: string}} session
     * @param {AbortSignal} signal
     * @returns {Promise<{status: number, asked: number, active?: Set<string>, isGone: boolean}>} [active]: if it was renewed, its active
     *   claims. [isGone]: whether there is no such session
     */
    async renew(session, signal) {
      const { id, created } = session;
      const { status, body, asked } = await insist(addressOf('sessions', session), { method: 'PATCH', body: { ttl }, signal });
      if (status !== 200) {
        return { status, asked, isGone: isUnknown({ status, body }, 'session', id) };
      }
      // Another session: see addressOf().
      if (body.created !== created) return { status: 404, asked, isGone: true };
      return { status, asked, active: new Set(body.active.map((/** @type {string} */ url) => idOf({ url }))), isGone: false };
    },

    /**
     * Ends a session, with all that is left in it. A service that does not mark its answers could end another one: see addressOf().
     * @param {{id: string, created: string}} session
     * @param {import('./session.js').Last} last
     * @returns {Promise<boolean>} whether it is over, or has to end by itself
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
     * @returns {Promise<Claim | undefined>} undefined if the session is over. An error whose `isSure` is true says that no claim was made,
     *   and one whose `isFinal` is true that none was made before either. A 403 says only the former: rights may have changed
     */
    async make(resource, mode, session, key, how) {
      // As in addressOf(). What stands in the body itself would have to be known to an older service.
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
     * Resolves with the claim as soon as it is no longer waiting; with undefined if the service does not know it any more.
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
        // The network may have been away for a moment only.
        wait = wasCut ? Math.max(SHORTEST_WAIT, Math.floor(wait / 2)) : Math.min(LONGEST_WAIT, wait + 1);
        if (answer.status === 429) {
          // Too many wait already.
          await pause(BETWEEN, signal);
          answer = await insist(short, { signal });
        }
        if (isUnknown(answer, 'claim', id)) return undefined;
        if (answer.status !== 200) throw refusal(answer);
        const claim = read(answer);
        // Another claim: the service has lost its data.
        if (claim.created !== created) return undefined;
        if (claim.status !== 'waiting') return claim;
      }
    },

    /**
     * @param {Claim} claim
     * @param {'released' | 'aborted' | 'withdrawn'} status
     * @param {import('./session.js').Last} [last]
     * @returns {Promise<boolean>} whether the claim has ended; false if the service has refused, as with a token that has expired
     */
    async finish(claim, status, last) {
      const { id, created, asked } = claim;
      const how = { isWanted: () => false, ...last };
      // It may be another claim: see addressOf().
      if (!hasMarks() && now() - asked > QUICK) {
        const seen = await insist(`claims/${id}/`, how);
        if (isUnknown(seen, 'claim', id)) return true;
        if (seen.status !== 200) return false;
        if (seen.body.created !== created) return true;
      }
      const answer = await insist(addressOf('claims', claim), { method: 'PATCH', body: { status }, ...how });
      return hasEnded(answer, id);
    },

    /** Ends a claim. If the service allows it, also someone else's. @param {Claim} claim */
    async revoke(claim) {
      const answer = await insist(addressOf('claims', claim), { method: 'PATCH', body: { status: 'revoked' } });
      // The claim may have ended meanwhile.
      if (hasEnded(answer, claim.id)) return;
      throw answer.status === 403 ? new global.DOMException(`The claims service at ${address} does not let you revoke this claim.`,
        'NotAllowedError') : refusal(answer);
    },

    /** @param {'active' | 'waiting'} status */
    async list(status) {
      /** By id: claims that end move the later ones forward. @type {Map<string, Claim>} */
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

/** The client that query() shows. @param {Claim} claim @param {string} otherwise for claims that no LockManager has made */
export const clientOf = ({ user_data: data }, otherwise) => (data && data.clientId) || otherwise;
