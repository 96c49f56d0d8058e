/** The way to etcd: what is large, what hangs, and what is refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { createEtcd } from '../../claims/source/etcd.js';
import { startProxy } from './support/etcd-cluster.js';
import { useEtcd } from './support/etcd-use.js';
import { until } from './support/service.js';

describe('claims: the way to etcd', function () {
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
    await assert.rejects(connect([mute.url]).call('Range', { key: key('mute') }), /no member of etcd answers \(no answer in time\)/);
  });

  it('a watch goes on at the next member when a call finds that its own hangs', async () => {
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

  it('what etcd refuses is said in its words, and not asked again', async () => {
    const client = connect([etcd().url]);
    const began = performance.now();
    await assert.rejects(client.call('Compact', { revision: 10_000_000 }), /etcd refuses: .*future revision/);
    assert.ok(performance.now() - began < 2000);
  });

  it('nothing under way outlives it', async () => {
    const mute = await startMute();
    const client = connect([mute.url], { deadline: 60_000, patience: 60_000 });
    const asked = client.call('Range', { key: key('a') });
    await until(() => mute.connections(), 'a connection');
    client.close();
    await assert.rejects(asked, /shutting down/);
  });
});
