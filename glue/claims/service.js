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

/** The service answers a waiting request after this many seconds at the latest. */
const WAIT = 25;
const PAGE = 1000;
/** Milliseconds between two attempts. */
const PAUSE = 500;

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

  /** @param {number} milliseconds @param {AbortSignal} [signal] ends it @returns {Promise<void>} */
  const pause = (milliseconds, signal) => new Promise((resolve) => {
    let stopListening = () => {};
    const finish = () => {
      global.clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = global.setTimeout(finish, milliseconds);
    stopListening = onEnd(signal, finish);
  });

  /**
   * @param {string} to
   * @param {{method?: string, body?: object, headers?: Record<string, string>, signal?: AbortSignal}} how
   */
  const ask = async (to, { body, headers: more, signal, ...how }) => {
    const given = typeof headers === 'function' ? await headers() : headers;
    const fault = faultOfHeaders(global, given);
    // Not a TypeError: that would look as if the network had failed.
    if (fault) throw new global.DOMException(fault, 'DataError');
    const all = new global.Headers(/** @type {Record<string, string>} */ (given));
    if (body) all.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(more || {})) all.set(name, value);
    const asked = global.performance.now();
    const ending = new global.AbortController();
    const stopListening = onEnd(signal, () => ending.abort());
    try {
      const response = await global.fetch(new global.URL(to, base), {
        ...how, signal: ending.signal, headers: all,
        body: body && JSON.stringify(body),
      });
      return { status: response.status, text: await response.text(), asked };
    } finally {
      stopListening();
    }
  };

  /**
   * Like ask(), but tries again if the service cannot be reached, or cannot say whether it has acted.
   * @param {string} to
   * @param {Parameters<typeof ask>[1]} how
   * @param {() => boolean} [isWanted] whether the claim is still wanted. If not, it ends with its session, and the service is not asked any
   *   longer
   * @returns {Promise<{status: number, body: any, asked: number}>} [asked]: when the attempt began; times in the answer count from then
   */
  const insist = async (to, how, isWanted = () => true) => {
    const began = global.performance.now();
    const isOver = () => stopped || (how.signal && how.signal.aborted);
    for (;;) {
      let reason;
      try {
        const { status, text, asked } = await ask(to, how);
        if (status < 500) {
          warned = false;
          return { status, body: parse(status, text), asked };
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
     * @returns {Promise<Claim | undefined>} undefined if the session is over
     */
    async make(resource, mode, session, isWanted) {
      const answer = await insist('claims/', {
        method: 'POST',
        // query() shows the user_data. The key makes a repetition harmless.
        body: { resource, session, mode, user_data: { clientId } },
        headers: { 'idempotency-key': randomId() },
      }, isWanted);
      if (answer.status === 400 && answer.body.session) return undefined;
      if (answer.status !== 201 && answer.status !== 202) throw refusal(answer);
      return read(answer.body);
    },

    /**
     * Resolves with the claim as soon as it is no longer waiting.
     * @param {string} id
     * @param {AbortSignal} signal
     */
    async whenNotWaiting(id, signal) {
      for (;;) {
        const answer = await insist(`claims/${id}/?wait=${WAIT}&while=waiting`, { signal });
        if (answer.status !== 200) throw refusal(answer);
        const claim = read(answer.body);
        if (claim.status !== 'waiting') return claim;
      }
    },

    /** @param {string} id @param {'released' | 'aborted' | 'withdrawn'} status */
    finish: (id, status) => insist(`claims/${id}/`, { method: 'PATCH', body: { status } }, () => false),

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

const NO_HEADERS = 'The option headers must be an object of headers, a Headers or a list of pairs, or a function that gives one of these.';

/**
 * Why no request can have these headers; empty if it can. fetch would reject as if the network had failed, and the service would be tried
 * again and again. A value may be a secret, so the message does not show it.
 * @param {typeof globalThis} global
 * @param {unknown} headers
 */
export const faultOfHeaders = (global, headers) => {
  if (headers === undefined) return '';
  if (typeof headers !== 'object' || headers === null) return NO_HEADERS;
  // A promise has no headers of its own, and an iterator gives them only once: requests would go without an Authorization.
  const { then, next } = /** @type {Record<string, unknown>} */ (headers);
  if (typeof then === 'function' || typeof next === 'function') return NO_HEADERS;
  const entries = Symbol.iterator in headers ? Array.from(/** @type {Iterable<unknown>} */ (headers)) : Object.entries(headers);
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) return NO_HEADERS;
    const [name, value] = entry;
    try {
      new global.Headers().append(name, value);
    } catch {
      return `The option headers: ${JSON.stringify(name)} or its value has characters that no header can have.`;
    }
  }
  return '';
};

/** The client that query() shows. @param {Claim} claim @param {string} otherwise for claims that no LockManager has made */
export const clientOf = ({ user_data: data }, otherwise) => (data && data.clientId) || otherwise;
