/**
 * As much of an etcd client as the log needs, over etcd's JSON gateway. Every attempt has a deadline, and an attempt that failed is
 * repeated with the next member until the caller's patience is over. So what is called must bear being done twice.
 */
import http from 'node:http';
import https from 'node:https';
import { Unavailable } from './log.js';

/** gRPC codes that say nothing about the request: cancelled, unknown, deadline exceeded, aborted, internal, unavailable. */
const PASSING = new Set([1, 2, 4, 10, 13, 14]);
const UNAUTHENTICATED = 16;
const PAUSE = 50;
const WATCH_AGAIN = 250;

/**
 * @typedef {object} Security
 * @property {Buffer} [ca] the certificate authority of the members, where it is none that everybody knows
 * @property {Buffer} [cert] this client's certificate
 * @property {Buffer} [key] and its key
 * @property {string} [user] of etcd's own
 * @property {string} [password]
 */

/**
 * @param {object} options
 * @param {string[]} options.members their URLs
 * @param {Security} [options.security]
 * @param {number} [options.deadline] of an attempt, in milliseconds; longer when all members have been tried twice
 * @param {number} [options.patience] of a call
 */
export function createEtcd({ members, security: { user, password, ...tls } = {}, deadline = 500, patience = 5000 }) {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true, ...tls }) };
  /** @type {Set<AbortController>} what is under way */
  const attempts = new Set();
  let closed = false;
  let current = 0;
  /** What etcd gave for the password. */
  let token = '';

  /**
   * Asks the current member, and lets [read] take the answer.
   * @template Value
   * @param {string} path
   * @param {object} body
   * @param {number} limit milliseconds
   * @param {(response: http.IncomingMessage) => Promise<Value>} read
   * @returns {Promise<Value>}
   */
  async function post(path, body, limit, read) {
    const attempt = new AbortController();
    const timer = limit < Infinity ? setTimeout(() => attempt.abort(), limit) : undefined;
    attempts.add(attempt);
    const url = new URL(path, members[current]);
    const protocol = /** @type {'http:' | 'https:'} */ (url.protocol);
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    const headers = { 'content-type': 'application/json', 'content-length': length, ...(token && { authorization: token }) };
    try {
      return await new Promise((resolve, reject) => {
        const request = (protocol === 'https:' ? https : http).request(url, {
          method: 'POST', headers, agent: agents[protocol], signal: attempt.signal,
        }, (response) => read(response).then(resolve, reject));
        request.on('error', reject);
        request.end(text);
      });
    } catch (error) {
      throw attempt.signal.aborted && !closed ? new Error('no answer in time') : error;
    } finally {
      clearTimeout(timer);
      attempts.delete(attempt);
    }
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {number} limit
   */
  const ask = (path, body, limit) => post(path, body, limit, async (response) => {
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    const status = response.statusCode ?? 0;
    return { ok: status >= 200 && status < 300, status, answer: JSON.parse(text) };
  });

  /** @param {number} limit */
  async function signIn(limit) {
    const { ok, answer } = await ask('/v3/auth/authenticate', { name: user, password }, limit);
    if (!ok) throw new Unavailable(`etcd does not let ${user} in: ${answer.message ?? answer.error}`);
    ({ token } = answer);
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
        if (user !== undefined && token === '') await signIn(limit);
        const { ok, status, answer } = await ask(path, body, limit);
        if (ok) return answer;
        reason = answer.message ?? answer.error ?? `status ${status}`;
        if (user !== undefined && answer.code === UNAUTHENTICATED) {
          token = '';
          if (attempt < 2 * members.length) continue;
        }
        if (!PASSING.has(answer.code)) throw new Unavailable(`etcd refuses: ${reason}`);
      } catch (error) {
        if (error instanceof Unavailable) throw error;
        const { message, errors } = /** @type {any} */ (error);
        reason = message || errors?.[0]?.message;
      }
      if (closed) throw new Unavailable('the service is shutting down');
      // Several calls may fail together; the first of them goes on to the next member.
      if (member === current) current = (current + 1) % members.length;
      if (performance.now() + PAUSE > end) throw new Unavailable(`no member of etcd answers (${reason})`);
      await pause(PAUSE);
    }
  }

  /**
   * Calls [wake] whenever the key may have been written, with the revision where it was, if that is known. A watch that hangs is not
   * noticed here: it is a hint, no more.
   * @param {{key: string}} range
   * @param {(revision?: number) => void} wake
   */
  async function watch(range, wake) {
    while (!closed) {
      try {
        await post('/v3/watch', { create_request: range }, Infinity, async (response) => {
          let text = '';
          for await (const part of response.setEncoding('utf8')) {
            const lines = (text + part).split('\n');
            text = /** @type {string} */ (lines.pop());
            for (const line of lines) wake(revisionOf(line));
          }
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
    for (const agent of Object.values(agents)) agent.destroy();
  }

  return { call, watch, close };
}

/**
 * @param {string} line of a watch
 * @returns {number | undefined} that of its last event
 */
function revisionOf(line) {
  const revision = Number(JSON.parse(line).result?.events?.at(-1)?.kv?.mod_revision);
  return Number.isNaN(revision) ? undefined : revision;
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
