/** Which clients ask, and what they may do. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { headerAuthentication } from '../../claims/source/auth-header.js';
import { tokenAuthentication } from '../../claims/source/auth-token.js';
import { UsageError, readOptions } from '../../claims/source/options.js';
import { failToStart, startProcess } from './support/process.js';
import { createClient, startService } from './support/service.js';

const require = createRequire(new URL('../../claims/package.json', import.meta.url));
const { SignJWT, exportJWK, exportPKCS8, exportSPKI, generateKeyPair } = await import(require.resolve('jose'));

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'claims';

describe('claims: authentication', function () {
  this.timeout(60_000);
  let keys;
  let others;
  before(async () => {
    keys = await generateKeyPair('ES256', { extractable: true });
    others = await generateKeyPair('ES256');
  });

  const token = (claims = {}, more = {}) => {
    const { key, alg, expires, issuer, audience, kid } = {
      key: keys.privateKey, alg: 'ES256', expires: '1h', issuer: ISSUER, audience: AUDIENCE, kid: 'k', ...more,
    };
    const made = new SignJWT({ sub: 'alice', ...claims }).setProtectedHeader({ alg, kid }).setIssuer(issuer).setAudience(audience);
    return (expires ? made.setExpirationTime(expires) : made).sign(key);
  };
  const bearer = async (...words) => ({ authorization: `Bearer ${await token(...words)}` });

  /** The rules for every kind of authentication, given its clients. */
  function rules(clients) {
    it('records the owner; others may read, wait and queue up, but change nothing', async () => {
      const { alice, bob } = await clients();
      const { status, body } = await alice.post({ resource: 'rules', ttl: 60 });
      assert.equal(status, 201);
      assert.equal(body.owner, 'alice');
      const path = new URL(body.url).pathname;
      assert.equal((await bob.get(path)).body.owner, 'alice');
      assert.equal((await bob.get('/v1/claims/?resource=rules')).body.length, 1);
      const own = await bob.claim('rules');
      for (const update of [{ ttl: 5 }, { status: 'released' }, { status: 'active' }, { status: 'revoked' }, { status: 'aborted' }]) {
        assert.equal((await bob.patch(path, update)).status, 403);
      }
      assert.equal((await bob.patch(own, { status: 'active' })).status, 409);
      assert.equal((await alice.patch(path, { ttl: 90 })).status, 200);
      assert.equal((await alice.patch(path, { status: 'revoked' })).status, 204);
      assert.equal(await bob.status(own), 'active');
      assert.equal((await bob.patch(own, { status: 'released' })).status, 204);
    });

    it('an administrator may revoke others\' claims, and nothing else', async () => {
      const { alice, admin } = await clients();
      const path = await alice.claim('administered');
      for (const update of [{ ttl: 5 }, { status: 'released' }, { status: 'withdrawn' }]) {
        assert.equal((await admin.patch(path, update)).status, 403);
      }
      assert.equal((await admin.patch(path, { status: 'revoked' })).status, 204);
      // The history names the administrator.
      const { body } = await alice.get(path);
      assert.deepEqual(body.status_history.map(({ status, by }) => [status, by]), [
        ['waiting', undefined], ['active', undefined], ['revoked', 'root'],
      ]);
    });

    it('an Idempotency-Key belongs to its owner', async () => {
      const { alice, bob } = await clients();
      const headers = { 'idempotency-key': 'same' };
      const [one, other] = [await alice.post({ resource: 'k', ttl: 1 }, headers), await bob.post({ resource: 'k', ttl: 1 }, headers)];
      assert.notEqual(one.body.url, other.body.url);
      assert.equal((await alice.post({ resource: 'k', ttl: 1 }, headers)).body.url, one.body.url);
    });

    it('a client that does not identify itself is told only whether the service is well', async () => {
      const { nobody } = await clients();
      for (const path of ['/v1/claims/', '/v1/claims/1/', '/v1/events', '/metrics', '/']) {
        const { status, headers } = await nobody.get(path);
        assert.equal(status, 401, path);
        assert.ok(headers.get('www-authenticate'));
      }
      assert.equal((await nobody.post({ resource: 'x', ttl: 1 })).status, 401);
      assert.equal((await nobody.patch('/v1/claims/1/', { ttl: 1 })).status, 401);
      assert.equal((await nobody.get('/healthz')).status, 200);
      assert.equal((await nobody.get('/openapi.json')).status, 200);
    });
  }

  describe('by bearer tokens, keys from a URL', () => {
    let running;
    let issuer;
    let answer;
    before(async () => {
      const jwk = { ...await exportJWK(keys.publicKey), kid: 'k', alg: 'ES256', use: 'sig' };
      answer = () => ({ keys: [jwk] });
      issuer = http.createServer((request, response) => {
        const body = answer();
        response.writeHead(body ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }).listen(0, '127.0.0.1');
      await once(issuer, 'listening');
      const auth = tokenAuthentication({ jwksUrl: `http://127.0.0.1:${issuer.address().port}/keys`, issuer: ISSUER, audience: AUDIENCE });
      running = await startService({ server: { auth } });
    });
    after(async () => {
      await running.stop();
      issuer.close();
    });

    rules(async () => ({
      alice: createClient(running.url, { headers: await bearer() }),
      bob: createClient(running.url, { headers: await bearer({ sub: 'bob' }) }),
      admin: createClient(running.url, { headers: await bearer({ sub: 'root', scope: 'openid claims:revoke' }) }),
      nobody: running.client,
    }));

    const bad = {
      'no token': () => ({}),
      'another scheme': () => ({ authorization: 'Basic YTpi' }),
      'nonsense': () => ({ authorization: 'Bearer nonsense' }),
      'an expired one': () => bearer({}, { expires: '-5m' }),
      'one without an end': () => bearer({}, { expires: undefined }),
      'another issuer\'s': () => bearer({}, { issuer: 'https://other.example' }),
      'for another audience': () => bearer({}, { audience: 'other' }),
      'signed with another key': () => bearer({}, { key: others.privateKey }),
      'with an unknown key\'s name': () => bearer({}, { kid: 'other' }),
      'without a subject': () => bearer({ sub: undefined }),
      'with a subject that is no name': () => bearer({ sub: '' }),
      'signed with the public key as a secret': async () => {
        const secret = new TextEncoder().encode(await exportSPKI(keys.publicKey));
        return bearer({}, { key: secret, alg: 'HS256' });
      },
      'not signed': () => {
        const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
        return { authorization: `Bearer ${part({ alg: 'none' })}.${part({ sub: 'alice', iss: ISSUER, aud: AUDIENCE, exp: 9e9 })}.` };
      },
    };
    for (const [what, headers] of Object.entries(bad)) {
      it(`401: ${what}`, async () => {
        const { status, headers: answered } = await running.client.get('/v1/claims/', await headers());
        assert.equal(status, 401);
        assert.match(answered.get('www-authenticate'), /^Bearer/);
      });
    }

    it('503 when the keys cannot be fetched', async () => {
      answer = () => undefined;
      const auth = tokenAuthentication({ jwksUrl: `http://127.0.0.1:${issuer.address().port}/keys` });
      const other = await startService({ server: { auth } });
      assert.equal((await other.client.get('/v1/claims/', await bearer())).status, 503);
      await other.stop();
    });
  });

  for (const [what, read] of Object.entries({
    'PEM': async () => exportSPKI(keys.publicKey),
    'JWK': async () => JSON.stringify(await exportJWK(keys.publicKey)),
    'a JWK set': async () => JSON.stringify({ keys: [{ ...await exportJWK(keys.publicKey), kid: 'k', alg: 'ES256' }] }),
  })) {
    it(`by bearer tokens, the key as ${what}`, async () => {
      const running = await startService({ server: { auth: tokenAuthentication({ key: await read(), ownerClaim: 'email' }) } });
      const { status, body } = await running.client.post({ resource: 'x', ttl: 1 }, await bearer({ email: 'a@example.com' }));
      assert.equal(status, 201);
      assert.equal(body.owner, 'a@example.com');
      assert.equal((await running.client.get('/v1/claims/', await bearer({ email: 'x' }, { key: others.privateKey }))).status, 401);
      await running.stop();
    });
  }

  it('by the beginnings of resources that scopes or groups name', async () => {
    const key = { ...await exportJWK(keys.publicKey), kid: 'k', alg: 'ES256' };
    const resourceScope = 'claims:on:';
    const ways = [
      [tokenAuthentication({ key: JSON.stringify(key), issuer: ISSUER, audience: AUDIENCE, resourceScope }),
        async (sub, ...scopes) => bearer({ sub, scope: scopes.join(' ') })],
      [headerAuthentication({
        header: 'X-User', proxies: ['127.0.0.1'], groupsHeader: 'X-Groups', revokeGroup: 'claims:revoke', resourceScope,
      }),
      async (owner, ...scopes) => ({ 'x-user': owner, 'x-groups': scopes.join(';') })],
    ];
    for (const [auth, headers] of ways) {
      const running = await startService({ server: { auth } });
      const as = async (...who) => createClient(running.url, { headers: await headers(...who) });
      const builder = await as('builder', 'claims:on:build/', 'claims:on:cache');
      const [none, all] = [await as('none', 'openid'), await as('all', 'claims:on:')];
      const asked = async (client, resource) => (await client.post({ resource, ttl: 60 })).status;
      for (const resource of ['build/1', 'cache', ['build/2', 'cache 2']]) assert.equal(await asked(builder, resource), 201);
      for (const resource of ['deploy', 'build', ['build/3', 'deploy']]) assert.equal(await asked(builder, resource), 403);
      assert.deepEqual([await asked(none, 'build/4'), await asked(all, 'anything')], [403, 201]);
      // A client with the right to revoke others' claims has it only there.
      const admin = await as('admin', 'claims:revoke', 'claims:on:build/');
      const [near, far] = [await builder.claim('build/5'), await all.claim('deploy')];
      assert.equal((await admin.patch(far, { status: 'revoked' })).status, 403);
      assert.equal((await admin.patch(near, { status: 'revoked' })).status, 204);
      assert.equal((await admin.patch('/v1/claims/999/', { status: 'revoked' })).status, 404);
      const session = await all.ask('POST', '/v1/sessions/', { ttl: 60 });
      assert.equal((await admin.ask('DELETE', new URL(session.body.url).pathname)).status, 403);
      await running.stop();
    }
  });

  it('by bearer tokens with a shared secret', async () => {
    const secret = Buffer.from('a secret of thirty-two bytes or more');
    const key = JSON.stringify({ kty: 'oct', k: secret.toString('base64url') });
    const running = await startService({ server: { auth: tokenAuthentication({ key }) } });
    assert.equal((await running.client.get('/v1/claims/', await bearer({}, { key: secret, alg: 'HS256' }))).status, 200);
    assert.equal((await running.client.get('/v1/claims/', await bearer())).status, 401);
    await running.stop();
  });

  describe('by a header of a proxy', () => {
    let running;
    const options = { header: 'X-Remote-User', proxies: ['127.0.0.1'], groupsHeader: 'X-Groups', revokeGroup: 'admins' };
    before(async () => {
      running = await startService({ server: { auth: headerAuthentication(options) } });
    });
    after(() => running.stop());
    const as = (name, groups = '') => createClient(running.url, { headers: { 'x-remote-user': name, 'x-groups': groups } });

    rules(async () => ({ alice: as('alice'), bob: as('bob', 'users'), admin: as('root', 'users; admins'), nobody: running.client }));

    it('a name in UTF-8', async () => {
      const name = Buffer.from('Zoë', 'utf8').toString('latin1');
      assert.equal((await as(name).post({ resource: 'zoë', ttl: 1 })).body.owner, 'Zoë');
    });

    it('says nothing if it does not come from the proxy', async () => {
      const other = await startService({ server: { auth: headerAuthentication({ ...options, proxies: ['192.0.2.1', '::1'] }) } });
      assert.equal((await other.client.get('/v1/claims/', { 'x-remote-user': 'alice' })).status, 401);
      await other.stop();
    });
  });

  describe('by the command', () => {
    let folder;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'claims-'));
    });
    after(() => rm(folder, { recursive: true }));

    it('refuses to serve other addresses without authentication, unless told', async () => {
      const complaint = /can be reached from elsewhere, and clients would not be authenticated/;
      for (const host of ['::', '192.0.2.1', 'example.com']) assert.throws(() => readOptions(['--memory', '--host', host], {}), complaint);
      const { code, errors } = await failToStart(['--memory', '--host', '0.0.0.0']);
      assert.equal(code, 2);
      assert.match(errors, complaint);
      const open = await startProcess(['--memory', '--host', '0.0.0.0', '--allow-anonymous']);
      await open.stop();
    });

    it('a key file', async () => {
      const file = join(folder, 'key.pem');
      await writeFile(file, await exportSPKI(keys.publicKey));
      const words = ['--auth-key', file, '--auth-issuer', ISSUER, '--auth-any-audience'];
      const service = await startProcess(['--memory', '--host', '0.0.0.0', ...words]);
      const url = `http://127.0.0.1:${new URL(service.url).port}/v1/claims/`;
      assert.equal((await fetch(url)).status, 401);
      assert.equal((await fetch(url, { headers: await bearer() })).status, 200);
      assert.equal((await fetch(url, { headers: await bearer({}, { issuer: 'x' }) })).status, 401);
      await service.stop();
    });

    it('refuses options that make no sense', async () => {
      const file = join(folder, 'bad.pem');
      await writeFile(file, (await exportPKCS8(keys.privateKey)).slice(40));
      for (const [words, complaint] of [
        [[], /--data, --etcd or --memory is missing/],
        [['--memory', '--data', 'x'], /only one of --data and --memory is possible/],
        [['--memory', '--port', '70000'], /--port must be a whole number from 0 to 65535, and "70000" is none/],
        [['--memory', '--frobnicate'], /frobnicate/],
        [['--memory', '--keep', 'x'], /--keep must be a whole number from 0 to 1000000000, and "x" is none/],
        [['--memory', '--auth-key', join(folder, 'none')], /--auth-key cannot be read/],
        [['--memory', '--auth-key', file, '--auth-header', 'X'], /only one of --auth-key and --auth-header is possible/],
        [['--memory', '--auth-header', 'X', '--auth-proxy', 'proxy.example'], /--auth-proxy must have IP addresses/],
        [['--etcd', 'localhost:2379'], /--etcd must be a URL/],
        [['--memory', '--log-level', 'loud'], /--log-level must be one of/],
      ]) assert.throws(() => readOptions(words, {}), (error) => error instanceof UsageError && complaint.test(error.message), `${words}`);
      const { code, errors } = await failToStart(['--memory', '--auth-key', file]);
      assert.equal(code, 2);
      assert.match(errors, /--auth-key is no key that can be used/);
    });
  });

  it('pages of other origins may use it if that is configured', async () => {
    const running = await startService({ server: { allowOrigins: ['https://app.example'] } });
    const ask = (method, origin, more = {}) => fetch(`${running.url}/v1/claims/`, { method, headers: { origin, ...more } });
    const preflight = await ask('OPTIONS', 'https://app.example', { 'access-control-request-method': 'POST' });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://app.example');
    assert.match(preflight.headers.get('access-control-allow-headers'), /Idempotency-Key/);
    const { headers } = await ask('GET', 'https://app.example');
    assert.equal(headers.get('access-control-allow-origin'), 'https://app.example');
    // A page needs it to see whether its requests go over HTTP/2.
    assert.equal(headers.get('timing-allow-origin'), 'https://app.example');
    assert.equal((await ask('GET', 'https://evil.example')).headers.get('access-control-allow-origin'), null);
    assert.equal((await ask('OPTIONS', 'https://evil.example', { 'access-control-request-method': 'POST' })).status, 405);
    await running.stop();
  });
});
