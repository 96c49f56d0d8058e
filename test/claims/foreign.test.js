/** The clients in shell and Python behind a gateway that answers instead of the service, or when the service has lost its data. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, it } from 'mocha';
import { CLIENTS, UNTIL_DONE, scriptOf } from './support/examples.js';
import { DUE, RELEASE, RENEWAL, WAIT, assertLostInTime, statusesOf, withHolding } from './support/holding.js';
import { startService, until } from './support/service.js';

/** What a gateway answers, such as the page on which travellers sign in. */
const FOREIGN = [[200, '<html>Welcome</html>'], [200, '{}'], [204, ''], [302, ''], [404, '{"error":"Not Found"}'], [403, '<html>']];

for (const [name, needed] of Object.entries(CLIENTS)) {
  const withAll = (use) => withHolding(scriptOf(name), use);

  describe(`claims: ${name} behind a gateway`, function () {
    this.timeout(60_000);
    before(function () {
      if (spawnSync(needed, ['--version']).error) this.skip();
    });

    it('a gateway\'s answer to all renewals: the claim is lost before others can have it', () => Promise.all(FOREIGN.map(
      (answer) => withAll(async (all) => {
        all.gateway.fail = (asked) => (RENEWAL.test(asked) ? answer : undefined);
        await assertLostInTime(all, String(answer));
      }))));

    it('a gateway\'s answer to one wait, one renewal and one release: each is asked again', () => Promise.all(FOREIGN.map(
      (answer) => withAll(async ({ gateway, service, time, run, renewals, done }) => {
        const patterns = [WAIT, RENEWAL, RELEASE];
        gateway.fail = (asked) => {
          if (!patterns[0]?.test(asked)) return undefined;
          patterns.shift();
          return answer;
        };
        const first = await service.client.claim('a');
        const result = run(UNTIL_DONE);
        await until(() => patterns.length === 2, 'the wait');
        await service.client.patch(first, { status: 'released' });
        await result.begun;
        time.advance(DUE);
        await renewals(2);
        await done();
        assert.deepEqual(await result, { code: 0, stdout: 'runs\n', stderr: '' }, String(answer));
        assert.deepEqual(patterns, []);
        assert.deepEqual(await statusesOf(service), ['released', 'released']);
      }))));

    it('504 to all long requests: the command waits for its turn, and runs', () => withAll(async ({ gateway, service, run }) => {
      gateway.fail = (asked) => (asked.includes('wait=') ? [504, '<html>'] : undefined);
      const first = await service.client.claim('a');
      const result = run('echo runs');
      await until(() => gateway.asked.some((asked) => asked.includes('wait=')), 'the wait');
      await service.client.patch(first, { status: 'released' });
      const { code, stdout } = await result;
      assert.deepEqual([code, stdout], [0, 'runs\n']);
    }));

    it('a service that does not mark its answers: the command runs, and its claim is renewed and released', () => withAll(
      async ({ gateway, service, time, run, renewals, done }) => {
        gateway.keepsMarks = false;
        const result = run(UNTIL_DONE);
        await result.begun;
        time.advance(DUE);
        await renewals(1);
        await done();
        assert.equal((await result).code, 0);
        assert.deepEqual(await statusesOf(service), ['released']);
      }));

    for (const keepsMarks of [true, false]) {
      const title = keepsMarks ? '' : ', and does not mark its answers';

      it(`a service that loses its data${title}: the claim is lost, though another one has its id`, () => withAll(
        async ({ gateway, service, time, run }) => {
          gateway.keepsMarks = keepsMarks;
          const result = run('echo runs; exec sleep 60');
          await result.begun;
          const other = await startService();
          // Both have the first ids.
          const session = await other.client.ask('POST', '/v1/sessions/', { ttl: 60 });
          await other.client.claim('a', null, { session: session.body.url });
          gateway.service = other;
          time.advance(DUE);
          const { code } = await result;
          assert.equal(code, 75);
          assert.deepEqual([await statusesOf(service), await statusesOf(other)], [['active'], ['active']]);
        }));

      it(`a service that loses its data while a command waits${title}: another's claim does not make it run`, () => withAll(
        async ({ gateway, service, run }) => {
          gateway.keepsMarks = keepsMarks;
          await service.client.claim('a');
          const result = run('echo runs');
          await until(() => service.service.hub.size === 1, 'the wait');
          const other = await startService();
          const session = await other.client.ask('POST', '/v1/sessions/', { ttl: 60 });
          for (const resource of ['b', 'a']) await other.client.claim(resource, null, { session: session.body.url });
          gateway.service = other;
          await service.stop();
          // It makes another claim.
          await until(async () => (await statusesOf(other)).length === 2, 'its claim');
          assert.deepEqual(await statusesOf(other), ['active', 'waiting']);
          await other.client.patch('/v1/claims/2/', { status: 'released' });
          const { code, stdout } = await result;
          assert.deepEqual([code, stdout, await statusesOf(other)], [0, 'runs\n', ['released', 'released']]);
        }));
    }
  });
}
