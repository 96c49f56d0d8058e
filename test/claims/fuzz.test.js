/** 10,000 senseless requests: no answer is a 5xx, each one is as documented, and the service is well afterwards. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'mocha';
import { createClient, startService } from './support/service.js';
import { createRandom, seed } from './support/random.js';

const REQUESTS = Number(process.env.CLAIMS_FUZZ ?? 5000);
const RAW = Math.floor(REQUESTS / 10);
const TOGETHER = 16;

const TEXTS = [
  '', 'a', 'active', 'released', 'waiting', '__proto__', '\u0000', '\ud800', '🔒', '../..', '<script>', '%00', '1', '-1', 'x'.repeat(3000),
];
const NUMBERS = [0, -0, 1, -1, 0.5, 1e-300, 1e300, 2 ** 53, 1e21, 1.5, 0.01];
const NAMES = ['resource', 'ttl', 'waiting_ttl', 'session', 'user_data', 'mode', 'status', 'id', '__proto__', 'constructor', 'length', ''];
const FILTERS = [
  'resource', 'status', 'minimum_ttl', 'maximum_ttl', 'minimum_created', 'maximum_created', 'minimum_active_duration',
  'maximum_waiting_duration', 'limit', 'offset', 'wait', 'while', 'foo', '__proto__', '',
];
const QUERY_TEXTS = [
  ...TEXTS, '5', '0.1', '1e999', 'NaN', 'foo', '2026-01-01', '2026-01-01T00:00:00Z', '2026-13-45', '+1', ' ', '%', '%zz', '&', '=', 'a&a=b',
];
const PATHS = [
  '/v1/claims/', '/v1/claims', '/v1/claims/1/', '/v1/claims/1', '/', '/healthz', '/metrics', '/openapi.json', '/v1/', '//', '/v1/claims//',
  '/v1/sessions/', '/v1/sessions/1/', '/v1/sessions/x',
  '/v1/claims/%00/', '/v1/claims/%/', '/v1/claims/..%2f/', '/%ff', `/${'x'.repeat(5000)}`, '/v1/claims/1/2/', '/v1/events?resource=',
];
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const TYPES = [
  'application/json', 'application/json; charset=latin1', 'text/plain', 'application/json;', '', 'x', 'multipart/form-data',
  'application/JSON',
];

/** @param {string} text */
const encoded = (text) => encodeURIComponent(text.toWellFormed());

/** @param {ReturnType<typeof createRandom>} random */
function createMaker(random) {
  const { pick, below, chance } = random;

  /** @returns {unknown} */
  function value(depth = 0) {
    switch (below(depth > 3 ? 5 : 8)) {
      case 0: return pick(NUMBERS);
      case 1: return pick(TEXTS);
      case 2: return null;
      case 3: return chance(0.5);
      case 4: return pick(NUMBERS) * random.next();
      case 5: return Array.from({ length: below(4) }, () => value(depth + 1));
      default: return object(depth + 1);
    }
  }

  /** @param {number} depth */
  function object(depth) {
    return Object.fromEntries(Array.from({ length: below(4) }, () => [pick(NAMES), value(depth)]));
  }

  /** A body that is nearly right. */
  function body(method) {
    const right = method === 'PATCH'
      ? (chance(0.5) ? { ttl: pick([0, 0.01, 1, 5]) } : { status: pick(['active', 'released', 'aborted', 'revoked', 'withdrawn']) })
      : { resource: chance(0.2) ? ['a', pick(TEXTS)] : pick(TEXTS), ttl: pick([0, 0.01, 1, 50]) };
    if (chance(0.5)) right[pick(NAMES)] = value();
    if (chance(0.2)) delete right[pick(Object.keys(right))];
    if (chance(0.1)) return value();
    return right;
  }

  /** Text in which something was changed. */
  function spoil(text) {
    const place = below(text.length + 1);
    const letter = String.fromCharCode(below(chance(0.9) ? 127 : 65536));
    switch (below(4)) {
      case 0: return text.slice(0, place);
      case 1: return text.slice(0, place) + letter + text.slice(place);
      case 2: return text.slice(0, place) + letter + text.slice(place + 1);
      default: return text + text;
    }
  }

  const query = () => Array.from({ length: below(3) + 1 }, () => {
    const text = pick(QUERY_TEXTS);
    return `${chance(0.9) ? pick(FILTERS) : pick(TEXTS)}=${chance(0.7) ? encoded(text) : text}`;
  }).join('&');

  function request() {
    const kind = below(10);
    if (kind < 4) return { method: 'POST', path: '/v1/claims/', body: text(body('POST')) };
    if (kind < 6) return { method: 'PATCH', path: `/v1/claims/${below(3000)}/`, body: text(body('PATCH')) };
    if (kind === 6) return { method: 'GET', path: `/v1/claims/?${query()}` };
    if (kind === 7) return { method: 'GET', path: `/v1/claims/${chance(0.7) ? below(3000) : encoded(pick(QUERY_TEXTS))}/` };
    if (kind === 8) return { method: 'GET', path: `/v1/claims/${below(3000)}/?${query()}` };
    const method = pick(METHODS);
    return { method, path: pick(PATHS), body: method === 'GET' || method === 'HEAD' ? undefined : text(body('POST')), type: pick(TYPES) };
  }

  /** @param {unknown} given */
  function text(given) {
    const json = JSON.stringify(given);
    return chance(0.15) ? spoil(json) : json;
  }

  function raw() {
    const path = chance(0.5) ? pick(PATHS) : `/v1/claims/?${query()}`;
    const target = pick(['', '', '', 'http://elsewhere']) + path;
    const start = `${pick([...METHODS, 'FOO', 'get', ''])} ${target} ${pick(['HTTP/1.1', 'HTTP/1.0', 'HTTP/9', ''])}`;
    const content = text(body('POST'));
    const headers = [
      pick(['Host: x', 'Host: a b', 'Host: \u00ff', 'Host: [::1', 'Host: "', 'Host:', 'X: y']),
      pick(['Content-Type: application/json', 'Content-Type: \u00ff', 'Idempotency-Key: \u0001', `X: ${'y'.repeat(below(20_000))}`]),
      pick([
        `Content-Length: ${content.length}`, 'Content-Length: 5', 'Content-Length: -1', 'Content-Length: x', 'Transfer-Encoding: chunked',
      ]),
    ];
    const whole = `${start}\r\n${headers.join('\r\n')}\r\n\r\n${content}`;
    return Buffer.from(chance(0.3) ? spoil(whole) : whole, chance(0.5) ? 'latin1' : 'utf8');
  }

  return { request, raw };
}

