/** The credentials of the lock manager over a claims service are refused: they may have expired, and headers() may give new ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRealm, hold, requestOf, respond } from './support/realm.js';

describe('claims: the credentials of the lock manager', () => {
  /** headers() that gives a new token whenever it is called, and a service that refuses the first [count] requests that match. */
  const refusing = (pattern, count, status) => {
    let tokens = 0;
    const refused = [];
    const headers = () => ({ authorization: `token ${++tokens}` });
    const fail = (text, _, how) => {
      if (!pattern.test(text) || refused.length === count) return undefined;
      refused.push(how.headers.get('authorization'));
      return respond(status);
    };
    return { headers, fail, refused };
  };

  for (const status of [401, 403]) {
    for (const [title, membersOf] of [
      ['in Node', () => ({})], ['in a browser', (now) => ({ WorkerGlobalScope: Object, performance: { now } })],
    ]) {
      it(`${status} to a request that waits ${title}: it is sent again, with new headers, and goes on waiting`, async () => {
        const { create, advance, now } = createRealm();
        const holder = await hold(create().manager, 'a');
        const { headers, fail, refused } = refusing(/^GET claims/, 1, status);
        const waiting = requestOf(create({ headers }, fail, membersOf(now)).manager, 'a');
        await advance(60_000);
        assert.ok(!waiting.isOver, String(waiting.error));
        assert.equal(refused.length, 1);
        holder.release();
        await advance(2000);
        assert.ok(waiting.lock);
      });
    }

    it(`${status} twice in a row to a request that waits: final; at once if the headers are always the same`, async () => {
      for (const isMade of [true, false]) {
        const { create, advance, service } = createRealm();
        await hold(create().manager, 'a');
        const { headers, fail, refused } = refusing(/^GET claims/, 2, status);
        const waiting = requestOf(create(isMade ? { headers } : {}, fail).manager, 'a');
        await advance(2000);
        assert.match(String(waiting.error), new RegExp(`answered ${status}`));
        assert.equal(new Set(refused).size, isMade ? 2 : 1);
        assert.equal(refused.length, isMade ? 2 : 1);
        assert.deepEqual(service.statuses('a'), ['active', 'aborted']);
      }
    });
  }

  for (const pattern of [/^POST sessions/, /^POST claims/]) {
    it(`401 to ${pattern}: it is sent again, with new headers`, async () => {
      for (const count of [1, 2]) {
        const { create, advance, service } = createRealm();
        const { headers, fail, refused } = refusing(pattern, count, 401);
        const request = requestOf(create({ headers }, fail).manager, 'a');
        await advance(1000);
        assert.equal(new Set(refused).size, count);
        if (count === 1) assert.ok(request.lock, String(request.error));
        else assert.match(String(request.error), /answered 401/);
        assert.deepEqual(service.statuses('a'), count === 1 ? ['active'] : []);
      }
    });
  }

  it('403 to a claim: final at once, since the client lacks the right', async () => {
    const { create, advance } = createRealm();
    const { headers, fail } = refusing(/^POST claims/, 1, 403);
    const request = requestOf(create({ headers }, fail).manager, 'a');
    await advance(10);
    assert.match(String(request.error), /answered 403/);
  });
});
