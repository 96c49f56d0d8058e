/** A service in this process, and a client that holds every answer against the OpenAPI document. */
import { setTimeout as delay } from 'node:timers/promises';
import { openLevelLog } from '../../../claims/source/log-level.js';
import { createMemoryLog } from '../../../claims/source/log-memory.js';
import { Metrics } from '../../../claims/source/metrics.js';
import { createServer } from '../../../claims/source/server.js';
import { Service } from '../../../claims/source/service.js';
import { conforms } from './conformance.js';

/**
 * @param {object} [options]
 * @param {string} [options.data] a folder; absent: nothing is kept
 * @param {import('../../../claims/source/log.js').Log} [options.log]
 * @param {Record<string, any>} [options.service]
 * @param {Record<string, any>} [options.server]
 */
export async function startService({ data, log, service: serviceOptions = {}, server: serverOptions = {} } = {}) {
  const warnings = [];
  const failures = [];
  const fatal = [];
  const used = log ?? (data ? await openLevelLog(data, { warn: (message) => warnings.push(message) }) : createMemoryLog());
  const service = new Service({
    log: used,
    watcher: {
      applied: () => {},
      appended: () => {},
      recovered: () => {},
      failed: (error) => failures.push(error),
      fatal: (error) => fatal.push(error),
    },
    ...serviceOptions,
  });
  await service.start().catch(async (error) => {
    await used.close();
    throw error;
  });
  const metrics = new Metrics();
  metrics.observe(service);
  const server = await createServer({ service, metrics, grace: 200, ...serverOptions });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  let stopped;
  const stop = () => (stopped ??= server.close().then(() => service.stop()));
  return { url, service, server, warnings, failures, fatal, stop, client: createClient(url) };
}

/** @param {string} url */
export function createClient(url, { headers: always = {} } = {}) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body] a string is sent as it is
   * @param {Record<string, string>} [headers]
   */
  async function ask(method, path, body, headers = {}) {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...always, ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    conforms(method, path.split('?')[0], response, text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  return {
    ask,
    get: (path, headers) => ask('GET', path, undefined, headers),
    post: (body, headers) => ask('POST', '/v1/claims/', body, headers),
    patch: (path, body, headers) => ask('PATCH', path, body, headers),
    /** Claims and gives the path of the claim. With ttl null it is the session's alone. */
    async claim(resource, ttl = 60, more = {}) {
      const { status, body } = await ask('POST', '/v1/claims/', { resource, ...(ttl === null ? {} : { ttl }), ...more });
      if (status !== 201 && status !== 202) throw new Error(`claiming gave ${status}: ${JSON.stringify(body)}`);
      return new URL(body.url).pathname;
    },
    status: async (path) => (await ask('GET', path)).body.status,
  };
}

/** How long this process was held up, by a machine that has other things to do: seconds, at most, since the call. */
export function watchDelay() {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 2);
    last = performance.now();
  }, 2);
  return () => {
    clearInterval(timer);
    return longest / 1000;
  };
}

/**
 * @param {() => unknown} condition may be asynchronous
 * @param {string} what
 */
export async function until(condition, what, milliseconds = 40_000) {
  for (const end = performance.now() + milliseconds; ;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() > end) throw new Error(`${what} has not come to be`);
    await delay(5);
  }
}