describe('claims: bad input', () => {
  it(`${REQUESTS} requests, seed ${seed}`, async function () {
    this.timeout(300_000);
    const random = createRandom(seed);
    const make = createMaker(random);
    const running = await startService();
    const client = createClient(running.url);
    const { hostname, port } = new URL(running.url);
    /** @type {Record<string, number>} */
    const statuses = {};
    let last;
    const count = (status) => (statuses[status] = (statuses[status] ?? 0) + 1);

    async function one() {
      const request = make.request();
      last = request;
      // Waits are tested elsewhere; here they take too long.
      if (/wait=(?!0?\.?1(&|$)|foo)/.test(request.path)) request.path = request.path.replace('wait=', 'wait=0&x=');
      const { method, path, body, type } = request;
      const { status } = await client.ask(method, path, body, type === undefined ? {} : { 'content-type': type });
      count(status);
      assert.ok(status < 500, `${status}: ${JSON.stringify(request)}`);
    }

    const rawOne = (bytes) => new Promise((resolve, reject) => {
      const socket = net.connect(Number(port), hostname);
      let answer = '';
      const finish = () => {
        clearTimeout(timer);
        socket.destroy();
        const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none';
        count(status);
        if (status.startsWith('5')) reject(new Error(`${answer} to ${bytes.toString('latin1')}`));
        else resolve();
      };
      // An incomplete request gets no answer yet.
      const timer = setTimeout(finish, 100);
      socket.on('data', (data) => {
        answer += data.toString('latin1');
        finish();
      });
      socket.on('close', finish);
      socket.on('error', finish);
      socket.write(bytes);
    });

    try {
      for (let done = 0; done < REQUESTS - RAW; done += TOGETHER) await Promise.all(Array.from({ length: TOGETHER }, one));
      for (let done = 0; done < RAW; done += TOGETHER) await Promise.all(Array.from({ length: TOGETHER }, () => rawOne(make.raw())));
      assert.deepEqual(running.fatal, []);
      assert.equal((await client.get('/healthz')).status, 200);
      assert.equal((await client.post({ resource: 'well', ttl: 1 })).status, 201);
      for (const status of [200, 201, 202, 204, 308, 400, 404, 405, 415]) assert.ok(statuses[status] > 0, `no ${status}`);
      console.log(`      ${JSON.stringify(statuses)}`);
    } catch (error) {
      error.message += `; SEED=${seed}; last request ${JSON.stringify(last).slice(0, 300)}`;
      throw error;
    } finally {
      await running.stop();
    }
  });
});
