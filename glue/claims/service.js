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
 * @typedef {{id: string, status: string, ttl: number | null, fence: number | null, resource: string | string[], mode: string,
 *   user_data: {clientId?: string} | null, status_history: {status: string, timestamp: string}[]}} Claim
 */

import { createAttempts } from './attempt.js';

/** The service answers a waiting request after this many seconds at the latest. */
const WAIT = 25;
const PAGE = 1000;
/** Milliseconds between two attempts. */
const PAUSE = 500;
/** A timer with more milliseconds fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * @param {typeof globalThis} global
 * @param {ClaimsOptions} options
 * @param {string} clientId
 * @param {() => string} randomId
 */
export const createService = (global, { url, ttl = 30, headers = {}, patience = 60 }, clientId, randomId) => {
  const address = String(url);
  const base = new global.URL('v1/', address.endsWith('/') ? address : `${address}/`);
  let warned = false;
  let stopped = false;
  /**
   * Called when everything ends. They are not listeners of a signal, since Node warns of a leak if a signal has more than ten.
   * @type {Set<() => void>}
   */
  const enders = new Set();

  /**
   * Calls [listener] when [signal] aborts, or when everything ends.
   * @param {AbortSignal | undefined} signal
   * @param {() => void} listener
   * @returns {() => void} removes it
   */
  const onEnd = (signal, listener) => {
    if (stopped || (signal && signal.aborted)) {
      listener();
      return () => {};
    }
    enders.add(listener);
    if (signal) signal.addEventListener('abort', listener);
    return () => {
      enders.delete(listener);
      if (signal) signal.removeEventListener('abort', listener);
    };
  };

  /**
   * @param {number} milliseconds
   * @param {AbortSignal} [signal] ends it
   * @param {boolean} [mayExit] whether Node may end the process meanwhile
   * @returns {Promise<void>}
   */
  const pause = (milliseconds, signal, mayExit) => new Promise((resolve) => {
    let stopListening = () => {};
    const finish = () => {
      global.clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = global.setTimeout(finish, Math.min(milliseconds, LONGEST_TIMER));
    if (mayExit && /** @type {any} */ (timer).unref) /** @type {any} */ (timer).unref();
    stopListening = onEnd(signal, finish);
  });

  const ask = createAttempts(global, { address, base, headers }, onEnd);

  /**
   * Like ask(), but tries again if the service cannot be reached, or cannot say whether it has acted.
   * @param {string} to
   * @param {import('./attempt.js').How} how
   * @param {() => boolean} [isWanted] whether the claim is still wanted. If not, it ends with its session, and the service is not asked any
   *   longer
   * @returns {Promise<{status: number, body: any, asked: number, isFirst: boolean}>} [asked]: when the attempt began; times in the answer
   *   count from then. [isFirst]: no earlier attempt can have had an effect
   */
  const insist = async (to, how, isWanted = () => true) => {
    const began = global.performance.now();
    const isOver = () => stopped || (how.signal && how.signal.aborted);
    for (let isFirst = true; ; isFirst = false) {
      let reason;
      try {
        const { status, text, asked } = await ask(to, how);
        if (status < 500) {
          warned = false;
          return { status, body: parse(status, text), asked, isFirst };
        }
        reason = `it answers ${status}`;
      } catch (error) {
        const failure = /** @type {Error & {cause?: Error}} */ (error);
        // fetch rejects with a TypeError if the network fails. Other errors are not temporary.
        if (isOver() || failure.name !== 'TypeError') throw error;
        reason = (failure.cause && failure.cause.message) || failure.message;
      }
      const longest = isWanted() ? patience : Math.min(patience, ttl);
      if (global.performance.now() + PAUSE > began + longest * 1000) {
        const text = `The claims service at ${address} could not be reached for ${longest} s: ${reason}.`;
        throw new global.DOMException(text, 'NetworkError');
      }
      if (!warned) global.console.warn(`lockkeeper: the claims service at ${address} cannot be reached (${reason}); it is asked again.`);
      warned = true;
      await pause(PAUSE, how.signal);
      if (isOver()) throw new global.DOMException('Nobody waits for the answer any more.', 'AbortError');
    }
  };

  /** @param {number} status @param {string} text */
  const parse = (status, text) => {
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${address} is no claims service: it answered ${status} with ${JSON.stringify(text.slice(0, 80))}.`);
    }
  };

  /** @param {any} body @returns {string} */
  const idOf = (body) => {
    const [, id] = /\/v1\/\w+\/(\d+)\/$/.exec(body && body.url) || [];
    if (!id) throw new Error(`${address} is no claims service: it answered ${JSON.stringify(body)}.`);
    return id;
  };

  /** @param {any} body @returns {Claim} */
  const read = (body) => {
    return { ...body, id: idOf(body) };
  };

  /** @param {{status: number, body: any}} answer */
  const refusal = ({ status, body }) => new Error(`The claims service at ${address} answered ${status}: ${JSON.stringify(body)}`);

  return {
    ttl,
    pause,
    isStopped: () => stopped,
    key: randomId,
    /** Ends all requests. */
    stop() {
      stopped = true;
      for (const end of enders) end();
    },

    /** A session. @param {() => boolean} isWanted */
    async begin(isWanted) {
      const answer = await insist('sessions/', { method: 'POST', body: { ttl } }, isWanted);
      if (answer.status !== 201) throw refusal(answer);
      return { id: idOf(answer.body), asked: answer.asked };
    },

    /** @param {string} id of a session @param {AbortSignal} signal */
    async renew(id, signal) {
      const { status, body, asked } = await insist(`sessions/${id}/`, { method: 'PATCH', body: { ttl }, signal });
      const urls = status === 200 ? body.active : [];
      return { status, asked, active: new Set(urls.map((/** @type {string} */ url) => idOf({ url }))) };
    },

    /**
     * @param {string | string[]} resource
     * @param {string} mode
     * @param {string} session
     * @param {() => boolean} isWanted
     * @param {string} key makes a repetition harmless
     * @returns {Promise<Claim | undefined>} undefined if the session is over. An error whose `isSure` is true says that no claim was made
     */
    async make(resource, mode, session, isWanted, key) {
      const answer = await insist('claims/', {
        method: 'POST',
        // query() shows the user_data.
        body: { resource, session, mode, user_data: { clientId } },
        headers: { 'idempotency-key': key },
      }, isWanted);
      if (answer.status === 400 && answer.body && answer.body.session) return undefined;
      if (answer.status !== 201 && answer.status !== 202) throw Object.assign(refusal(answer), { isSure: answer.isFirst });
      return read(answer.body);
    },

    /**
     * Resolves with the claim as soon as it is no longer waiting; with undefined if the service has forgotten it.
     * @param {string} id
     * @param {AbortSignal} signal
     */
    async whenNotWaiting(id, signal) {
      const look = (/** @type {string} */ query, /** @type {number} */ wait) => insist(`claims/${id}/${query}`, { signal, wait });
      for (;;) {
        let answer = await look(`?wait=${WAIT}&while=waiting`, WAIT * 1000);
        if (answer.status === 429) {
          // Too many wait already.
          await pause(PAUSE, signal);
          answer = await look('', 0);
        }
        if (answer.status === 404) return undefined;
        if (answer.status !== 200) throw refusal(answer);
        const claim = read(answer.body);
        if (claim.status !== 'waiting') return claim;
      }
    },

    /**
     * @param {string} id
     * @param {'released' | 'aborted' | 'withdrawn'} status
     * @returns {Promise<boolean>} whether the claim has ended; false if the service has refused, as with a token that has expired
     */
    async finish(id, status) {
      const answer = await insist(`claims/${id}/`, { method: 'PATCH', body: { status } }, () => false);
      return [200, 204, 400, 404].includes(answer.status);
    },

    /** Ends a claim. If the service allows it, also someone else's. @param {string} id */
    async revoke(id) {
      const answer = await insist(`claims/${id}/`, { method: 'PATCH', body: { status: 'revoked' } });
      // The claim may have ended meanwhile.
      if (answer.status === 204 || (answer.status === 400 && (await insist(`claims/${id}/`, {})).body.status !== 'active')) return;
      throw answer.status === 403 ? new global.DOMException(`The claims service at ${address} does not let you revoke this claim.`,
        'NotAllowedError') : refusal(answer);
    },

    /** @param {'active' | 'waiting'} status */
    async list(status) {
      /** @type {Claim[]} */
      const found = [];
      for (let offset = 0; ; offset += PAGE) {
        const answer = await insist(`claims/?status=${status}&limit=${PAGE}&offset=${offset}`, {});
        if (answer.status !== 200 || !Array.isArray(answer.body)) throw refusal(answer);
        for (const each of answer.body) found.push(read(each));
        if (answer.body.length < PAGE) return found;
      }
    },
  };
};

/** The client that query() shows. @param {Claim} claim @param {string} otherwise for claims that no LockManager has made */
export const clientOf = ({ user_data: data }, otherwise) => (data && data.clientId) || otherwise;
