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
import { CLIENTS, scriptOf } from './support/examples.js';
import { startService, until } from './support/service.js';

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

    const run = (...words) => promisify(execFile)(script, ['-u', running.url, ...words]).then(() => ({ code: 0 }), (error) => error);

    it('runs commands one at a time, prolongs, releases, passes the status on', async () => {
      const work = 'echo in; sleep 2.4; echo out';
      const resource = `a "b" \\c ${name}`;
      const results = await Promise.all([run('-t', '6', resource, 'sh', '-c', work), run(resource, 'sh', '-c', `${work}; exit 7`)]);
      assert.deepEqual(results.map(({ code }) => code), [0, 7]);
      const { body } = await running.client.get(`/v1/claims/?resource=${encodeURIComponent(resource)}`);
      assert.deepEqual(body.map(({ status }) => status), ['released', 'released']);
      assert.ok(body[1].waiting_duration >= 2, 'the second has waited for the first');
      assert.equal(typeof body[0].user_data.process, 'number');
    });

    it('stops the command when the claim is lost', async () => {
      const result = run('-t', '6', `lost ${name}`, 'sh', '-c', 'exec sleep 60');
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

    it('prolongs while the wall clock is set back, and two of the same place and time are not taken for one', async () => {
      // Its first five answers are the time, and each later one is an hour earlier.
      const folder = await mkdtemp(join(tmpdir(), 'claims-'));
      await writeFile(join(folder, 'date'), `#!/bin/sh
echo >> "$ASKED"
[ "$(wc -l < "$ASKED")" -gt 5 ] || { echo 1700000000; exit; }
echo 1699996400
`, { mode: 0o755 });
      await writeFile(join(folder, 'hostname'), '#!/bin/sh\necho same\n', { mode: 0o755 });
      const seen = [];
      const note = ({ method, url, headers }) => {
        if (method === 'POST' && url.startsWith('/v1/claims/')) seen.push(headers['idempotency-key'].replace(/-\d+-/, '-'));
      };
      running.server.server.on('request', note);
      const use = (asked) => promisify(execFile)(script, ['-u', running.url, '-t', '6', `set back ${name} ${asked}`, 'sleep', '3'], {
        env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, ASKED: join(folder, asked) },
      });
      const results = await Promise.allSettled([use('one'), use('two')]);
      running.server.server.off('request', note);
      assert.deepEqual(results.map(({ status, reason }) => reason ?? status), ['fulfilled', 'fulfilled']);
      for (const asked of ['one', 'two']) {
        const { body } = await running.client.get(`/v1/claims/?resource=${encodeURIComponent(`set back ${name} ${asked}`)}`);
        assert.deepEqual(body.map(({ status }) => status), ['released']);
      }
      assert.equal(new Set(seen).size, 2);
      await rm(folder, { recursive: true });
    });

    it('does not run the command if it reads that it has the claim when that is over', async () => {
      const resource = `late ${name}`;
      const list = async (status) => (
        (await running.client.get(`/v1/claims/?resource=${encodeURIComponent(resource)}&status=${status}`)).body);
      const first = await running.client.claim(resource);
      const child = spawn(script, ['-u', running.url, '-t', '3', resource, 'echo', 'it has run'], { stdio: ['ignore', 'pipe', 'ignore'] });
      let output = '';
      child.stdout.on('data', (data) => (output += data));
      let code;
      child.on('close', (status) => (code = status));
      await until(() => running.service.hub.size === 1, 'the wait');
      const second = await running.client.claim(resource);
      // It stands still while its claim becomes active and expires.
      child.kill('SIGSTOP');
      await running.client.patch(first, { status: 'released' });
      await until(async () => await running.client.status(second) === 'active', 'the next owner');
      child.kill('SIGCONT');
      // It asks again.
      await until(async () => (await list('waiting')).length === 1, 'its next claim');
      assert.equal(output, '');
      await running.client.patch(second, { status: 'released' });
      await until(() => code !== undefined, 'its end');
      assert.deepEqual([code, output], [0, 'it has run\n']);
    });

    it('75 if the claim was lost after it was last prolonged; not if it was released by an attempt whose answer was lost', async () => {
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

    it('goes to the URL that it was given, with a header that is made anew; what is no claims service ends it', async () => {
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
