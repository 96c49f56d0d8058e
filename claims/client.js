/**
 * The shape of navigator.locks over a claims service: one lock manager for all machines that can reach it. It needs fetch, no more.
 *
 * A lock is a claim with a time to live that is prolonged as long as the callback runs. If that cannot be done (the service or the way
 * to it is gone for too long, or the claim was revoked) the lock is lost: the request rejects, lock.signal fires, and the callback has
 * to stop, for nobody can stop it. Whoever must not write late sends lock.fence along.
 *
 * @typedef {'exclusive' | 'shared'} Mode
 *
 * @typedef {object} ClaimsLock
 * @property {string} name
 * @property {Mode} mode
 * @property {number} fence grows from grant to grant
 * @property {AbortSignal} signal fires when the lock is lost
 *
 * @typedef {object} RequestOptions
 * @property {Mode} [mode]
 * @property {boolean} [ifAvailable]
 * @property {boolean} [steal] not to be had here
 * @property {AbortSignal} [signal]
 *
 * @typedef {{name: string, mode: Mode, clientId: string}} LockInfo
 * @typedef {(lock: ClaimsLock | null) => unknown} Callback
 */

const WAIT = 25;
const PAUSE = 500;
const PAGE = 1000;

/**
 * @param {object} options
 * @param {string} options.url of the service
 * @param {number} [options.ttl] seconds after which the locks of a client that has died are free
 * @param {string} [options.clientId] what query() says of this client's locks
 * @param {Record<string, string>} [options.headers] sent with every request, for instance Authorization
 */
