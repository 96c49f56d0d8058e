/** How long the lock manager over a claims service goes on asking when it is busy, or cannot be reached. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRealm, hold, requestOf, respond, respondForeign } from './support/realm.js';

describe('claims: the patience of the lock manager', () => {
  /** [answers] to the first requests that match, and when these were sent. */
  const first = (realm, pattern, ...answers) => {
    const times = [];
    const fail = (text) => {
      if (!pattern.test(text)) return undefined;
      times.push(realm.now());
      return answers.length > 0 ? answers.shift()() : undefined;
    };
    return { times, fail };
  };
  const busy = (seconds) => () => respond(429, '{"error":"You have too many."}', {
    'lockkeeper-claims': '1', ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
  });

  for (const pattern of [/^POST sessions/, /^POST claims/]) {
    it(`429 to ${pattern}: it is asked again, when the service says so`, async () => {
      const realm = createRealm();
      const { times, fail } = first(realm, pattern, busy(), busy(2), busy(0), busy('soon'), busy(1e6));
      const request = requestOf(realm.create({ ttl: 60 }, fail).manager, 'a');
      await realm.advance(14_000);
      assert.ok(request.lock, String(request.error));
      // A sixth of the ttl at most.
      assert.deepEqual(times, [0, 500, 2500, 3000, 3500, 13_500]);
    });
  }

  it('429 to all that wait, and then to those that look: the request is granted', async () => {
    const realm = createRealm();
    const holder = await hold(realm.create({ ttl: 1e6 }).manager, 'a');
    const { times, fail } = first(realm, /^GET claims/, ...Array.from({ length: 10 }, () => busy(1)));
    const request = requestOf(realm.create({}, fail).manager, 'a');
    await realm.advance(12_000);
    assert.ok(!request.isOver, String(request.error));
    assert.ok(times.length > 10);
    holder.release();
    await realm.advance(1000);
    assert.ok(request.lock);
  });

  it('429 for longer than the patience: the request rejects, and the error says why', async () => {
    const { create, advance } = createRealm();
    const request = requestOf(create({ patience: 5 }, (text) => (/^POST claims/.test(text) ? busy(60)() : undefined)).manager, 'a');
    await advance(4999);
    assert.ok(!request.isOver);
    await advance(1);
    assert.match(String(request.error), /^NetworkError: .* for 5 s: it answers 429, \{"error":"You have too many."\}\.$/);
  });

  for (const status of [429, 502, 503]) {
    it(`${status}, from a gateway, before the service has ever answered: it is asked again`, async () => {
      const realm = createRealm();
      const { fail } = first(realm, /./, () => respondForeign(status, '<html>'), () => respondForeign(status, '<html>'));
      const request = requestOf(realm.create({}, fail).manager, 'a');
      await realm.advance(1000);
      assert.ok(request.lock, String(request.error));
    });
  }
});
