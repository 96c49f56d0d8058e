/** Nothing grows without end: names, numbers, claims, lists, waiting requests. And at a bound, clients can still end claims. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { headerAuthentication } from '../../claims/source/auth-header.js';
import { startProcess } from './support/process.js';
import { createClient, startService, until } from './support/service.js';

describe('claims: bounds', function () {
  this.timeout(120_000);
  const running = [];
  const start = async (options) => {
    running.push(await startService(options));
    return running.at(-1);
  };
  afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())));

  it('a resource\'s name: 1 KB of UTF-8, alone and in a list', async () => {
    const { client } = await start();
    assert.equal((await client.post({ resource: 'x'.repeat(1024), ttl: 1 })).status, 201);
    for (const resource of ['x'.repeat(1025), 'é'.repeat(513), ['a', '🔒'.repeat(257)]]) {
      const { status, body } = await client.post({ resource, ttl: 1 });
      assert.equal(status, 400);
      assert.match(body.resource, /1024 bytes/);
    }
  });

  it('a ttl: 1e9 seconds; lists are JSON, whatever an older version has stored', async () => {
    const { client, service } = await start();
    const path = await client.claim('a', 1e9);
    for (const ttl of ['1e308', '1000000001']) {
      assert.equal((await client.post(`{"resource":"b","ttl":${ttl}}`)).status, 400);
      assert.equal((await client.patch(path, `{"ttl":${ttl}}`)).status, 400);
    }
    // As version 0.1 took it.
    await service.create({ type: 'create', resources: ['c'], list: false, mode: 'exclusive', ttl: 1e308, userData: null, owner: null });
    assert.equal((await client.get('/v1/claims/?status=active')).body.length, 2);
  });

  it('JSON: 100 levels', async () => {
    const { client } = await start();
    const nested = (depth) => `{"resource":"a","ttl":1,"user_data":${'['.repeat(depth)}"\\"[[{{"${']'.repeat(depth)}}`;
    assert.equal((await client.post(nested(99))).status, 201);
    const { status, body } = await client.post(nested(100));
    assert.equal(status, 400);
    assert.match(body.error, /deeper than 100/);
    assert.equal((await client.post(nested(100_000))).status, 400);
  });

  it('open claims: in all 503, of one owner 429; they can be ended, and repeated by their keys', async () => {
    const limits = { claims: 5, ownerClaims: 3 };
    const auth = headerAuthentication({ header: 'x-user', proxies: ['127.0.0.1'] });
    const { client, service } = await start({ service: { limits }, server: { auth } });
    const as = (name, key) => ({ 'x-user': name, ...(key ? { 'idempotency-key': key } : {}) });
    const post = (name, key) => client.post({ resource: 'a', ttl: 60 }, as(name, key));
    const [first] = [await post('ada', 'k'), await post('ada'), await post('ada')];
    const own = await post('ada');
    assert.equal(own.status, 429);
    assert.match(own.body.error, /You have 3 open claims/);
    assert.equal((await post('ada', 'k')).body.url, first.body.url);
    assert.deepEqual([(await post('bob')).status, (await post('bob')).status], [202, 202]);
    const all = await post('eve');
    assert.equal(all.status, 503);
    assert.equal(all.headers.get('retry-after'), '10');
    assert.equal((await client.patch(new URL(first.body.url).pathname, { status: 'released' }, as('ada'))).status, 204);
    // Many at once do not get past it.
    const many = await Promise.all(Array.from({ length: 20 }, () => post('eve')));
    assert.equal(many.filter(({ status }) => status === 202).length, 1);
    const path = new URL(many.find(({ status }) => status === 202).body.url).pathname;
    assert.equal((await client.patch(path, { status: 'withdrawn' }, as('eve'))).status, 204);
    const begin = () => service.changeSession({ type: 'session', ttl: 9, owner: 'eve' });
    const sessions = await Promise.allSettled(Array.from({ length: 20 }, begin));
    assert.equal(sessions.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('bytes of open claims, in all and of one owner', async () => {
    const limits = { bytes: 100_000, ownerBytes: 50_000 };
    const auth = headerAuthentication({ header: 'x-user', proxies: ['127.0.0.1'] });
    const { client } = await start({ service: { limits }, server: { auth } });
    const post = (name, length) => client.post({ resource: 'a', ttl: 60, user_data: 'x'.repeat(length) }, { 'x-user': name });
    assert.equal((await post('ada', 30_000)).status, 429);
    assert.equal((await post('ada', 20_000)).status, 201);
    assert.equal((await post('ada', 10_000)).status, 429);
    assert.equal((await post('bob', 20_000)).status, 202);
    assert.equal((await post('eve', 10_000)).status, 503);
  });

  it('a small heap: much user_data is refused at some point, and nothing breaks', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const options = ['--data', folder];
    const how = { environment: { NODE_OPTIONS: '--max-old-space-size=96' } };
    let service = await startProcess(options, how);
    try {
      let client = createClient(service.url);
      const paths = [];
      let refused = 0;
      for (let turn = 0; turn < 305; turn += 1) {
        const { status, body } = await client.post({ resource: `r${turn % 7}`, ttl: 1000, user_data: 'x'.repeat(227_000) });
        if (status === 503) refused += 1;
        else paths.push(new URL(body.url).pathname);
      }
      assert.ok(refused > 0 && paths.length > 10, `${refused} refused, ${paths.length} made`);
      assert.equal((await client.get('/v1/claims/')).body.length, paths.length);
      // Ended ones make room, and are as large.
      for (let turn = 0; turn < 40; turn += 1) {
        assert.equal((await client.patch(paths.shift(), { status: 'withdrawn' })).status, 204);
        paths.push(await client.claim(`r${turn % 7}`, 1000, { user_data: 'y'.repeat(227_000) }));
      }
      await service.stop('SIGKILL');
      service = await startProcess(options, how);
      client = createClient(service.url);
      assert.equal((await client.get('/v1/claims/?status=waiting')).body.length, paths.length - 7);
    } finally {
      await service.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('many claims with long names: started again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const service = { limits: { claims: Infinity, bytes: Infinity }, checkpointEvery: 1e6 };
    try {
      const first = await start({ data: folder, service });
      const names = Array.from({ length: 10 }, (each, place) => `${place}`.padEnd(1000, 'x'));
      for (let made = 0; made < 1200; made += 200) {
        await Promise.all(Array.from({ length: 200 }, (each, turn) => first.service.create({
          type: 'create', resources: [...names, `own ${turn}`], list: true, mode: 'exclusive', ttl: 1000, userData: null, owner: null,
        })));
      }
      await first.stop();
      const second = await start({ data: folder, service });
      assert.equal(second.service.machine.hash(), first.service.machine.hash());
      assert.equal(second.service.register.counts.waiting, 1199);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('final claims in memory: by bytes, the last ones', async () => {
    const { client, service } = await start({ service: { keepBytes: 100_000 } });
    for (let turn = 0; turn < 20; turn += 1) {
      const path = await client.claim(`r${turn}`, 60, { user_data: 'x'.repeat(10_000) });
      await client.patch(path, { status: 'released' });
    }
    const { body } = await client.get('/v1/claims/');
    assert.deepEqual(body.map(({ resource }) => resource), ['r16', 'r17', 'r18', 'r19']);
    assert.equal(service.register.counts.final, 4);
  });

  it('requests that wait: of one client 429', async () => {
    const { client, url, service } = await start({ server: { maxListenersOfOne: 3, maxListeners: 10 } });
    const path = await client.claim('a');
    const waiting = [1, 2, 3].map(() => client.get(`${path}?wait=5`));
    await until(() => service.hub.size === 3, 'the waits');
    assert.equal((await client.get(`${path}?wait=5`)).status, 429);
    assert.equal((await fetch(`${url}/v1/events`)).status, 429);
    await client.patch(path, { status: 'released' });
    await Promise.all(waiting);
    assert.equal((await client.get(`${path}?wait=0`)).status, 200);
  });

  it('a list without a limit: 10,000 claims, and where the next ones are', async () => {
    const { client, service } = await start();
    await Promise.all(Array.from({ length: 10_005 }, (each, turn) => service.create({
      type: 'create', resources: [`r${turn}`], list: false, mode: 'exclusive', ttl: 1000, userData: null, owner: null,
    }).catch(() => {})));
    for (let turn = service.machine.lastId; turn < 10_005; turn += 1) await client.claim(`more ${turn}`);
    const first = await fetch(`${running[0].url}/v1/claims/`);
    assert.equal((await first.json()).length, 10_000);
    const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link'));
    assert.equal((await (await fetch(next)).json()).length, 5);
  });

  it('long lists that the client does not read: of one client 429, in all 503, until they are given up', async () => {
    const auth = headerAuthentication({ header: 'x-user', proxies: ['127.0.0.1'] });
    const { url, client } = await start({ server: { auth, maxListed: 100 } });
    const as = (name) => ({ 'x-user': name });
    for (let turn = 0; turn < 48; turn += 1) await client.post({ resource: 'a', ttl: 60, user_data: 'x'.repeat(200_000) }, as('ada'));
    await client.post({ resource: 'b', ttl: 60 }, as('ada'));
    const { hostname, port } = new URL(url);
    const stalled = [];
    const stall = (name) => new Promise((resolve) => {
      const socket = net.connect(Number(port), hostname);
      stalled.push(socket);
      socket.once('data', (data) => {
        socket.pause();
        resolve(Number(/^HTTP\/1.1 (\d+)/.exec(data)[1]));
      });
      socket.write(`GET /v1/claims/ HTTP/1.1\r\nHost: x\r\nX-User: ${name}\r\n\r\n`);
    });
    assert.equal(await stall('ada'), 200);
    assert.equal((await client.get('/v1/claims/', as('ada'))).status, 429);
    assert.equal((await client.get('/v1/claims/?resource=b', as('ada'))).status, 200);
    assert.equal(await stall('bob'), 200);
    const refused = await client.get('/v1/claims/', as('eve'));
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    for (const socket of stalled) socket.destroy();
    await until(async () => (await fetch(`${url}/v1/claims/`, { method: 'HEAD', headers: as('ada') })).status === 200, 'room');
    // A list is given up before its first part, too.
    await Promise.all([1, 2, 3].map(() => {
      const socket = net.connect(Number(port), hostname);
      socket.write('GET /v1/claims/ HTTP/1.1\r\nHost: x\r\nX-User: eve\r\n\r\n', () => socket.destroy());
      return new Promise((resolve) => socket.on('close', resolve));
    }));
    await until(async () => (await client.get('/v1/claims/', as('eve'))).status === 200, 'room after that');
    assert.equal((await client.get('/v1/claims/', as('eve'))).status, 200);
  });

  it('slow headers are cut after 10 s, slow bodies after 30', async () => {
    const { url, server: { server } } = await start();
    assert.deepEqual([server.headersTimeout, server.requestTimeout], [10_000, 30_000]);
    // Node looks at these once a second, and they may be changed meanwhile.
    Object.assign(server, { headersTimeout: 500, requestTimeout: 2500 });
    const { hostname, port } = new URL(url);
    const send = (text) => new Promise((resolve) => {
      const began = performance.now();
      const socket = net.connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.on('close', () => resolve((performance.now() - began) / 1000));
      socket.resume();
      socket.write(text);
    });
    const [headers, body] = await Promise.all([
      send('POST /v1/claims/ HTTP/1.1\r\nHost: x\r\n'),
      send('POST /v1/claims/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'),
    ]);
    assert.ok(headers >= 0.4 && headers < body, `${headers} s`);
    assert.ok(body >= 2.4, `${body} s`);
  });
});
