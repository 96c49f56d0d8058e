/** Which answers the lock manager over a claims service believes: not those of a gateway, and not those about another's claim. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRealm, cut, hold, requestOf, respond, respondForeign, settle, silence } from './support/realm.js';

/** What a gateway answers instead of the service. */
const FOREIGN = [
  [404, ''], [404, '{"message":"no Route matched with those values"}'], [404, '{"error":"Not Found"}'], [404, '<html>'], [400, ''],
  [401, '{"message":"Unauthorized"}'], [200, ''], [200, '"ok"'], [200, '{}'], [200, '[]'], [200, '{"url":"http://x/v1/pages/1/"}'], [307, ''],
];
/** Answers of a service that does not mark them. */
const LIKE = [
  [204, ''], [400, '{"error":"Bad Request","status":"400"}'], [400, '{"session":"gone"}'], [403, '{"error":"Forbidden"}'],
  [409, '{"error":"Conflict"}'], [404, '{"error":"There is no claim 2."}'],
];
const CASES = [
  ...FOREIGN.map(([status, text]) => ({ status, text, marks: false })),
  ...[...FOREIGN, ...LIKE].map(([status, text]) => ({ status, text, marks: true })),
];

/** As an older service answers. @param {Promise<{status: number, text: () => Promise<string>}>} answer */
const withoutMark = async (answer) => {
  const { status, text } = await answer;
  return respondForeign(status, await text());
};

