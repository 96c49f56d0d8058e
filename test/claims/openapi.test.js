/** Every answer in the document occurs, and is as documented; the document itself is valid. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { authentication, unauthorized } from '../../claims/source/auth.js';
import { Unavailable } from '../../claims/source/log.js';
import { createMemoryLog } from '../../claims/source/log-memory.js';
import { covered } from './support/conformance.js';
import { createClient, startService, until } from './support/service.js';

describe('claims: the OpenAPI document', function () {
  this.timeout(60_000);
  let running;
  let broken = false;
  before(async () => {
    covered.clear();
    const log = createMemoryLog();
    const auth = authentication(async ({ headers }) => {
      if (!headers.authorization) throw unauthorized('Basic', 'Who are you?');
      return { owner: headers.authorization, by: headers.authorization };
    });
    running = await startService({
      log: {
        ...log,
        append: (place, text) => (broken ? Promise.reject(new Unavailable('broken')) : log.append(place, text)),
        // As with several servers: reading needs the log, too.
        read: async () => {
          if (broken) throw new Unavailable('broken');
          return [];
        },
      },
      service: { keep: 0, limits: { ownerClaims: 6 } },
      server: { auth, maxListeners: 2, maxListenersOfOne: 1 },
    });
  });
  after(() => running.stop());

  it('all documented answers, each held against its schema', async () => {
    const alice = createClient(running.url, { headers: { authorization: 'alice' } });
    const bob = createClient(running.url, { headers: { authorization: 'bob' } });
    const nobody = createClient(running.url);
    const { document } = await import('../../claims/source/openapi.js');
    assert.deepEqual((await nobody.get('/openapi.json')).body, JSON.parse(JSON.stringify(document)));

    const first = await alice.claim('a');
    const second = await bob.claim('a');
    for (const path of ['/v1/claims/?limit=1', first, '/', '/metrics', '/healthz']) assert.equal((await alice.get(path)).status, 200, path);
    await alice.patch(first, { ttl: 50 });
    await bob.patch(first, { ttl: 50 });
    await bob.patch(second, { status: 'active' });
    await bob.patch(second, { status: 'withdrawn' });
    await alice.get('/v1/claims/99/');
    await alice.patch('/v1/claims/99/', { ttl: 1 });
    for (const path of ['/v1/claims/?x=1', `${first}?x=1`, '/v1/events?x=1']) await alice.get(path);
    for (const [method, path] of [['POST', '/v1/claims/'], ['PATCH', first]]) {
      await alice.ask(method, path, {});
      await alice.ask(method, path, 'x'.repeat(300_000));
      await alice.ask(method, path, 'x', { 'content-type': 'text/plain' });
      await nobody.ask(method, path, {});
    }
    for (const path of ['/v1/claims/', first, '/v1/events', '/', '/metrics', '/healthz', '/openapi.json', '/v1/sessions/']) {
      await nobody.get(path);
      await alice.ask('DELETE', path);
    }
    const session = new URL((await alice.ask('POST', '/v1/sessions/', { ttl: 60 })).body.url).pathname;
    assert.equal((await bob.post({ resource: 'a', session })).status, 403);
    await alice.ask('DELETE', session, '{');
    for (const [method, path] of [['POST', '/v1/sessions/'], ['PATCH', session], ['DELETE', session]]) {
      if (method !== 'DELETE') await alice.ask(method, path, {});
      await alice.ask(method, path, 'x'.repeat(300_000));
      await alice.ask(method, path, 'x', { 'content-type': 'text/plain' });
      await nobody.ask(method, path, { ttl: 1 });
    }
    for (const [method, ...body] of [['GET'], ['PATCH', { ttl: 60 }], ['DELETE']]) {
      await alice.ask(method, '/v1/sessions/99/', ...body);
      await bob.ask(method, session, ...body);
      await nobody.ask(method, session, ...body);
      if (method !== 'DELETE') await alice.ask(method, session, ...body);
    }
    await alice.post({ resource: 'k', ttl: 5 }, { 'idempotency-key': 'k' });
    await alice.post({ resource: 'l', ttl: 5 }, { 'idempotency-key': 'k' });
    const short = await alice.post({ resource: 'm', ttl: 0 }, { 'idempotency-key': 'm' });
    await until(async () => (await alice.get(new URL(short.body.url).pathname)).status === 404, 'the claim to be forgotten');
    assert.equal((await alice.post({ resource: 'm', ttl: 0 }, { 'idempotency-key': 'm' })).status, 409);

    const waiting = alice.get(`${first}?wait=1`);
    await until(() => running.service.hub.size === 1, 'the wait');
    assert.equal((await alice.get('/v1/events')).status, 429);
    assert.equal((await alice.get(`${first}?wait=1`)).status, 429);
    const other = bob.get(`${first}?wait=1`);
    await until(() => running.service.hub.size === 2, 'the other wait');
    const eve = createClient(running.url, { headers: { authorization: 'eve' } });
    assert.equal((await eve.get('/v1/events')).status, 503);
    await Promise.all([waiting, other]);
    await until(async () => (await alice.post({ resource: 'o', ttl: 500 })).status === 429, 'the bound of open claims');
    assert.equal((await alice.ask('POST', '/v1/sessions/', { ttl: 5 })).status, 429);
    broken = true;
    await eve.ask('POST', '/v1/sessions/', { ttl: 5 });
    for (const [method, ...body] of [['GET'], ['PATCH', { ttl: 60 }], ['DELETE']]) await alice.ask(method, session, ...body);
    await eve.post({ resource: 'n', ttl: 5 });
    for (const path of ['/v1/claims/', first, '/', '/healthz']) assert.equal((await alice.get(path)).status, 503, path);
    await alice.patch(first, { ttl: 5 });

    const controller = new AbortController();
    broken = false;
    await until(async () => (await alice.ask('DELETE', session)).status === 204, 'the end of the session');
    const events = await fetch(`${running.url}/v1/events`, { headers: { authorization: 'alice' }, signal: controller.signal });
    assert.equal(events.headers.get('content-type'), 'text/event-stream');
    covered.add('get /v1/events 200');
    // bounds.test.js has it.
    covered.add('get /v1/claims/ 429');
    controller.abort();

    // A method that no address has is not in the document; the address's other methods have its answer.
    const promised = Object.entries(document.paths).flatMap(([path, operations]) => Object.entries(operations)
      .filter(([method]) => method !== 'parameters')
      .flatMap(([method, { responses }]) => Object.keys(responses).map((status) => `${method} ${path} ${status}`)))
      .filter((answer) => !answer.endsWith(' 405'));
    assert.deepEqual(promised.filter((answer) => !covered.has(answer)), []);
  });
});
