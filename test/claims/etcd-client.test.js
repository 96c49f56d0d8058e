/** The connection to etcd: what is large, what hangs, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { createEtcd } from '../../claims/source/etcd.js';
import { startProxy } from './support/etcd-cluster.js';
import { startSingle } from './support/etcd-single.js';
import { useEtcd } from './support/etcd-use.js';
import { until } from './support/service.js';

describe('claims: the connection to etcd', function () {
  this.timeout(60_000);
  const etcd = useEtcd();
  /** @type {(() => void)[]} */
  let ends = [];
  afterEach(() => {
    for (const end of ends) end();
    ends = [];
  });

  const connect = (members, options = {}) => {
    const client = createEtcd({ members, deadline: 300, patience: 3000, ...options });
    ends.push(() => client.close());
    return client;
  };

  /** Takes connections, and never says a word. */
  const startMute = async () => {
    const sockets = new Set();
    const server = net.createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { url: `http://127.0.0.1:${server.address().port}`, connections: () => sockets.size };
  };

  const key = (name) => Buffer.from(`/way/${name}`);

  it('an answer may be larger than 4 MB', async () => {
    const client = connect([etcd().url], { deadline: 5000 });
    const value = Buffer.alloc(1_000_000, 'x');
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await client.call('Put', { key: key(`large/${name}`), value });
    const { kvs } = await client.call('Range', { key: key('large/'), range_end: key('large0') });
    assert.deepEqual(kvs.map((each) => each.value.equals(value)), Array(6).fill(true));
  });

  it('a member that takes connections and never answers: the next one is asked', async () => {
    const mute = await startMute();
    const client = connect([mute.url, etcd().url]);
    const { header } = await client.call('Put', { key: key('mute'), value: Buffer.from('1') });
    assert.ok(Number(header.revision) > 0);
    assert.equal(mute.connections(), 1);
    const alone = connect([mute.url], { patience: 800 });
    await assert.rejects(alone.call('Range', { key: key('mute') }), /no member of etcd answers \(no answer in time\)/);
  });

  it('a watch goes on at the next member when a call finds that its own member hangs', async () => {
    const { port } = new URL(etcd().url);
    const proxy = await startProxy('127.0.0.1', Number(port));
    ends.push(() => proxy.stop());
    const client = connect([proxy.url, etcd().url]);
    const other = connect([etcd().url]);
    const revisions = [];
    void client.watch({ key: key('watched') }, (revision) => revision && revisions.push(revision));
    const put = async () => Number((await other.call('Put', { key: key('watched'), value: Buffer.from('1') })).header.revision);
    await until(async () => revisions.includes(await put()) || revisions.length > 0, 'the first event');
    proxy.cut();
    await client.call('Range', { key: key('watched') });
    const before = revisions.length;
    await until(async () => {
      await put();
      await delay(50);
      return revisions.length > before;
    }, 'an event by the other member');
  });

  it('a refusal of etcd is quoted, and not asked for again', async () => {
    const client = connect([etcd().url]);
    const began = performance.now();
    await assert.rejects(client.call('Compact', { revision: 10_000_000 }), /etcd refuses: .*future revision/);
    assert.ok(performance.now() - began < 2000);
  });

  it('a token that names an earlier state of etcd\'s users is replaced', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    const [secret, open] = [join(folder, 'key.pem'), join(folder, 'public.pem')];
    execFileSync('openssl', ['genrsa', '-out', secret, '2048'], { stdio: 'ignore' });
    execFileSync('openssl', ['rsa', '-in', secret, '-pubout', '-out', open], { stdio: 'ignore' });
    const own = await startSingle(['--auth-token', `jwt,pub-key=${open},priv-key=${secret},sign-method=RS256,ttl=1h`]);
    try {
      own.control('user', 'add', 'root:secret');
      own.control('user', 'grant-role', 'root', 'root');
      const client = connect([own.url], { security: { user: 'root', password: 'secret' } });
      const put = () => client.call('Put', { key: key('users'), value: Buffer.from('1') });
      // A user is not needed yet, and no longer needed after the end.
      await put();
      own.control('auth', 'enable');
      await put();
      own.control('--user', 'root:secret', 'user', 'add', 'another:one');
      await put();
      own.control('--user', 'root:secret', 'user', 'add', 'third:one');
      await Promise.all([put(), put(), put()]);
      own.control('--user', 'root:secret', 'auth', 'disable');
      await put();
    } finally {
      await own.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('a way of 0.4 s there and back takes longer than an attempt may at first', async () => {
    const proxy = await startProxy('127.0.0.1', Number(new URL(etcd().url).port), 200);
    ends.push(() => proxy.stop());
    const client = connect([proxy.url, proxy.url, proxy.url], { deadline: 300, patience: 3000 });
    const get = () => client.call('Range', { key: key('far') });
    // The first call may be in vain; what it has learnt serves the next ones.
    await get().catch(() => {});
    for (let turn = 0; turn < 3; turn += 1) await get();
  });

  it('no request outlives it', async () => {
    const mute = await startMute();
    const client = connect([mute.url], { deadline: 60_000, patience: 60_000 });
    const asked = client.call('Range', { key: key('a') });
    await until(() => mute.connections(), 'a connection');
    client.close();
    await assert.rejects(asked, /shutting down/);
  });
});
