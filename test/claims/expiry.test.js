/** The clients in shell and Python when credentials, claims or sessions end: while they wait, hold and release. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { CLIENTS, UNTIL_DONE, scriptOf } from './support/examples.js';
import { DUE, LATE, RELEASE, RENEWAL, WAIT, assertLostInTime, statusesOf, withHolding } from './support/holding.js';
import { startService, until } from './support/service.js';

/** The service's own temporary refusals. */
const TEMPORARY = [401, 403, 429, 503].map((status) => [status, '{"error":"not now"}', true]);

for (const [name, needed] of Object.entries(CLIENTS)) {
  const withAll = (use) => withHolding(scriptOf(name), use);

  describe(`claims: ${name} when something ends`, function () {
    this.timeout(60_000);
    before(function () {
      if (spawnSync(needed, ['--version']).error) this.skip();
    });

    /** [answer] to the first [count] requests that match; counts them. */
    const refuse = (gateway, pattern, count, answer) => {
      const refused = { count: 0 };
      gateway.fail = (asked) => (pattern.test(asked) && refused.count < count && (refused.count += 1) ? answer : undefined);
      return refused;
    };

    it('401, 403, 429 and 503 to three renewals: the lock is kept', () => Promise.all(TEMPORARY.map((answer) => withAll(
      async ({ gateway, service, time, run, renewals, done }) => {
        const refused = refuse(gateway, RENEWAL, 3, answer);
        const result = run(UNTIL_DONE);
        await result.begun;
        time.advance(DUE);
        await renewals(4);
        await done();
        assert.deepEqual(await result, { code: 0, stdout: 'runs\n', stderr: '' }, String(answer));
        assert.deepEqual([refused.count, await statusesOf(service)], [3, ['released']], String(answer));
      }))));

    it('401 to all renewals: the lock is lost before others can have it', () => withAll(
      async (all) => {
        refuse(all.gateway, RENEWAL, Infinity, TEMPORARY[0]);
        await assertLostInTime(all);
      }));

    it('a command that prints a header hangs: the lock is lost before others can have it', () => withAll(
      async ({ gateway, service, time, run }) => {
        const HANGS = join(time.folder, 'hangs');
        const hang = ': > "$HANGS.now"; while [ -e "$HANGS" ]; do sleep 0.1; done; exit 1';
        const result = run('echo runs; exec sleep 60', {
          HANGS, CLAIMS_HEADER_COMMAND: `[ ! -e "$HANGS" ] || { ${hang}; }; echo "X-A: b"`,
        });
        await result.begun;
        await writeFile(HANGS, '');
        const next = await service.client.claim('a');
        const before = gateway.asked.length;
        time.advance(DUE);
        await until(() => existsSync(`${HANGS}.now`), 'the renewal');
        time.advance(LATE - DUE);
        // A hanging command may hold the output open.
        const [code] = await result.ended;
        assert.deepEqual([code, await service.client.status(next), gateway.asked.length], [75, 'waiting', before]);
        await rm(HANGS);
        assert.match((await result).stderr, /the claim was lost/);
      }));

    it('401 to a wait: another header is requested, and the command waits on', () => withAll(async ({ gateway, service, run }) => {
      const first = await service.client.claim('a');
      const refused = refuse(gateway, WAIT, 1, TEMPORARY[0]);
      const result = run('echo runs', { CLAIMS_HEADER_COMMAND: 'echo "X-A: b"' });
      await until(() => gateway.asked.filter((asked) => WAIT.test(asked)).length === 2, 'the second wait');
      await service.client.patch(first, { status: 'released' });
      assert.deepEqual(await result, { code: 0, stdout: 'runs\n', stderr: '' });
      assert.equal(refused.count, 1);
    }));

    it('401 to all waits: the command does not run, and leaves the queue', () => withAll(async ({ gateway, service, run }) => {
      await service.client.claim('a');
      refuse(gateway, WAIT, Infinity, TEMPORARY[0]);
      const { code, stdout } = await run('echo runs');
      assert.deepEqual([code, stdout, await statusesOf(service)], [75, '', ['active', 'aborted']]);
    }));

    it('401 to a release: it is repeated', () => withAll(async ({ gateway, service, run }) => {
      refuse(gateway, RELEASE, 1, TEMPORARY[0]);
      assert.equal((await run('true', { CLAIMS_HEADER_COMMAND: 'echo "X-A: b"' })).code, 0);
      assert.deepEqual(await statusesOf(service), ['released']);
    }));

    it('a service that has lost its data does not know the waiting claim: another one is made', () => withAll(
      async ({ gateway, service, run }) => {
        for (const resource of ['b', 'c', 'd', 'a']) await service.client.claim(resource);
        const result = run('echo runs');
        await until(() => service.service.hub.size === 1, 'the wait');
        const other = await startService();
        await other.client.claim('a');
        gateway.service = other;
        await service.stop();
        await until(async () => (await statusesOf(other)).length === 2, 'its next claim');
        assert.deepEqual(await statusesOf(other), ['active', 'waiting']);
        await other.client.patch('/v1/claims/1/', { status: 'released' });
        assert.deepEqual(await result, { code: 0, stdout: 'runs\n', stderr: '' });
        assert.deepEqual(await statusesOf(other), ['released', 'released']);
      }));

    it('a service that has lost its data does not know the held claim: no other one is made', () => withAll(
      async ({ gateway, service, time, run }) => {
        for (const resource of ['b', 'c', 'd']) await service.client.claim(resource);
        const result = run('echo runs; exec sleep 60');
        await result.begun;
        const other = await startService();
        gateway.service = other;
        time.advance(DUE);
        assert.equal((await result).code, 75);
        assert.deepEqual(await statusesOf(other), []);
      }));

    it('a claim that expires while it waits, as when the machine sleeps: another one is made', () => withAll(
      async ({ gateway, service, time, run }) => {
        const first = await service.client.claim('a', 1e6);
        // Its waiting_ttl, or its session.
        const kind = name === 'with-claim.sh' ? 'claims/2' : 'sessions/1';
        const result = run('echo runs');
        await until(() => service.service.hub.size === 1, 'the wait');
        const member = name === 'with-claim.sh' ? 'waiting_ttl' : 'ttl';
        await service.client.patch(`/v1/${kind}/`, { [member]: 0.001 });
        time.advance(1);
        await until(async () => (await statusesOf(service)).length === 3, 'its next claim');
        await service.client.patch(first, { status: 'released' });
        assert.deepEqual(await result, { code: 0, stdout: 'runs\n', stderr: '' });
        assert.deepEqual(await statusesOf(service), ['released', 'expired', 'released']);
        assert.ok(gateway.asked.length > 0);
      }));

    it('a machine that was suspended while it held the lock: lost at once, whatever the service says', () => withAll(
      async ({ gateway, time, run }) => {
        const result = run('echo runs; exec sleep 60');
        await result.begun;
        time.advance(3600);
        const { code, stderr } = await result;
        assert.equal(code, 75);
        assert.match(stderr, /the claim was lost/);
        assert.ok(!gateway.asked.some((asked) => RENEWAL.test(asked)), 'it has asked for more time');
      }));
  });
}