describe('claims: the answers that the lock manager believes', () => {
  /** [answer] once, for the first request that matches after arm() was called. */
  const once = (pattern, answer) => {
    let isArmed = false;
    const fail = (text, send) => {
      if (!isArmed || !pattern.test(text)) return undefined;
      isArmed = false;
      return answer(send);
    };
    return Object.assign(fail, { arm: () => (isArmed = true), isArmed: () => isArmed });
  };

  for (const { status, text, marks } of CASES) {
    const title = `${status} ${text || 'without a body'}${marks ? '' : ', beside a service without marks'}`;

    it(`${title}, from a gateway: a release is tried again`, async () => {
      const { create, advance, service } = createRealm({ marks });
      const fail = once(/^PATCH claims/, () => respondForeign(status, text));
      const { manager } = create({}, fail);
      await hold(manager, 'keeps the session');
      const { release } = await hold(manager, 'a');
      fail.arm();
      release();
      await advance(501);
      assert.ok(!fail.isArmed());
      assert.deepEqual(service.statuses('a'), ['released']);
    });

    it(`${title}, from a gateway: a renewal is tried again`, async () => {
      const { create, advance } = createRealm({ marks });
      const fail = once(/^PATCH sessions/, () => respondForeign(status, text));
      const { lock } = await hold(create({}, fail).manager, 'a');
      fail.arm();
      await advance(60_000);
      assert.ok(!fail.isArmed());
      assert.ok(!lock.signal.aborted);
    });

    it(`${title}, from a gateway: a waiting claim is looked at again`, async () => {
      const { create, advance, service } = createRealm({ marks });
      const fail = once(/^GET claims/, () => respondForeign(status, text));
      const { release } = await hold(create().manager, 'a');
      fail.arm();
      const waiting = requestOf(create({}, fail).manager, 'a');
      await advance(2000);
      assert.ok(!fail.isArmed());
      release();
      await advance(1000);
      assert.ok(waiting.lock);
      assert.deepEqual(service.statuses('a'), ['released', 'active']);
    });

    for (const pattern of [/^POST sessions/, /^POST claims .*"b"/]) {
      it(`${title}, from a gateway, at ${pattern}: the request is made again`, async () => {
        const { create, advance, service } = createRealm({ marks });
        const fail = once(pattern, () => respondForeign(status, text));
        const { manager } = create({}, fail);
        (await hold(manager, 'a')).release();
        // Until its session is too old.
        if (pattern.test('POST sessions')) await advance(25_000);
        fail.arm();
        const request = requestOf(manager, 'b');
        await advance(501);
        assert.ok(!fail.isArmed());
        assert.ok(request.lock, String(request.error));
        assert.deepEqual(service.statuses('b'), ['active']);
      });
    }

    it(`${title}, from a gateway, after the service has made the claim: nothing is left of it`, async () => {
      const { create, advance, service } = createRealm({ marks });
      let answers = 0;
      const { manager } = create({ patience: 0 }, (asked, send) => {
        if (!/^POST claims .*"b"/.test(asked)) return undefined;
        return [() => send().then(cut), () => respondForeign(status, text), send][Math.min(answers++, 2)]();
      });
      await hold(manager, 'a');
      const request = requestOf(manager, 'b');
      await advance(5000);
      assert.equal(request.error.name, 'NetworkError');
      assert.deepEqual([answers, service.statuses('b')], [3, ['aborted']]);
    });
  }

  it('query(): 200 [] from a gateway is not taken for the list of a service that marks its answers', async () => {
    const { create, advance } = createRealm();
    const fail = once(/^GET claims .*active/, () => respondForeign(200, '[]'));
    const { manager } = create({}, fail);
    await hold(manager, 'a');
    fail.arm();
    let held;
    void manager.query().then((result) => ({ held } = result));
    await advance(501);
    assert.ok(!fail.isArmed());
    assert.deepEqual(held.map(({ name }) => name), ['a']);
  });

  it('a service that starts anew without its data: the holder is told when it next renews, though another has the same ids', async () => {
    const { create, advance, service } = createRealm();
    const first = await hold(create().manager, 'a');
    service.lose();
    const second = await hold(create().manager, 'a');
    assert.equal(second.lock.fence, first.lock.fence);
    await advance(10_001);
    assert.deepEqual([first.lock.signal.aborted, second.lock.signal.aborted], [true, false]);
    await advance(60_000);
    assert.ok(!second.lock.signal.aborted);
    assert.deepEqual(service.statuses('a'), ['active']);
  });

  for (const [url, base] of [
    ['http://x', 'http://x/v1/'], ['http://x/', 'http://x/v1/'], [' http://x ', 'http://x/v1/'], ['http://x\n', 'http://x/v1/'],
    ['http://x/a', 'http://x/a/v1/'], ['http://x/a/ ', 'http://x/a/v1/'], ['http://x/a?', 'http://x/a/v1/'], ['http://x/a#', 'http://x/a/v1/'],
    ['HTTP:\\\\x\\a\\', 'http://x/a/v1/'], ['https://x:8470/b/a', 'https://x:8470/b/a/v1/'],
    [new URL('http://[::1]:8470'), 'http://[::1]:8470/v1/'],
  ]) {
    it(`the option url ${JSON.stringify(url)}: requests go to ${base}`, async () => {
      const asked = [];
      const fetch = (address) => {
        asked.push(String(address));
        return cut();
      };
      const { manager } = createRealm().create({ url, patience: 0 }, undefined, { fetch });
      await assert.rejects(manager.request('a', () => {}), /could not be reached/);
      assert.deepEqual(asked, [`${base}sessions/`]);
    });
  }

  it('a service that has nothing at the address: the error says what the option url must be', async () => {
    const { manager } = createRealm().create({ url: 'http://x/v1/' }, () => respond(404, '{"error":"There is nothing at this address."}'));
    for (const ask of [() => manager.request('a', () => assert.fail()), () => manager.query()]) {
      await assert.rejects(ask(), /^Error: .* http:\/\/x\/v1\/ has nothing at this path. The option url must be the address of its start/);
    }
  });

  it('a service that starts anew without its latest claim, and gives its session the id again: the first holder is told', async () => {
    const { create, advance, service } = createRealm();
    const { manager } = create();
    const other = await hold(manager, 'keeps the session');
    const first = await hold(manager, 'a');
    service.loseLatest();
    const second = await hold(manager, 'b');
    assert.equal(second.lock.fence, first.lock.fence);
    const third = await hold(create().manager, 'a');
    await advance(60_000);
    assert.deepEqual([first, second, third, other].map(({ lock }) => lock.signal.aborted), [true, false, false, false]);
    assert.match(String(first.error), /^AbortError: The lock on "a" was lost: the service has lost its data\.$/);
    second.release();
    await advance(5000);
    assert.deepEqual([service.statuses('a'), service.statuses('b')], [['active'], ['released']]);
  });

  it('a service that starts anew without its data: a release does not end another\'s claim with the same id', async () => {
    const { create, advance, service } = createRealm();
    const first = await hold(create().manager, 'a');
    service.lose();
    await advance(1000);
    const second = await hold(create().manager, 'a');
    first.release();
    await advance(5000);
    assert.deepEqual(service.statuses('a'), ['active']);
    assert.ok(!second.lock.signal.aborted);
  });

  for (const [title, fail] of [
    ['that had no answer', (send, how) => silence(how)], ['that the network did not take', cut], ['at which it stops', () => respond(503)],
    ['that comes late', (send) => new Promise((resolve) => setTimeout(resolve)).then(send)],
  ]) {
    it(`a service that starts anew without its data during a release, ${title}: it does not end another's claim`, async () => {
      const { create, advance, service } = createRealm();
      let other;
      const { manager } = create({}, (text, send, how) => {
        if (other || !/^PATCH claims/.test(text)) return undefined;
        service.lose();
        other = requestOf(create().manager, 'a');
        return fail(send, how);
      });
      const first = await hold(manager, 'a');
      await advance(1000);
      first.release();
      await settle();
      assert.equal(other.lock.fence, first.lock.fence);
      await advance(30_000);
      assert.deepEqual(service.statuses('a'), ['active']);
      assert.ok(!other.lock.signal.aborted);
    });
  }

  it('a service that starts anew without its data: no claim is made in another\'s session, where it could stay for ever', async () => {
    const { create, advance, service } = createRealm();
    let isDead = false;
    const { manager } = create({}, (_, send, how) => (isDead ? silence(how) : undefined));
    const first = await hold(manager, 'first');
    service.lose();
    const other = await hold(create().manager, 'of another client');
    await advance(1000);
    await hold(manager, 'a');
    assert.ok(first.lock.signal.aborted);
    isDead = true;
    await advance(60_000);
    assert.deepEqual(service.statuses('a'), ['expired']);
    assert.ok(!other.lock.signal.aborted);
  });

  it('a service that starts anew without its data: a renewal does not prolong another\'s session', async () => {
    const { create, advance, service } = createRealm();
    const { lock } = await hold(create().manager, 'a');
    service.lose();
    const isDead = (text) => /^PATCH/.test(text);
    await hold(create({}, (text, send, how) => (isDead(text) ? silence(how) : undefined)).manager, 'a');
    await advance(10_001);
    assert.ok(lock.signal.aborted);
    await advance(20_000);
    assert.deepEqual(service.statuses('a'), ['expired']);
  });

  it('a service that starts anew without its data: a request that waits is not granted by another\'s claim with the same id', async () => {
    const { create, advance, service } = createRealm();
    await hold(create().manager, 'a');
    let lose;
    const lost = new Promise((_, reject) => (lose = () => reject(new TypeError('the connection is closed'))));
    let isLost = false;
    const waiting = requestOf(create({}, (text, send) => (
      text.includes('wait=') && !isLost ? Promise.race([send(), lost]) : undefined)).manager, 'a');
    await advance(1000);
    service.lose();
    const { manager } = create();
    await hold(manager, 'b');
    const second = await hold(manager, 'a');
    isLost = true;
    lose();
    await advance(5000);
    assert.deepEqual([waiting.lock, waiting.isOver], [undefined, false]);
    second.release();
    await advance(2000);
    assert.ok(waiting.lock);
  });

  it('a claim that may have been made, and is refused for good when it is repeated: not asked for again', async () => {
    const { create, advance } = createRealm();
    let answers = 0;
    const { manager, asked } = create({ patience: 0 }, (text) => {
      if (!/^POST claims .*refused/.test(text)) return undefined;
      return answers++ === 0 ? cut() : respond(409, '{"error":"This key was used for another claim."}');
    });
    await hold(manager, 'keeps the session');
    const { result } = requestOf(manager, 'refused');
    await advance(120_000);
    assert.equal((await result).name, 'NetworkError');
    assert.equal(asked.filter((text) => /^POST claims .*refused/.test(text)).length, 2);
  });

  it('headers() that rejects with no error: the message says so', async () => {
    const { create } = createRealm();
    const { manager } = create({ headers: () => Promise.reject() });
    await assert.rejects(manager.request('a', () => {}), { message: 'The option headers: its function failed with undefined.' });
  });

  it('a claim that was made, and is refused when it is repeated, for lack of rights: ended once the client has them again', async () => {
    const { create, advance, service } = createRealm();
    let attempts = 0;
    const loseRights = async (/** @type {() => Promise<unknown>} */ send) => {
      attempts++;
      if (attempts > 1) return respond(403, '{"error":"You may not claim this resource."}');
      await send();
      return cut();
    };
    const { manager } = create({ patience: 0 }, (text, send) => (
      /^POST claims .*made/.test(text) && attempts < 4 ? loseRights(send) : undefined));
    await hold(manager, 'keeps the session');
    const { result } = requestOf(manager, 'made');
    await advance(10_000);
    assert.equal((await result).name, 'NetworkError');
    assert.deepEqual(service.statuses('made'), ['active']);
    await advance(120_000);
    assert.deepEqual(service.statuses('made'), ['aborted']);
  });

  it('a service that is replaced by an older one, which does not mark its answers, and then by a newer one again', async () => {
    const realm = createRealm();
    let isOlder = false;
    const { manager } = realm.create({ patience: 5 }, (_, send) => (isOlder ? withoutMark(send()) : undefined));
    const held = await hold(manager, 'held');
    for (let turn = 0; turn < 4; turn++) {
      isOlder = !isOlder;
      await realm.advance(60_000);
      const { release, result } = await hold(manager, `a ${turn}`);
      release();
      await result;
      assert.deepEqual(realm.service.statuses(`a ${turn}`), ['released']);
    }
    assert.ok(!held.lock.signal.aborted);
  });

  it('query(): a service is replaced by an older one without any claim, and then by a newer one again', async () => {
    const { create, advance, service } = createRealm();
    let isOlder = false;
    const { manager, asked } = create({}, (_, send) => (isOlder ? withoutMark(send()) : undefined));
    const { release, result } = await hold(manager, 'a');
    release();
    await result;
    for (let turn = 0; turn < 2; turn++) {
      isOlder = !isOlder;
      service.lose();
      asked.length = 0;
      let lists;
      void manager.query().then((answer) => (lists = answer));
      await advance(501);
      assert.deepEqual(lists, { held: [], pending: [] });
      assert.equal(asked.length, isOlder ? 4 : 2);
    }
  });

  it('a service that is replaced by an older one: it makes a claim at once in the session that it finds, and nothing is lost', async () => {
    const { create, advance, service } = createRealm();
    let isOlder = false;
    const { manager } = create({ ttl: 3600 }, async (asked, send) => {
      // As 0.2.0: an id or an address and nothing else.
      const isName = !/^POST claims/.test(asked) || /"session":"([^"]*\/)?\d+\/?"/.test(asked);
      const answer = isName ? send() : respond(400, '{"session":"There is no such session, or not any more."}');
      return isOlder ? withoutMark(answer) : answer;
    });
    const held = await hold(manager, 'held');
    isOlder = true;
    const request = requestOf(manager, 'a');
    await advance(100);
    assert.ok(request.lock, String(request.error));
    request.release();
    await advance(100);
    assert.ok(!held.lock.signal.aborted);
    assert.deepEqual(service.statuses('a'), ['released']);
  });

  it('a service that is replaced by an older one: a release and close() are not repeated again and again', async () => {
    for (const closes of [false, true]) {
      const { create, advance, service } = createRealm();
      let isOlder = false;
      const { manager, asked } = create({ ttl: 3600 }, (_, send) => (isOlder ? withoutMark(send()) : undefined));
      await hold(manager, 'keeps the session');
      const { release } = await hold(manager, 'a');
      isOlder = true;
      if (closes) void manager.close();
      else release();
      await advance(10_000);
      assert.deepEqual(service.statuses('a'), ['released']);
      const before = asked.length;
      await advance(300_000);
      assert.equal(asked.length, before);
    }
  });

  it('a release that is refused for long is tried again less and less often', async () => {
    const { create, advance } = createRealm();
    const { manager, asked } = create({}, (text) => (/^PATCH claims/.test(text) ? respond(403) : undefined));
    await hold(manager, 'keeps the session');
    (await hold(manager, 'a')).release();
    await settle();
    await advance(600_000);
    const attempts = asked.filter((text) => /^PATCH claims/.test(text)).length;
    assert.ok(attempts > 8 && attempts < 20, String(attempts));
  });
});
