/** The example clients in shell and Python: commands of several machines, one at a time. */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { CLIENTS, UNTIL_DONE, runHolding, scriptOf } from './support/examples.js';
import { startService, until } from './support/service.js';
import { withSetClock } from './support/set-clock.js';

for (const [name, needed] of Object.entries(CLIENTS)) {
  const script = scriptOf(name);

  describe(`claims: ${name}`, function () {
    this.timeout(60_000);
    let running;
    before(async function () {
      if (spawnSync(needed, ['--version']).error) this.skip();
      running = await startService();
    });
    after(() => running?.stop());

    it('runs commands one at a time, releases, passes the status on', async () => {
      const resource = `a "b" \\c ${name}`;
      const list = async () => (await running.client.get(`/v1/claims/?resource=${encodeURIComponent(resource)}`)).body;
      const folder = await mkdtemp(join(tmpdir(), 'claims-'));
      const DONE = join(folder, 'done');
      const hold = (command) => runHolding(script, ['-u', running.url, resource], command, { DONE });
      const first = hold(UNTIL_DONE);
      await first.begun;
      const second = hold('if [ -e "$DONE" ]; then echo alone; else echo two at once; fi; exit 7');
      await until(async () => (await list()).some(({ status }) => status === 'waiting'), 'the second claim');
      await writeFile(DONE, '');
      assert.deepEqual(await first, { code: 0, stdout: 'runs\n', stderr: '' });
      const { code, stdout } = await second;
      assert.deepEqual([code, stdout], [7, 'alone\n']);
      const claims = await list();
      assert.deepEqual(claims.map(({ status }) => status), ['released', 'released']);
      assert.equal(typeof claims[0].user_data.process, 'number');
      await rm(folder, { recursive: true });
    });

    it('stops the command when the claim is lost', async () => {
      const result = runHolding(script, ['-u', running.url, '-t', '12', `lost ${name}`], 'exec sleep 60');
      const path = `/v1/claims/?resource=${encodeURIComponent(`lost ${name}`)}&status=active`;
      const [{ url }] = await until(async () => {
        const { body } = await running.client.get(path);
        return body.length > 0 && body;
      }, 'the claim');
      await running.client.patch(new URL(url).pathname, { status: 'revoked' });
      const { code, stderr } = await result;
      assert.equal(code, 75);
      assert.match(stderr, /the claim was lost/);
    });

    // A signal may go to this process alone or, as from systemd and terminals, to all that it has started.
    for (const [whom, signal] of [['it', 'SIGTERM'], ['it', 'SIGHUP'], ['all', 'SIGTERM']]) {
      it(`keeps the claim until the command has cleaned up, if ${signal} is sent to ${whom}; the command can read`, async () => {
        const words = ['-u', running.url, '-t', '4', `cleans up ${name} ${signal} ${whom}`];
        const command = 'trap "told=1" TERM; read word; echo "$word"; until [ "$told" ]; do sleep 0.1; done; sleep 6; echo done; exit 3';
        const first = spawn(script, [...words, 'sh', '-c', command], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
        let printed = '';
        first.stdout.on('data', (chunk) => {
          printed += chunk;
        });
        first.stdin.end('begins\n');
        await once(first.stdout, 'data');
        const second = runHolding(script, words, 'true').then(() => printed);
        process.kill(whom === 'all' ? -first.pid : first.pid, signal);
        assert.deepEqual(await once(first, 'close'), [3, null]);
        assert.equal(await second, 'begins\ndone\n');
      });
    }

    it('asks again if the answer to its first request is lost: the command runs, and no claim is left', async () => {
      const resource = `lost answer ${name}`;
      let lost = 0;
      const gateway = http.createServer((request, response) => {
        const { method, url, headers } = request;
        request.pipe(http.request(running.url + url, { method, headers, agent: false }, (answer) => {
          if (method === 'POST' && (lost += 1) <= 2) request.socket.resetAndDestroy();
          else answer.pipe(response.writeHead(answer.statusCode, answer.headers));
        }));
      }).listen(0, '127.0.0.1');
      await once(gateway, 'listening');
      try {
        const { code, stdout } = await runHolding(script, ['-u', `http://127.0.0.1:${gateway.address().port}`, resource], 'echo done');
        assert.deepEqual([code, stdout], [0, 'done\n']);
        const { body } = await running.client.get(`/v1/claims/?resource=${encodeURIComponent(resource)}`);
        assert.deepEqual(body.map(({ status }) => status), ['released']);
      } finally {
        gateway.closeAllConnections();
        gateway.close();
      }
    });

    it('what is no address is asked once', async () => {
      const { code, stderr } = await runHolding(script, ['-u', 'htp://localhost:1', 'a'], 'echo done');
      assert.equal(code, 75);
      assert.equal(stderr.match(/^with-claim: /gm)?.length, 1, stderr);
      // curl says why, once for each attempt.
      assert.ok(stderr.trim().split('\n').length <= 2, stderr);
    });

    it('leaves the queue when it is interrupted', async () => {
      const held = `held ${name}`;
      await running.client.claim(held);
      const count = async (status) => (
        (await running.client.get(`/v1/claims/?resource=${encodeURIComponent(held)}&status=${status}`)).body.length);
      const child = spawn(script, ['-u', running.url, held, 'true'], { stdio: 'ignore', detached: true });
      await until(async () => await count('waiting') === 1, 'the request');
      process.kill(-child.pid, 'SIGTERM');
      await once(child, 'exit');
      await until(async () => await count('aborted') === 1, 'the end of it');
    });

    it('prolongs while the wall clock is set back; two processes of the same place and time are told apart', () => withSetClock(
      async ({ folder, advance, clock, environment }) => {
        const service = await startService({ service: { clock } });
        // Its first five answers are the time, and each later one is an hour earlier.
        await writeFile(join(folder, 'date'), `#!/bin/sh
echo >> "$ASKED"
[ "$(wc -l < "$ASKED")" -gt 5 ] || { echo 1700000000; exit; }
echo 1699996400
`, { mode: 0o755 });
        await writeFile(join(folder, 'hostname'), '#!/bin/sh\necho same\n', { mode: 0o755 });
        const keys = [];
        let renewals = 0;
        service.server.server.on('request', ({ method, url, headers }) => {
          if (method === 'POST' && url.startsWith('/v1/claims/')) keys.push(headers['idempotency-key'].replace(/-\d+-/, '-'));
          if (method === 'PATCH') renewals += 1;
        });
        const DONE = join(folder, 'done');
        const both = ['one', 'two'].map((resource) => runHolding(script, ['-u', service.url, '-t', '90', resource], UNTIL_DONE, {
          ...environment, DONE, ASKED: join(folder, resource),
        }));
        await Promise.all(both.map(({ begun }) => begun));
        // Each is renewed twice: together that is longer than a lease.
        for (const count of [2, 4]) {
          advance(50);
          await until(() => renewals === count, `${count} renewals`);
        }
        await writeFile(DONE, '');
        const end = { code: 0, stdout: 'runs\n', stderr: '' };
        assert.deepEqual(await Promise.all(both), [end, end]);
        for (const resource of ['one', 'two']) {
          const { body } = await service.client.get(`/v1/claims/?resource=${resource}`);
          assert.deepEqual(body.map(({ status }) => status), ['released']);
        }
        assert.equal(new Set(keys).size, 2);
        await service.stop();
      }));

    it('does not run the command if it reads that it has the claim when the claim is already over', () => withSetClock(
      async ({ advance, clock, environment }) => {
        const { client, service, stop, url } = await startService({ service: { clock } });
        const list = async (status) => (await client.get(`/v1/claims/?resource=a&status=${status}`)).body;
        const first = await client.claim('a', 1e6);
        const words = ['-u', url, '-t', '90', 'a', 'echo', 'it has run'];
        const child = spawn(script, words, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...environment } });
        let output = '';
        child.stdout.on('data', (data) => (output += data));
        const ended = once(child, 'close');
        await until(() => service.hub.size === 1, 'the wait');
        const second = await client.claim('a', 1e6);
        // It stands still while its claim becomes active and expires.
        child.kill('SIGSTOP');
        await client.patch(first, { status: 'released' });
        assert.equal((await list('active')).length, 1);
        advance(91);
        await client.claim('another');
        assert.equal(await client.status(second), 'active', 'the next owner');
        child.kill('SIGCONT');
        // It asks again.
        await until(async () => (await list('waiting')).length === 1, 'its next claim');
        assert.equal(output, '');
        await client.patch(second, { status: 'released' });
        const [code] = await ended;
        assert.deepEqual([code, output], [0, 'it has run\n']);
        await stop();
      }));

    it('75 if the claim was lost after its last prolongation; not if it was released by an attempt that lost its answer', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'claims-'));
      for (const [fate, expected] of [['revoked', 75], ['released', 3]]) {
        const resource = `${fate} at last ${name}`;
        const end = join(folder, fate);
        const command = ['sh', '-c', 'echo runs; until [ -e "$0" ]; do sleep 0.02; done; exit 3', end];
        const child = spawn(script, ['-u', running.url, resource, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
        let errors = '';
        child.stderr.on('data', (data) => (errors += data));
        await once(child.stdout, 'data');
        const { body: [{ url }] } = await running.client.get(`/v1/claims/?resource=${encodeURIComponent(resource)}`);
        assert.equal((await running.client.patch(new URL(url).pathname, { status: fate })).status, 204);
        await writeFile(end, '');
        const [code] = await once(child, 'close');
        assert.deepEqual([code, /the claim was lost/.test(errors)], [expected, expected === 75], fate);
      }
      await rm(folder, { recursive: true });
    });

    it('goes to the URL that it was given, with a new header each time; another server than a claims service ends it', async () => {
      const behind = await startService({ server: { baseUrl: 'http://elsewhere.invalid' } });
      const seen = [];
      behind.server.server.on('request', ({ headers }) => seen.push(headers.authorization));
      const env = { ...process.env, CLAIMS_HEADER_COMMAND: 'echo "Authorization: Bearer $$"' };
      await promisify(execFile)(script, ['-u', behind.url, 'a', 'true'], { env });
      assert.ok(seen.length >= 2);
      assert.notEqual(seen[0], seen[1]);
      assert.ok(seen.every((each) => /^Bearer \d+$/.test(each)));
      await behind.stop();
      const other = http.createServer((request, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1');
      await once(other, 'listening');
      const url = `http://127.0.0.1:${other.address().port}`;
      const { code, stderr } = await promisify(execFile)(script, ['-u', url, 'a', 'true']).catch((error) => error);
      assert.equal(code, 75);
      assert.match(stderr, /<html>hello/);
      other.close();
    });
  });
}
