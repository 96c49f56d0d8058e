/** How clients tell this service's answers from a gateway's, and a claim or session from another one with the same id. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { startService } from './support/service.js';

describe('claims: what is the service\'s own', () => {
  let running;
  let client;
  before(async () => {
    running = await startService({ server: { allowOrigins: ['*'] } });
    ({ client } = running);
  });
  after(() => running.stop());

  it('every answer has the mark, and pages of other origins may read it', async () => {
    const claim = await client.claim('marked');
    for (const [method, path, status, body] of [
      ['GET', claim, 200], ['PATCH', claim, 400, { ttl: -1 }], ['PATCH', claim, 400, '{'], ['PATCH', claim, 204, { status: 'released' }],
      ['GET', '/v1/claims/99/', 404], ['GET', '/elsewhere', 404], ['DELETE', claim, 405], ['GET', '/v1/claims', 308], ['GET', '/', 200],
    ]) {
      const { status: given, headers } = await client.ask(method, path, body, { origin: 'https://app.example' });
      assert.deepEqual([given, headers.get('lockkeeper-claims')], [status, '1'], `${method} ${path}`);
      assert.match(headers.get('access-control-expose-headers'), /, Lockkeeper-Claims$/);
    }
    const events = await fetch(`${running.url}/v1/events`);
    assert.equal(events.headers.get('lockkeeper-claims'), '1');
    await events.body.cancel();
  });

  it('an answer to a URL that cannot be decoded has the mark, too, and the form of all errors', async () => {
    for (const path of ['/v1/claims/%/', '/v1/sessions/%e4/', '/%zz']) {
      const answer = await fetch(running.url + path);
      assert.deepEqual([answer.status, answer.headers.get('lockkeeper-claims')], [400, '1']);
      assert.match(answer.headers.get('content-type'), /^application\/json/);
      assert.deepEqual(await answer.json(), { error: `'${path}' is not a valid url component` });
    }
  });

  it('a change that names another time of creation changes nothing: 404', async () => {
    const path = await client.claim('a');
    const session = await client.ask('POST', '/v1/sessions/', { ttl: 60 });
    const own = new URL(session.body.url).pathname;
    for (const created of ['2020-01-01T00:00:00.000Z', '', 'x', '1&created=2']) {
      for (const [method, to, body] of [['PATCH', path, { status: 'released' }], ['PATCH', own, { ttl: 5 }], ['DELETE', own]]) {
        assert.equal((await client.ask(method, `${to}?created=${created}`, body)).status, 404, `${method} ${created}`);
      }
    }
    assert.equal(await client.status(path), 'active');
    assert.ok((await client.get(own)).body.ttl > 50);
    const { created } = (await client.get(path)).body;
    assert.equal((await client.patch(`${path}?created=${created}`, { ttl: 50 })).status, 200);
    assert.equal((await client.patch(`${path}?created=${created}`, { status: 'released' })).status, 204);
    assert.match((await client.patch(`${path}?created=${created}`, { status: 'released' })).body.status, /released, and that is final/);
    assert.equal((await client.patch(`${own}?created=${session.body.created}`, { ttl: 70 })).status, 200);
    assert.equal((await client.ask('DELETE', `${own}?created=${session.body.created}`)).status, 204);
    assert.equal((await client.patch('/v1/claims/99/?created=x', { ttl: 1 })).status, 404);
  });

  it('a misspelled check is refused, since it would not be made', async () => {
    const path = await client.claim('a');
    const { body } = await client.ask('POST', '/v1/sessions/', { ttl: 60 });
    const own = new URL(body.url).pathname;
    for (const [method, to, given] of [
      ['POST', '/v1/claims/', { resource: 'b', session: body.url }], ['PATCH', path, { status: 'released' }],
      ['POST', '/v1/sessions/', { ttl: 60 }], ['PATCH', own, { ttl: 5 }], ['DELETE', own],
    ]) {
      for (const name of ['creatd', 'created[]', '__proto__']) {
        const answer = await client.ask(method, `${to}?${name}=x`, given);
        assert.deepEqual([answer.status, { ...answer.body }], [400, { [name]: 'Unknown parameter.' }], method);
      }
    }
    assert.equal(await client.status(path), 'active');
    assert.ok((await client.get(own)).body.ttl > 50);
  });

  it('a claim in a session that was created at another time is refused, like one in a session that is over', async () => {
    const { body } = await client.ask('POST', '/v1/sessions/', { ttl: 60 });
    const ask = (query, session = body.url) => client.ask('POST', `/v1/claims/${query}`, { resource: 'in a session', session });
    const statuses = [];
    for (const created of [body.created, encodeURIComponent(body.created), '2020-01-01T00:00:00.000Z', '', '1&session_created=2']) {
      statuses.push((await ask(`?session_created=${created}`)).status);
    }
    assert.deepEqual(statuses, [201, 202, 400, 400, 400]);
    assert.match((await ask('?session_created=x')).body.session, /no such session/);
    assert.equal((await ask('', `${body.url}?created=${body.created}`)).status, 400);
  });

  it('a change with the right time of creation reads the log no more often than one without', async () => {
    const path = await client.claim('read');
    const session = new URL((await client.ask('POST', '/v1/sessions/', { ttl: 60 })).body.url).pathname;
    const { orderer } = running.service;
    const { sync } = orderer;
    const reads = [];
    for (const each of [path, session]) {
      const { created } = (await client.get(each)).body;
      for (const [query, expected] of [['', 200], [`?created=${created}`, 200], ['?created=x', 404]]) {
        let count = 0;
        orderer.sync = () => {
          count++;
          return sync.call(orderer);
        };
        assert.equal((await client.patch(`${each}${query}`, { ttl: 50 })).status, expected);
        reads.push(count);
      }
      delete orderer.sync;
    }
    assert.deepEqual(reads, [0, 0, 1, 0, 0, 1]);
  });
});
