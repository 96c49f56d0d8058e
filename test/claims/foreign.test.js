/** The clients in shell and Python behind a gateway that answers in the service's place, or when the service has lost its data. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { before, describe, it } from 'mocha';
import { CLIENTS, scriptOf } from './support/examples.js';
import { withGateway } from './support/gateway.js';
import { startService, until } from './support/service.js';

/** What a gateway answers, such as the page on which travellers sign in. */
const FOREIGN = [[200, '<html>Welcome</html>'], [200, '{}'], [204, ''], [302, ''], [404, '{"error":"Not Found"}'], [403, '<html>']];
const RENEWAL = /^PATCH .*"ttl"/;
const RELEASE = /^PATCH .*"released"/;
/** In seconds: six scripts at once on a slow machine renew theirs in time. */
const LEASE = 6;

for (const [name, needed] of Object.entries(CLIENTS)) {
  const script = scriptOf(name);
  const run = (url, ttl, resource, ...command) => promisify(execFile)(script, ['-u', url, '-t', String(ttl), resource, ...command])
    .then(({ stdout }) => ({ code: 0, stdout }), ({ code, stdout, stderr }) => ({ code, stdout, stderr }));
  const list = async ({ client }, resource) => (await client.get(`/v1/claims/?resource=${resource}`)).body;
  const statuses = async (service, resource) => (await list(service, resource)).map(({ status }) => status);

  describe(`claims: ${name} behind a gateway`, function () {
    this.timeout(60_000);
    before(function () {
      if (spawnSync(needed, ['--version']).error) this.skip();
    });

    it('a gateway\'s answer to all renewals: the claim is lost before others can have it', () => Promise.all(FOREIGN.map(
      (answer) => withGateway(async (gateway, service) => {
        gateway.fail = (asked) => (RENEWAL.test(asked) ? answer : undefined);
        const result = run(gateway.url, LEASE, 'a', 'sh', '-c', 'exec sleep 60');
        await until(async () => (await statuses(service, 'a'))[0] === 'active', 'the claim');
        const next = await service.client.claim('a');
        const { code, stderr } = await result;
        assert.deepEqual([code, await service.client.status(next)], [75, 'waiting'], String(answer));
        assert.match(stderr, /the claim was lost/);
      }))));

    it('a gateway\'s answer to one wait, one renewal and one release: each is asked again', () => Promise.all(FOREIGN.map(
      (answer) => withGateway(async (gateway, service) => {
        const patterns = [/^GET .*wait=/, RENEWAL, RELEASE];
        gateway.fail = (asked) => {
          if (!patterns[0]?.test(asked)) return undefined;
          patterns.shift();
          return answer;
        };
        const first = await service.client.claim('a');
        const result = run(gateway.url, LEASE, 'a', 'sh', '-c', 'echo runs; sleep 2.6');
        await until(() => patterns.length === 2, 'the wait');
        await service.client.patch(first, { status: 'released' });
        const { code, stdout, stderr } = await result;
        assert.deepEqual([code, stdout, stderr], [0, 'runs\n', undefined], String(answer));
        assert.deepEqual(patterns, []);
        assert.deepEqual(await statuses(service, 'a'), ['released', 'released']);
      }))));

    it('504 to all long requests: the command waits for its turn, and runs', () => withGateway(async (gateway, service) => {
      gateway.fail = (asked) => (asked.includes('wait=') ? [504, '<html>'] : undefined);
      const first = await service.client.claim('a');
      const result = run(gateway.url, LEASE, 'a', 'echo', 'runs');
      await until(() => gateway.asked.some((asked) => asked.includes('wait=')), 'the wait');
      await service.client.patch(first, { status: 'released' });
      const { code, stdout } = await result;
      assert.deepEqual([code, stdout], [0, 'runs\n']);
    }));

    it('a service that does not mark its answers: the command runs, and its claim is renewed and released', () => withGateway(
      async (gateway, service) => {
        gateway.keepsMarks = false;
        assert.equal((await run(gateway.url, LEASE, 'a', 'sleep', '2.6')).code, 0);
        assert.deepEqual(await statuses(service, 'a'), ['released']);
      }));

    for (const keepsMarks of [true, false]) {
      const title = keepsMarks ? '' : ', and does not mark its answers';

      it(`a service that loses its data${title}: the claim is lost, though another one has its id`, () => withGateway(
        async (gateway, service) => {
          gateway.keepsMarks = keepsMarks;
          const result = run(gateway.url, LEASE, 'a', 'sh', '-c', 'exec sleep 60');
          await until(async () => (await statuses(service, 'a'))[0] === 'active', 'the claim');
          const other = await startService();
          // Both have the first ids.
          const session = await other.client.ask('POST', '/v1/sessions/', { ttl: 60 });
          await other.client.claim('a', null, { session: session.body.url });
          gateway.service = other;
          const { code } = await result;
          assert.equal(code, 75);
          assert.deepEqual(await statuses(other, 'a'), ['active']);
        }));

      it(`a service that loses its data while a command waits${title}: another's claim does not make it run`, () => withGateway(
        async (gateway, service) => {
          gateway.keepsMarks = keepsMarks;
          await service.client.claim('a');
          const result = run(gateway.url, LEASE, 'a', 'echo', 'runs');
          await until(() => service.service.hub.size === 1, 'the wait');
          const other = await startService();
          const session = await other.client.ask('POST', '/v1/sessions/', { ttl: 60 });
          for (const resource of ['b', 'a']) await other.client.claim(resource, null, { session: session.body.url });
          gateway.service = other;
          await service.stop();
          // It makes another claim.
          await until(async () => (await statuses(other, 'a')).length === 2, 'its claim');
          assert.deepEqual(await statuses(other, 'a'), ['active', 'waiting']);
          await other.client.patch('/v1/claims/2/', { status: 'released' });
          const { code, stdout } = await result;
          assert.deepEqual([code, stdout, await statuses(other, 'a')], [0, 'runs\n', ['released', 'released']]);
        }));
    }
  });
}
