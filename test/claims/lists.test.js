/** GET /v1/claims/: filters, parts of lists, the order; claims on disk are found like claims in memory. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { startService, until } from './support/service.js';

for (const kind of ['memory', 'disk']) {
  describe(`claims: lists (${kind})`, () => {
    let running;
    let client;
    let folder;
    const paths = [];
    const list = async (query) => {
      const { status, body } = await client.get(`/v1/claims/?${query}`);
      assert.equal(status, 200, query);
      return body.map(({ url }) => paths.indexOf(new URL(url).pathname));
    };

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'claims-'));
      // With a checkpoint after each operation final claims are read from the disk.
      running = await startService(kind === 'disk' ? { data: folder, service: { checkpointEvery: 1 } } : {});
      ({ client } = running);
      paths.push(await client.claim('a', 100)); // 0: active
      paths.push(await client.claim('a', 200)); // 1: waiting
      paths.push(await client.claim('a', 300)); // 2: withdrawn
      paths.push(await client.claim('b', 400)); // 3: released
      paths.push(await client.claim(['c', 'd'], 500)); // 4: active
      paths.push(await client.claim(['d', 'c'], 600)); // 5: revoked
      paths.push(await client.claim('é&+ %', 0.01)); // 6: expired
      // So this one was active for less time than the others, however late its end was noticed.
      await until(async () => (await client.status(paths[6])) === 'expired', 'the expiry');
      await delay(60);
      await client.patch(paths[2], { status: 'withdrawn' });
      await client.patch(paths[3], { status: 'released' });
      await client.patch(paths[5], { status: 'revoked' });
    });
    after(async () => {
      await running.stop();
      await rm(folder, { recursive: true });
    });

    const cases = {
      '': [0, 1, 2, 3, 4, 5, 6],
      'resource=a': [0, 1, 2],
      'resource=b': [3],
      'resource=c': [4, 5],
      'resource=d': [4, 5],
      'resource=%C3%A9%26%2B+%25': [6],
      'resource=nothing': [],
      'status=active': [0, 4],
      'status=waiting': [1],
      'status=expired': [6],
      'status=aborted': [],
      'status=revoked&resource=c': [5],
      'status=active&resource=b': [],
      'minimum_ttl=0': [0, 4],
      'minimum_ttl=200': [4],
      'maximum_ttl=100': [0],
      'maximum_ttl=-1': [],
      'minimum_ttl=0&maximum_ttl=1e3': [0, 4],
      'minimum_waiting_duration=0.05': [1, 2, 5],
      'maximum_waiting_duration=0': [0, 3, 4, 6],
      'minimum_created=2020-01-01': [0, 1, 2, 3, 4, 5, 6],
      'minimum_created=2999-01-01T00:00:00Z': [],
      'maximum_created=2999-01-01T00:00:00.000%2B01:00': [0, 1, 2, 3, 4, 5, 6],
      'maximum_created=2999-01-01T00:00:00+01:00&status=waiting': [1],
      'limit=2': [0, 1],
      'limit=2&offset=5': [5, 6],
      'limit=3&offset=2&maximum_waiting_duration=0': [4, 6],
      'offset=7': [],
      'offset=6': [6],
    };
    for (const [query, expected] of Object.entries(cases)) {
      it(`?${query}`, async () => assert.deepEqual(await list(query), expected));
    }

    it('?minimum_active_duration and ?maximum_active_duration', async () => {
      const { body } = await client.get(paths[6]);
      assert.deepEqual(await list(`minimum_active_duration=${body.active_duration + 0.001}`), [0, 3, 4]);
      assert.deepEqual(await list(`maximum_active_duration=${body.active_duration}`), [6]);
    });

    it('bounds are inclusive', async () => {
      const { body } = await client.get(paths[3]);
      for (const [name, value] of [['active_duration', body.active_duration], ['created', body.created]]) {
        const found = await list(`resource=b&minimum_${name}=${value}&maximum_${name}=${value}`);
        assert.deepEqual(found, [3], name);
      }
    });

    it('400, naming every bad or unknown filter', async () => {
      for (const [query, names] of Object.entries({
        'minimum_ttl=foo': ['minimum_ttl'], 'maximum_ttl=': ['maximum_ttl'], 'minimum_ttl=NaN': ['minimum_ttl'],
        'minimum_ttl=1e999': ['minimum_ttl'], 'minimum_ttl=0x10': ['minimum_ttl'], 'maximum_created=yesterday': ['maximum_created'],
        'minimum_created=2026-02-31': ['minimum_created'], 'status=Active': ['status'], 'status=': ['status'], 'resource=': ['resource'],
        'owner=me': ['owner'], 'ttl=5': ['ttl'], 'status=active&status=waiting': ['status'], 'limit=0': ['limit'], 'limit=-1': ['limit'],
        'limit=1.5': ['limit'], 'offset=x': ['offset'],
        'constructor=1&toString=2&limit=x': ['constructor', 'limit', 'toString'], '__proto__=1': ['__proto__'],
      })) {
        const { status, body } = await client.get(`/v1/claims/?${query}`);
        assert.equal(status, 400, query);
        assert.deepEqual(Object.keys(body).sort(), names);
      }
    });

    it('whatever Host a client names, a list has its Link', async () => {
      const { hostname, port } = new URL(running.url);
      for (const host of ['a:99999', '256.1.1.1', '[::::]', 'xn--a']) {
        const response = await new Promise((resolve) => (
          http.get({ hostname, port, path: '/v1/claims/?limit=1&resource=%2B%20', headers: { host } }, resolve)));
        const { statusCode, headers: { link } } = response.resume();
        assert.equal(statusCode, 200, host);
        assert.match(link, /\/v1\/claims\/\?limit=1&resource=%2B\+&offset=0>; rel="first"/);
      }
    });

    it('Link leads through all parts, filters kept', async () => {
      const seen = [];
      let next = '/v1/claims/?limit=2&maximum_waiting_duration=0';
      while (next) {
        const { headers, body } = await client.get(next);
        seen.push(...body.map(({ url }) => paths.indexOf(new URL(url).pathname)));
        const link = headers.get('link');
        assert.match(link, /rel="first"/);
        assert.match(link, /offset=2>; rel="last"/);
        next = /<([^>]+)>; rel="next"/.exec(link)?.[1].replace(running.url, '');
      }
      assert.deepEqual(seen, [0, 3, 4, 6]);
      assert.match((await client.get('/v1/claims/?limit=2&offset=3')).headers.get('link'), /offset=1>; rel="prev"/);
      assert.equal((await client.get('/v1/claims/')).headers.get('link'), null);
    });

    it('a long list comes whole', async function () {
      this.timeout(60_000);
      for (let turn = 0; turn < 20; turn += 1) {
        await Promise.all(Array.from({ length: 50 }, () => client.post({ resource: 'long', ttl: 1, user_data: 'x'.repeat(200) })));
      }
      const { body } = await client.get('/v1/claims/?resource=long');
      assert.equal(body.length, 1000);
      const ids = body.map(({ url }) => Number(url.split('/').at(-2)));
      assert.deepEqual(ids, [...ids].sort((one, other) => one - other));
    });
  });
}

describe('claims: --keep', () => {
  it('only the last final claims are remembered, open ones always', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const options = { data: folder, service: { checkpointEvery: 1, keep: 3 } };
    let running = await startService(options);
    const open = await running.client.claim('open');
    const paths = [];
    for (let turn = 0; turn < 6; turn += 1) {
      paths.push(await running.client.claim('x'));
      await running.client.patch(paths[turn], { status: 'released' });
    }
    const expected = [404, 404, 404, 200, 200, 200];
    const seen = async () => Promise.all(paths.map(async (path) => (await running.client.get(path)).status));
    assert.deepEqual(await seen(), expected);
    assert.equal((await running.client.patch(paths[0], { ttl: 1 })).status, 404);
    assert.equal((await running.client.patch(paths[5], { ttl: 1 })).status, 400);
    await running.stop();
    running = await startService(options);
    assert.deepEqual(await seen(), expected);
    assert.equal(await running.client.status(open), 'active');
    assert.equal((await running.client.get('/v1/claims/')).body.length, 4);
    await running.stop();
    await rm(folder, { recursive: true });
  });
});
