/** A client that waits at a server that is cut off, or was stopped, is never told that a claim is active that no longer is. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { startProxy } from './support/etcd-cluster.js';
import { useEtcd } from './support/etcd-use.js';
import { startProcess } from './support/process.js';
import { createClient, until } from './support/service.js';

describe('claims: no stale owner', function () {
  this.timeout(60_000);
  const etcd = useEtcd();

  const faults = {
    'cut off': { begin: (proxy) => proxy.cut(), end: (proxy) => proxy.heal() },
    'stopped': { begin: (proxy, { child }) => child.kill('SIGSTOP'), end: (proxy, { child }) => child.kill('SIGCONT') },
    'slow': { begin: (proxy) => proxy.slow(700), end: (proxy) => proxy.slow(0) },
  };
  for (const [what, { begin, end }] of Object.entries(faults)) {
    it(what, async () => {
      const prefix = `/stale/${what.replace(' ', '-')}/`;
      const proxy = await startProxy('127.0.0.1', Number(new URL(etcd().url).port));
      const one = await startProcess(['--etcd', proxy.url, '--etcd-prefix', prefix]);
      const two = await startProcess(['--etcd', etcd().url, '--etcd-prefix', prefix]);
      try {
        const [near, far] = [createClient(one.url), createClient(two.url)];
        const first = await far.claim('a');
        const second = await far.claim('a');
        assert.deepEqual([await near.status(first), await near.status(second)], ['active', 'waiting']);
        const ask = (query) => near.get(`${first}${query}`).catch((error) => ({ status: 0, error }));
        const polls = ['?wait=0.6', '?wait=1&while=active', '?wait=1.3'].map(ask);
        await delay(300);
        begin(proxy, one);
        await far.patch(first, { status: 'released' });
        assert.equal(await far.status(second), 'active');
        // Asked while the fault lasts, too.
        polls.push(ask(''), ask('?wait=1'), near.patch(first, { status: 'active' }), near.get('/v1/claims/?status=active'));
        await delay(1500);
        end(proxy, one);
        for (const { status, body } of await Promise.all(polls)) {
          if (status !== 200) assert.ok([0, 400, 503].includes(status), `${status}`);
          else if (Array.isArray(body)) assert.deepEqual(body.map(({ url }) => new URL(url).pathname), [second]);
          else assert.equal(body.status, 'released');
        }
        await until(async () => (await near.get('/healthz')).status === 200, 'the way back');
        assert.equal(await near.status(first), 'released');
      } finally {
        one.child.kill('SIGCONT');
        await one.stop('SIGKILL');
        await two.stop();
        proxy.stop();
      }
    });
  }
});
