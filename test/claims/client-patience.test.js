/** How long the lock manager over a claims service goes on asking when the service is busy, or cannot be reached. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { createRealm, cut, hold, requestOf, respond, respondForeign, settle } from './support/realm.js';

describe('claims: the patience of the lock manager', () => {
  /** Gives [answers] to the first requests that match, and notes when these were sent. */
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
    it(`429 to ${pattern}: it is sent again, when the service says so`, async () => {
      const realm = createRealm();
      const { times, fail } = first(realm, pattern, busy(), busy(2), busy(0), busy('soon'), busy(1e6));
      const request = requestOf(realm.create({ ttl: 60 }, fail).manager, 'a');
      await realm.advance(14_000);
      assert.ok(request.lock, String(request.error));
      // A sixth of the ttl at most.
      assert.deepEqual(times, [0, 500, 2500, 3000, 3500, 13_500]);
    });
  }

  it('Retry-After may be a date, by the clock of the service, if its answer has one', async () => {
    Date.now = () => 1e12;
    const busyUntil = (ahead, date) => () => respond(503, '{"error":"no"}', {
      'lockkeeper-claims': '1', 'retry-after': new Date((date ?? Date.now()) + ahead).toUTCString(),
      ...(date === undefined ? {} : { date: new Date(date).toUTCString() }),
    });
    const realm = createRealm();
    const { times, fail } = first(realm, /^POST claims/, busyUntil(2000), busyUntil(3000, 2e12), busyUntil(-5000), busyUntil(3_600_000));
    const request = requestOf(realm.create({ ttl: 60 }, fail).manager, 'a');
    await realm.advance(20_000);
    assert.ok(request.lock, String(request.error));
    assert.deepEqual(times, [0, 2000, 5000, 5500, 15_500]);
  });

  it('429 to all waits, and then to all looks: the request is granted', async () => {
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

  it('a service that cannot be reached for less than the patience: it is asked once more at its end', async () => {
    const realm = createRealm();
    const slowly = () => realm.after(40).then(cut);
    const { times, fail } = first(realm, /^POST sessions/, ...Array.from({ length: 10 }, () => slowly));
    const request = requestOf(realm.create({ patience: 3 }, fail).manager, 'a');
    await realm.advance(2999);
    assert.ok(!request.isOver, String(request.error));
    await realm.advance(100);
    assert.deepEqual(times, [0, 540, 1080, 1620, 2160, 2700, 3000]);
    assert.match(String(request.error), /^NetworkError: .* for 3 s: there is no network\.$/);
  });

  const OPENSSL = 'C0D7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl/ssl3_record.c:354:\n';
  for (const [title, cause, reason] of [
    ['the error is OpenSSL\'s', new Error(OPENSSL), 'SSL routines: wrong version number'],
    ['several addresses were tried', new AggregateError([new Error('no ::1'), new Error('no 127.0.0.1')]), 'no ::1, no 127.0.0.1'],
    ['there is no cause', undefined, 'fetch failed'],
  ]) {
    it(`a service that cannot be reached, and ${title}: the error says why, on one line`, async () => {
      const fail = () => Promise.reject(new TypeError('fetch failed', { cause }));
      const request = requestOf(createRealm().create({ patience: 0 }, fail).manager, 'a');
      await settle();
      assert.equal(String(request.error), `NetworkError: The claims service at http://x could not be reached for 0 s: ${reason}.`);
    });
  }

  it('a port that fetch() refuses: the request rejects at once', async () => {
    const fail = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('bad port') }));
    const request = requestOf(createRealm().create({}, fail).manager, 'a');
    await settle();
    assert.match(String(request.error), /^NetworkError: .* fetch\(\) refuses its port\.$/);
  });

  for (const status of [429, 502, 503]) {
    it(`${status}, from a gateway, before the service has ever answered: it is sent again`, async () => {
      const realm = createRealm();
      const { fail } = first(realm, /./, () => respondForeign(status, '<html>'), () => respondForeign(status, '<html>'));
      const request = requestOf(realm.create({}, fail).manager, 'a');
      await realm.advance(1000);
      assert.ok(request.lock, String(request.error));
    });
  }

  /** A machine that is awake for a second in ten minutes. */
  const SLEEPS = {
    'its clock stands still': async ({ advance }) => {
      await advance(1000);
      const { now } = Date;
      Date.now = () => now() + 600_000;
    },
    'its clock goes on': async ({ advance, stall }) => {
      await advance(1000);
      await stall(600_000);
    },
  };
  const { now: realNow } = Date;
  afterEach(() => (Date.now = realNow));
  for (const [title, sleep] of Object.entries(SLEEPS)) {
    it(`a machine that sleeps again and again, and ${title}: a request goes on waiting, though its session ends each time`, async () => {
      const realm = createRealm();
      const holder = await hold(realm.create({ ttl: 1e9 }, (text) => (/^PATCH sessions/.test(text) ? cut() : undefined)).manager, 'a');
      const slowly = (_, send) => realm.after(700).then(send);
      const requests = [requestOf(realm.create().manager, 'a'), requestOf(realm.create({}, slowly).manager, 'a')];
      for (let turn = 0; turn < 400; turn++) await sleep(realm);
      for (const { isOver, error } of requests) assert.ok(!isOver, String(error));
      holder.release();
      await realm.advance(5000);
      const [granted] = requests.filter(({ lock }) => lock);
      granted.release();
      await realm.advance(5000);
      for (const { lock, error } of requests) assert.ok(lock, String(error));
    });

    it(`a machine that sleeps again and again, and ${title}: time without a network counts only while it is awake`, async () => {
      const realm = createRealm();
      let isDown = true;
      const { manager } = realm.create({}, () => (isDown ? cut() : undefined));
      const requests = [requestOf(manager, 'a'), requestOf(manager, 'b')];
      for (let turn = 0; turn < 20; turn++) await sleep(realm);
      for (const { isOver, error } of requests) assert.ok(!isOver, String(error));
      isDown = false;
      await realm.advance(2000);
      for (const { lock } of requests) assert.ok(lock);
      isDown = true;
      const late = requestOf(realm.create({}, cut).manager, 'c');
      for (let turn = 0; turn < 70; turn++) await sleep(realm);
      assert.match(String(late.error), /^NetworkError: .* for 60 s/);
    });
  }

  it('a ttl that is shorter than answers take: the request rejects, and the error says why', async () => {
    const { create, advance, after } = createRealm();
    const request = requestOf(create({ ttl: 0.5 }, (_, send) => after(4000).then(send)).manager, 'a');
    await advance(1_200_000);
    assert.match(String(request.error), /^NetworkError: .* Either the option ttl is too short/);
  });

  it('a request that joins another one, whose session is being made in vain, has its own patience', async () => {
    const { create, advance } = createRealm();
    let isDown = true;
    const { manager } = create({ patience: 10 }, () => (isDown ? cut() : undefined));
    const requests = [];
    const ask = () => requests.push(requestOf(manager, String(requests.length)));
    ask();
    await advance(5000);
    ask();
    await advance(4000);
    ask();
    await advance(1500);
    assert.match(String(requests[0].error), /^NetworkError: .* for 10 s/);
    // Both have waited for less than ten seconds.
    assert.deepEqual(requests.slice(1).map(({ error }) => error), [undefined, undefined]);
    ask();
    await advance(4000);
    isDown = false;
    await advance(1000);
    for (const { lock } of requests.slice(1)) assert.ok(lock);
  });

  it('requests that join one another again and again give up in the end', async () => {
    const { create, advance } = createRealm();
    const { manager } = create({ patience: 10 }, cut);
    const requests = [];
    for (let second = 0; second < 60; second++) {
      requests.push(requestOf(manager, String(second)));
      await advance(1000);
      for (const { isOver } of requests.slice(0, Math.max(0, second - 20))) assert.ok(isOver);
    }
  });
});
