/**
 * As much of an etcd client as the log needs, over etcd's JSON gateway. Every attempt has a deadline, and an attempt that failed is
 * repeated with the next member until the caller's patience is over. So what is called must bear being done twice.
 */
import { Unavailable } from './log.js';

/** gRPC codes that say nothing about the request: cancelled, unknown, deadline exceeded, aborted, internal, unavailable. */
const PASSING = new Set([1, 2, 4, 10, 13, 14]);
const PAUSE = 50;
const WATCH_AGAIN = 250;

/**
 * @param {object} options
 * @param {string[]} options.members their URLs
 * @param {number} [options.deadline] of an attempt, in milliseconds; longer when all members have been tried twice
 * @param {number} [options.patience] of a call
 */
export function createEtcd({ members, deadline = 500, patience = 5000 }) {
  /** @type {Set<AbortController>} what is under way */
  const attempts = new Set();
  let closed = false;
  let current = 0;

  /**
   * Asks the current member, and lets [read] take the answer.
   * @template Value
   * @param {string} path
   * @param {object} body
   * @param {number} limit milliseconds
   * @param {(response: Response) => Promise<Value>} read
   */
  async function post(path, body, limit, read) {
    const attempt = new AbortController();
    const timer = limit < Infinity ? setTimeout(() => attempt.abort(new Error('no answer in time')), limit) : undefined;
    attempts.add(attempt);
    try {
      return await read(await fetch(new URL(path, members[current]), {
        method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, signal: attempt.signal,
      }));
    } finally {
      clearTimeout(timer);
      attempts.delete(attempt);
    }
  }

  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>}
   */
  async function call(path, body) {
    const end = performance.now() + patience;
    for (let attempt = 0; ; attempt += 1) {
      const member = current;
      const limit = deadline * (1 + Math.floor(attempt / (2 * members.length)));
      let reason;
      try {
        const { ok, status, answer } = await post(path, body, limit, async (response) => (
          { ok: response.ok, status: response.status, answer: /** @type {any} */ (await response.json()) }));
        if (ok) return answer;
        reason = answer.message ?? answer.error ?? `status ${status}`;
        if (!PASSING.has(answer.code)) throw new Unavailable(`etcd refuses: ${reason}`);
      } catch (error) {
        if (error instanceof Unavailable) throw error;
        const { message, cause } = /** @type {any} */ (error);
        reason = cause?.message ?? message;
      }
      if (closed) throw new Unavailable('the service is shutting down');
      // Several calls may fail together; the first of them goes on to the next member.
      if (member === current) current = (current + 1) % members.length;
      if (performance.now() + PAUSE > end) throw new Unavailable(`no member of etcd answers (${reason})`);
      await pause(PAUSE);
    }
  }

  /**
   * Calls [wake] whenever the key may have been written. A watch that hangs is not noticed here: it is a hint, no more.
   * @param {{key: string}} range
   * @param {() => void} wake
   */
  async function watch(range, wake) {
    while (!closed) {
      try {
        await post('/v3/watch', { create_request: range }, Infinity, async ({ body }) => {
          for await (const chunk of body ?? []) if (chunk.length > 0) wake();
        });
      } catch {
        wake();
      }
      if (!closed) await pause(WATCH_AGAIN);
    }
  }

  function close() {
    closed = true;
    for (const attempt of attempts) attempt.abort();
  }

  return { call, watch, close };
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