export function createClaimsLockManager({ url, ttl = 30, clientId = randomId(), headers = {} }) {
  const claims = new URL('v1/claims/', url.endsWith('/') ? url : `${url}/`);

  /**
   * @param {string | URL} to
   * @param {RequestInit & {headers?: Record<string, string>}} [how]
   */
  async function ask(to, how = {}) {
    const response = await fetch(to, { ...how, headers: { ...headers, ...how.headers } });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /**
   * As ask, but a service that cannot be reached, or cannot say whether it was done, is asked again.
   * @param {string | URL} to
   * @param {RequestInit & {headers?: Record<string, string>}} how
   */
  async function insist(to, how) {
    for (;;) {
      try {
        const answer = await ask(to, how);
        if (answer.status < 500) return answer;
      } catch (error) {
        if (how.signal?.aborted) throw error;
      }
      await pause(PAUSE, how.signal ?? undefined);
      if (how.signal?.aborted) throw reasonOf(how.signal);
    }
  }

  /** @param {string} claim its URL @param {object} change @param {AbortSignal} [signal] */
  const update = (claim, change, signal) =>
    insist(claim, { method: 'PATCH', body: JSON.stringify(change), headers: { 'content-type': 'application/json' }, signal });

  /**
   * @param {string} name
   * @param {Mode} mode
   */
  async function claim(name, mode) {
    const { status, body } = await insist(claims, {
      method: 'POST',
      // What goes with it is for query(); the key makes asking again harmless.
      body: JSON.stringify({ resource: name, ttl, mode, user_data: { clientId } }),
      headers: { 'content-type': 'application/json', 'idempotency-key': randomId() },
    });
    if (status !== 201 && status !== 202) throw refusal(status, body);
    return body;
  }

  /**
   * Resolves when the claim is active.
   * @param {any} made
   * @param {AbortSignal} [signal]
   */
  async function becomesActive(made, signal) {
    let body = made;
    while (body.status === 'waiting') {
      const answer = await insist(`${made.url}?wait=${WAIT}&while=waiting`, { signal });
      if (answer.status !== 200) throw refusal(answer.status, answer.body);
      body = answer.body;
    }
    if (body.status !== 'active') throw lost(`it is ${body.status}`);
    return body;
  }

  /**
   * Prolongs the claim until [done] fires; resolves with the reason when it is lost.
   * @param {any} held
   * @param {AbortSignal} done
   * @returns {Promise<DOMException | undefined>}
   */
  async function prolong(held, done) {
    const whole = ttl * 1000;
    let end = performance.now() + held.ttl * 1000;
    for (;;) {
      await pause(Math.max(0, end - performance.now() - (whole * 2) / 3), done);
      if (done.aborted) return undefined;
      const asked = performance.now();
      // A little before its end the lock counts as lost, for then it may be another's.
      const late = new AbortController();
      const onDone = () => late.abort();
      const timer = setTimeout(onDone, end - asked - whole / 10);
      done.addEventListener('abort', onDone);
      try {
        const { status, body } = await update(held.url, { ttl }, late.signal);
        if (status !== 200) return lost(String(body?.ttl ?? body?.error ?? status));
        end = asked + whole;
      } catch {
        if (!done.aborted) return lost('the service cannot be reached');
      } finally {
        clearTimeout(timer);
        done.removeEventListener('abort', onDone);
      }
    }
  }

  /**
   * @param {any} held the active claim
   * @param {string} name
   * @param {Mode} mode
   * @param {Callback} callback
   */
  async function hold(held, name, mode, callback) {
    const done = new AbortController();
    const loss = new AbortController();
    const losing = prolong(held, done.signal).then((reason) => {
      if (!reason) return undefined;
      loss.abort(reason);
      throw reason;
    });
    try {
      const work = Promise.resolve().then(() => callback({ name, mode, fence: held.fence, signal: loss.signal }));
      return await Promise.race([work, losing.then(() => work)]);
    } finally {
      done.abort();
      if (!loss.signal.aborted) await update(held.url, { status: 'released' });
    }
  }

  /**
   * @param {string} name
   * @param {RequestOptions | Callback} optionsOrCallback
   * @param {Callback} [last]
   */
  async function request(name, optionsOrCallback, last) {
    const callback = /** @type {Callback} */ (last ?? optionsOrCallback);
    const { mode = 'exclusive', ifAvailable, steal, signal } = /** @type {RequestOptions} */ (last ? optionsOrCallback : {});
    if (typeof callback !== 'function') throw new TypeError('The callback must be a function.');
    if (mode !== 'exclusive' && mode !== 'shared') throw new TypeError(`${mode} is no mode.`);
    if (steal) throw new DOMException('A claim cannot be stolen, but whoever may can revoke it.', 'NotSupportedError');
    if (ifAvailable && signal) throw new DOMException('signal and ifAvailable cannot be used together.', 'NotSupportedError');
    if (signal?.aborted) throw reasonOf(signal);
    const made = await unlessAborted(claim(String(name), mode), signal);
    if (ifAvailable && made.status === 'waiting') {
      await update(made.url, { status: 'withdrawn' });
      return callback(null);
    }
    const held = await becomesActive(made, signal).catch(async (error) => {
      await update(made.url, { status: 'aborted' }).catch(() => {});
      throw signal?.aborted ? reasonOf(signal) : error;
    });
    return hold(held, String(name), mode, callback);
  }

  /**
   * Does not wait for a claim that is not wanted any more, but takes it back when it has been made.
   * @param {Promise<any>} claiming
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  function unlessAborted(claiming, signal) {
    return signal ? new Promise((resolve, reject) => {
      const onAbort = () => {
        reject(reasonOf(signal));
        claiming.then((made) => update(made.url, { status: 'aborted' })).catch(() => {});
      };
      signal.addEventListener('abort', onAbort);
      claiming.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    }) : claiming;
  }

  /** @param {'active' | 'waiting'} status */
  async function list(status) {
    /** @type {LockInfo[]} */
    const found = [];
    for (let offset = 0; ; offset += PAGE) {
      const { body } = await insist(new URL(`?status=${status}&limit=${PAGE}&offset=${offset}`, claims), {});
      for (const { resource, mode, user_data: data } of body) {
        for (const name of [resource].flat()) found.push({ name, mode, clientId: data?.clientId ?? '' });
      }
      if (body.length < PAGE) return found;
    }
  }

  return {
    request,
    query: async () => ({ held: await list('active'), pending: await list('waiting') }),
  };
}

/** Not crypto.randomUUID, which insecure pages and older browsers do not have. */
const randomId = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, '0')).join('');

/**
 * Older browsers' signals have no reason.
 * @param {AbortSignal} signal
 */
const reasonOf = (signal) => signal.reason ?? new DOMException('The request was aborted.', 'AbortError');

/** @param {string} why */
const lost = (why) => new DOMException(`The lock was lost: ${why}`, 'AbortError');

/**
 * @param {number} status
 * @param {any} body
 */
const refusal = (status, body) => new Error(`The claims service answered ${status}: ${JSON.stringify(body)}`);

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal] ends it
 * @returns {Promise<void>}
 */
const pause = (milliseconds, signal) => new Promise((resolve) => {
  const finish = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', finish);
    resolve();
  };
  const timer = setTimeout(finish, milliseconds);
  signal?.addEventListener('abort', finish);
});
