/** The requirement, sentence by sentence, over HTTP. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'mocha';
import { startService } from './support/service.js';

const FINAL = ['released', 'aborted', 'revoked', 'withdrawn'];

describe('claims: the interface', function () {
  this.timeout(60_000);
  let running;
  let client;
  let count = 0;
  const fresh = () => `resource ${(count += 1)}`;
  before(async () => {
    running = await startService();
    ({ client } = running);
  });
  after(() => running.stop());

  const waiting = async (resource = fresh()) => ({ active: await client.claim(resource), path: await client.claim(resource) });

  describe('POST /v1/claims/', () => {
    it('without contention: 201, active, the whole claim, its address', async () => {
      const resource = fresh();
      const { status, headers, body, text } = await client.post({ resource, ttl: 20, user_data: { who: 'me' } });
      assert.equal(status, 201);
      assert.equal(headers.get('location'), body.url);
      assert.ok(body.url.startsWith(`${running.url}/v1/claims/`) && body.url.endsWith('/'));
      assert.equal(body.resource, resource);
      assert.equal(body.status, 'active');
      assert.deepEqual(body.status_history.map(({ status: step }) => step), ['waiting', 'active']);
      assert.equal(body.created, body.status_history[0].timestamp);
      assert.match(body.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(body.created) - Date.now()) < 5000);
      assert.deepEqual(body.user_data, { who: 'me' });
      assert.equal(body.ttl, 20);
      assert.match(text, /"ttl":20\.0,"active_duration":0\.0,"waiting_duration":0\.0/);
    });

    it('with contention: 202, waiting', async () => {
      const resource = fresh();
      await client.claim(resource);
      const { status, headers, body, text } = await client.post({ resource, ttl: 20 });
      assert.equal(status, 202);
      assert.equal(headers.get('location'), body.url);
      assert.equal(body.status, 'waiting');
      assert.deepEqual(body.status_history.map(({ status: step }) => step), ['waiting']);
      assert.match(text, /"ttl":null,"active_duration":null,"waiting_duration":0\.0,"user_data":null/);
    });

    const texts = ['{"a": 1.0, "b" : [ 12345678901234567890, 1e400, "\\ud800" ]}', '0.10', '"x"', '[]', 'false', '{"__proto__": {"a": 1}}'];
    for (const userData of texts) {
      it(`keeps user_data ${userData} to the letter`, async () => {
        const { status, text, body } = await client.post(`{ "user_data" : ${userData} , "resource":${JSON.stringify(fresh())},"ttl":1}`);
        assert.equal(status, 201);
        assert.ok(text.includes(`"user_data":${userData},`), text);
        assert.ok((await client.get(new URL(body.url).pathname)).text.includes(`"user_data":${userData},`));
      });
    }

    it('takes the last of several members of one name, as JSON does', async () => {
      const resource = JSON.stringify(fresh());
      const { body } = await client.post(`{"user_data":1,"resource":"x","ttl":1,"user_data":{"a,}":"\\"}"},"resource":${resource}}`);
      assert.deepEqual(body.user_data, { 'a,}': '"}' });
    });

    it('takes any string as a resource', async () => {
      for (const resource of ['__proto__', 'constructor', '\u0000', '\ud800', 'a/b?c#d', '🔒', ' ', 'x'.repeat(1024)]) {
        const { status, body } = await client.post({ resource, ttl: 5 });
        assert.equal(status, 201);
        assert.equal(body.resource, resource);
        assert.equal((await client.post({ resource, ttl: 5 })).status, 202);
      }
    });

    it('takes any ttl from 0 to 1e9', async () => {
      for (const ttl of [0, 0.001, 1e-12, 20.5, 1e9]) {
        const { status, body } = await client.post({ resource: fresh(), ttl });
        assert.equal(status, 201);
        assert.equal(body.ttl, ttl);
      }
    });

    const bad = {
      'nothing': [{}, ['resource', 'ttl']],
      'no ttl': [{ resource: 'x' }, ['ttl']],
      'an empty resource': [{ resource: '', ttl: 1 }, ['resource']],
      'a number as resource': [{ resource: 1, ttl: 1 }, ['resource']],
      'an empty list': [{ resource: [], ttl: 1 }, ['resource']],
      'a list with one resource twice': [{ resource: ['a', 'a'], ttl: 1 }, ['resource']],
      'a list with an empty resource': [{ resource: ['a', ''], ttl: 1 }, ['resource']],
      'a negative ttl': [{ resource: 'x', ttl: -0.1 }, ['ttl']],
      'a ttl that is text': [{ resource: 'x', ttl: '1' }, ['ttl']],
      'a ttl that is null': [{ resource: 'x', ttl: null }, ['ttl']],
      'an infinite ttl': ['{"resource":"x","ttl":1e999}', ['ttl']],
      'another mode': [{ resource: 'x', ttl: 1, mode: 'steal' }, ['mode']],
      'unknown parameters': [{ resource: 'x', ttl: 1, status: 'active', url: 'y' }, ['status', 'url']],
      'a parameter called __proto__': ['{"resource":"x","ttl":1,"__proto__":{}}', ['__proto__']],
      'everything wrong at once': [{ resource: null, ttl: true, mode: 1, id: 7 }, ['id', 'mode', 'resource', 'ttl']],
    };
    for (const [what, [body, names]] of Object.entries(bad)) {
      it(`400, naming every parameter: ${what}`, async () => {
        const answer = await client.post(body);
        assert.equal(answer.status, 400);
        assert.deepEqual(Object.keys(answer.body).sort(), names);
      });
    }

    for (const body of ['', '{', '[]', 'null', '"x"', '1', 'nonsense', '\ufeff{}x', `${'['.repeat(100_000)}`]) {
      it(`400: ${JSON.stringify(body.slice(0, 20))} as the body`, async () => assert.equal((await client.post(body)).status, 400));
    }

    it('400: bytes that are not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from('{"ttl":1,"resource":"'), Buffer.from([0xff]), Buffer.from('"}')]);
      const response = await fetch(`${running.url}/v1/claims/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      assert.equal(response.status, 400);
    });

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
      it(`415: ${type}`, async () => {
        assert.equal((await client.post('{"resource":"x","ttl":1}', { 'content-type': type })).status, 415);
      });
    }

    it('takes a charset', async () => {
      assert.equal((await client.post({ resource: fresh(), ttl: 1 }, { 'content-type': 'application/json; charset=utf-8' })).status, 201);
    });

    it('413: a body that is too long', async () => {
      assert.equal((await client.post({ resource: 'x'.repeat(300_000), ttl: 1 })).status, 413);
    });
  });

  describe('PATCH /v1/claims/(id)/', () => {
    it('active to active: 200, the whole claim', async () => {
      const path = await client.claim(fresh());
      const { status, body } = await client.patch(path, { status: 'active' });
      assert.equal(status, 200);
      assert.equal(body.status, 'active');
      assert.equal(body.status_history.length, 2);
    });

    it('waiting to active while another owns it: 409 with the owner\'s url', async () => {
      const { active, path } = await waiting();
      const { status, body } = await client.patch(path, { status: 'active' });
      assert.equal(status, 409);
      assert.equal(new URL(body.url).pathname, active);
    });

    it('ttl while active: 200, and it begins anew', async () => {
      const path = await client.claim(fresh(), 5);
      const { status, body, text } = await client.patch(path, { ttl: 1000 });
      assert.equal(status, 200);
      assert.equal(body.ttl, 1000);
      assert.match(text, /"ttl":1000\.0,/);
      const later = (await client.get(path)).body.ttl;
      assert.ok(later > 990 && later < 1000);
    });

    it('ttl while waiting: 400, naming it', async () => {
      const { path } = await waiting();
      const { status, body } = await client.patch(path, { ttl: 5 });
      assert.equal(status, 400);
      assert.deepEqual(Object.keys(body), ['ttl']);
    });

    it('waiting to released: 400, naming it', async () => {
      const { path } = await waiting();
      const { status, body } = await client.patch(path, { status: 'released' });
      assert.equal(status, 400);
      assert.deepEqual(Object.keys(body), ['status']);
      assert.equal(await client.status(path), 'waiting');
    });

    for (const final of FINAL) {
      it(`active to ${final}: 204; durations stay, frozen; nothing leads out of it`, async () => {
        const path = await client.claim(fresh());
        const { status, text } = await client.patch(path, { status: final });
        assert.equal(status, 204);
        assert.equal(text, '');
        const { body } = await client.get(path);
        assert.equal(body.status, final);
        assert.deepEqual(body.status_history.map(({ status: step }) => step), ['waiting', 'active', final]);
        assert.equal(body.ttl, null);
        assert.equal(typeof body.active_duration, 'number');
        assert.equal(typeof body.waiting_duration, 'number');
        for (const update of [...['active', ...FINAL].map((next) => ({ status: next })), { ttl: 5 }]) {
          const refused = await client.patch(path, update);
          assert.equal(refused.status, 400);
          assert.deepEqual(Object.keys(refused.body), Object.keys(update));
        }
        assert.deepEqual((await client.get(path)).body, body);
      });
      if (final === 'released') continue;
      it(`waiting to ${final}: 204; it never was active`, async () => {
        const { active, path } = await waiting();
        assert.equal((await client.patch(path, { status: final })).status, 204);
        const { body } = await client.get(path);
        assert.equal(body.active_duration, null);
        assert.deepEqual(body.status_history.map(({ status: step }) => step), ['waiting', final]);
        assert.equal(await client.status(active), 'active');
      });
    }

    const bad = {
      'nothing': [{}, ['status', 'ttl']],
      'two parameters': [{ ttl: 1, status: 'active' }, ['status', 'ttl']],
      'an unknown parameter': [{ resource: 'x' }, ['resource']],
      'a status that cannot be asked for': [{ status: 'waiting' }, ['status']],
      'the status expired': [{ status: 'expired' }, ['status']],
      'a status that is none': [{ status: 'Active' }, ['status']],
      'a negative ttl': [{ ttl: -1 }, ['ttl']],
      'a ttl that is text': [{ ttl: '5' }, ['ttl']],
    };
    for (const [what, [body, names]] of Object.entries(bad)) {
      it(`400, naming the parameter: ${what}`, async () => {
        const answer = await client.patch(await client.claim(fresh()), body);
        assert.equal(answer.status, 400);
        assert.deepEqual(Object.keys(answer.body).sort(), names);
      });
    }

    it('404: no such claim', async () => {
      for (const id of ['999999', '0', '-1', '1.5', '01', 'x', '9'.repeat(30), '%20', '1%2f2']) {
        assert.equal((await client.patch(`/v1/claims/${id}/`, { ttl: 1 })).status, 404, id);
        assert.equal((await client.get(`/v1/claims/${id}/`)).status, 404, id);
      }
    });
  });

  describe('addresses', () => {
    it('308 to the address with a slash, query and method kept', async () => {
      for (const [method, path, to] of [
        ['GET', '/v1/claims', '/v1/claims/'], ['GET', '/v1/claims?status=active', '/v1/claims/?status=active'],
        ['POST', '/v1/claims', '/v1/claims/'], ['PATCH', '/v1/claims/1', '/v1/claims/1/'],
        ['GET', '/v1/claims/1?wait=1', '/v1/claims/1/?wait=1'],
      ]) {
        const { status, headers } = await client.ask(method, path, method === 'GET' ? undefined : {});
        assert.equal(status, 308);
        assert.equal(headers.get('location'), to);
      }
      const resource = fresh();
      const response = await fetch(`${running.url}/v1/claims`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ resource, ttl: 1 }),
      });
      assert.equal(response.status, 201);
    });

    it('405 with what is allowed', async () => {
      for (const [method, path, allow] of [
        ['DELETE', '/v1/claims/', 'GET, HEAD, POST'], ['PUT', '/v1/claims/1/', 'GET, HEAD, PATCH'], ['POST', '/v1/events', 'GET'],
        ['POST', '/', 'GET, HEAD'], ['PATCH', '/healthz', 'GET, HEAD'], ['OPTIONS', '/v1/claims/', 'GET, HEAD, POST'],
      ]) {
        const { status, headers } = await client.ask(method, path);
        assert.equal(status, 405, `${method} ${path}`);
        assert.equal(headers.get('allow'), allow);
      }
    });

    it('404 as JSON elsewhere', async () => {
      for (const path of ['/v1/', '/v2/claims/', '/v1/claims/1/2/', '/v1/claims//', '/favicon.ico', '/v1/claims/1/?wait']) {
        const { status, body } = await client.get(path);
        assert.ok(status === 404 || status === 400, path);
        assert.ok(body);
      }
    });

    it('names itself as it is called, or as it was told', async () => {
      const { body } = await client.post({ resource: fresh(), ttl: 1 }, {});
      assert.ok(body.url.startsWith(running.url));
      const other = await startService({ server: { baseUrl: 'https://locks.example/base' } });
      try {
        const { headers } = await other.client.post({ resource: 'x', ttl: 1 });
        assert.equal(headers.get('location'), 'https://locks.example/base/v1/claims/1/');
      } finally {
        await other.stop();
      }
    });

    it('a request may name the whole address, as one to a proxy does', async () => {
      const { hostname, port } = new URL(running.url);
      for (const [path, status] of [['/v1/claims/?limit=1', 200], ['/v1/claims', 308], ['', 200]]) {
        const response = await new Promise((resolve) => http.get({ hostname, port, path: `http://elsewhere.example${path}` }, resolve));
        const { statusCode, headers: { location = '', link = '' } } = response.resume();
        assert.equal(statusCode, status, path);
        assert.doesNotMatch(location + link, /elsewhere/);
      }
    });

    it('HEAD is GET without the body', async () => {
      const path = await client.claim(fresh());
      for (const each of [path, '/v1/claims/?limit=1', '/', '/healthz']) {
        const response = await fetch(new URL(each, running.url), { method: 'HEAD' });
        assert.equal(response.status, 200);
        assert.equal(await response.text(), '');
      }
    });
  });
});
