/** What close() of the lock manager over a claims service leaves behind when the network is slow or away: nothing, in the end. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRealm, cut, hold, requestOf, respond, settle, silence } from './support/realm.js';

describe('claims: the lock manager is closed when the network is slow or away', () => {
  /** Closes it, and notes when that is done. */
  const close = async (manager, advance) => {
    let isClosed = false;
    const closing = manager.close().then(() => (isClosed = true));
    await advance(1001);
    assert.ok(isClosed);
    await closing;
    await settle();
  };

  it('a release that the network does not take for a minute', async () => {
    const { create, advance, service, isKeptAlive } = createRealm();
    let isDown = false;
    const { manager, asked } = create({ ttl: 3600 }, () => (isDown ? cut() : undefined));
    const { result } = await hold(manager, 'a');
    isDown = true;
    await close(manager, advance);
    assert.equal((await result).name, 'AbortError');
    await advance(60_000);
    assert.ok(!isKeptAlive());
    isDown = false;
    await advance(60_000);
    assert.deepEqual(service.statuses('a'), ['released']);
    const before = asked.length;
    await advance(3_600_000);
    assert.equal(asked.length, before);
  });

  it('a release that is refused once', async () => {
    const { create, advance, service } = createRealm();
    let refusals = 0;
    const isRefused = (text) => /^PATCH claims/.test(text) && refusals-- > 0;
    const { manager } = create({ ttl: 3600 }, (text) => (isRefused(text) ? respond(401) : undefined));
    await hold(manager, 'a');
    refusals = 2;
    await close(manager, advance);
    await advance(5000);
    assert.deepEqual(service.statuses('a'), ['released']);
  });

  it('a claim whose answer comes later', async () => {
    const { create, advance, service, isKeptAlive } = createRealm();
    let arrive;
    const { manager } = create({ ttl: 3600 }, (text, send, { signal }) => (arrive || !/^POST claims/.test(text) ? undefined
      : new Promise((resolve, reject) => {
        arrive = () => resolve(send());
        send();
        signal.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError')));
      })));
    const { result } = requestOf(manager, 'a');
    await settle();
    assert.deepEqual(service.statuses('a'), ['active']);
    await close(manager, advance);
    assert.equal((await result).name, 'AbortError');
    arrive();
    await advance(5000);
    assert.ok(!isKeptAlive());
    assert.deepEqual(service.statuses('a'), ['aborted']);
  });

  /** A request whose session is made at once, and the answer comes after so many milliseconds. */
  const beginSlowly = ({ create, after }, milliseconds) => {
    const ends = [];
    const { manager } = create({ ttl: 3600 }, (text, send, { signal }) => {
      if (!/^POST sessions/.test(text)) return undefined;
      const ended = new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError')));
      });
      const answer = send();
      return Promise.race([after(milliseconds).then(() => answer), ended]).finally(() => ends.push(signal.aborted));
    });
    const { result } = requestOf(manager, 'a');
    return { manager, result, ends };
  };

  for (const milliseconds of [500, 1500, 2900]) {
    it(`a session whose answer comes after ${milliseconds} ms: it ends`, async () => {
      const realm = createRealm();
      const { manager, result } = beginSlowly(realm, milliseconds);
      await settle();
      assert.equal(realm.service.sessions(), 1);
      await close(manager, realm.advance);
      assert.equal((await result).name, 'AbortError');
      await realm.advance(3000);
      assert.equal(realm.service.sessions(), 0);
      assert.deepEqual(realm.service.statuses('a'), []);
      assert.ok(!realm.isKeptAlive());
    });
  }

  it('a session whose answer does not come: Node, which waits for it, need not wait for long', async () => {
    const realm = createRealm();
    const { manager, ends } = beginSlowly(realm, 60_000);
    await settle();
    await close(manager, realm.advance);
    await realm.advance(2001);
    assert.deepEqual(ends, [true]);
    assert.ok(!realm.isKeptAlive());
  });

  it('a session for which headers() gives no answer: no request is sent', async () => {
    const { create, advance, isKeptAlive } = createRealm();
    const { manager, asked } = create({ headers: () => new Promise(() => {}) });
    void requestOf(manager, 'a');
    await settle();
    await close(manager, advance);
    await advance(3000);
    assert.deepEqual(asked, []);
    assert.ok(!isKeptAlive());
  });

  it('a service that never answers again: it is asked until the session has ended there, and no longer', async () => {
    const { create, advance } = createRealm();
    let isDown = false;
    const { manager, asked } = create({ ttl: 300 }, () => (isDown ? cut() : undefined));
    await hold(manager, 'a');
    isDown = true;
    await close(manager, advance);
    const early = asked.length;
    await advance(280_000);
    assert.ok(asked.length > early);
    await advance(60_000);
    const late = asked.length;
    await advance(600_000);
    assert.equal(asked.length, late);
  });

  it('nothing was held: no further request is sent', async () => {
    const { create, advance, isKeptAlive } = createRealm();
    const { manager, asked } = create();
    const { release } = await hold(manager, 'a');
    release();
    await settle();
    await close(manager, advance);
    const before = asked.length;
    assert.ok(!isKeptAlive());
    await advance(60_000);
    assert.equal(asked.length, before);
  });

  /** A client beside a holder of the lock a. The service does not answer it when it ends a claim. */
  const withdrawsInVain = async () => {
    const { create, advance, service } = createRealm();
    let isHung = true;
    await hold(create({ ttl: 3600 }).manager, 'a');
    const client = create({ ttl: 3600 }, (text, send, how) => (isHung && /^PATCH claims/.test(text) ? silence(how) : undefined));
    return { ...client, advance, service, answerAgain: () => (isHung = false) };
  };

  it('ifAvailable, and a withdrawal without an answer: the callback is called at once, and close() takes a second', async () => {
    const { manager, answerAgain, advance, service } = await withdrawsInVain();
    const given = [];
    const result = manager.request('a', { ifAvailable: true }, (lock) => {
      given.push(lock);
      return 'not now';
    });
    let settled;
    void result.then((value) => (settled = value));
    await settle();
    assert.deepEqual(given, [null]);
    await close(manager, advance);
    assert.equal(settled, 'not now');
    answerAgain();
    await advance(30_000);
    assert.deepEqual(service.statuses('a'), ['active', 'withdrawn']);
  });

  it('a timeout (drafts), and a withdrawal without an answer: the request is told at once', async () => {
    const { openLog, answerAgain, advance, service } = await withdrawsInVain();
    const outcomes = [];
    const description = { names: ['a'], mode: 'exclusive', ifAvailable: false, wait: 2000 };
    openLog().request(description, (outcome) => outcomes.push(outcome));
    await advance(2001);
    assert.deepEqual(outcomes, ['expired']);
    answerAgain();
    await advance(30_000);
    openLog().leave();
    assert.deepEqual([outcomes, service.statuses('a')], [['expired'], ['active', 'aborted']]);
  });

  for (const [title, pattern] of [['a release', /^PATCH claims/], ['the end of a claim that may have been made', /^POST claims/]]) {
    it(`${title} without an answer: Node, which waits for it, need not wait for long`, async () => {
      const { create, advance, isKeptAlive } = createRealm();
      let hung = 0;
      const { manager } = create({ ttl: 3600 }, (text, send, how) => {
        if (!pattern.test(text)) return undefined;
        hung++;
        return send().then(() => silence(how)).finally(() => hung--);
      });
      requestOf(manager, 'a');
      await settle();
      await close(manager, advance);
      assert.equal(hung, 1);
      await advance(2001);
      assert.equal(hung, 0);
      assert.ok(!isKeptAlive());
    });
  }

  it('a service that takes long to answer the last requests: the claim ends', async () => {
    const { create, advance, service, now } = createRealm();
    let isSlow = false;
    const answers = [];
    const { manager } = create({ ttl: 3600 }, (text, send) => {
      if (!isSlow) return undefined;
      // It does nothing before it answers.
      return new Promise((resolve) => answers.push({ at: now() + 9000, answer: () => resolve(send()) }));
    });
    await hold(manager, 'a');
    isSlow = true;
    await close(manager, advance);
    for (let second = 0; second < 400; second++) {
      await advance(1000);
      for (const { answer } of answers.filter(({ at }) => at <= now())) answer();
    }
    assert.deepEqual(service.statuses('a'), ['released']);
  });

  it('the session ends, too, also if it is no longer used', async () => {
    const { create, advance, service } = createRealm();
    let failures = 0;
    const fail = (text) => (/^DELETE/.test(text) && failures-- > 0 ? cut() : undefined);
    const managers = [0, 1, 2].map(() => create({ ttl: 3600 }, fail).manager);
    for (const [index, manager] of managers.entries()) {
      const { release } = await hold(manager, `name ${index}`);
      if (index === 1) release();
      await advance(1000);
    }
    assert.equal(service.sessions(), 3);
    for (const [index, manager] of managers.entries()) {
      failures = index === 2 ? 10 : 0;
      await close(manager, advance);
      assert.equal(service.sessions(), index === 2 ? 1 : 2 - index);
    }
    await advance(10_000);
    assert.equal(service.sessions(), 0);
    assert.deepEqual(service.statuses('name 0'), ['released']);
  });

  it('a service that has lost its data, or that does not check the session: no session of another client ends', async () => {
    for (const marks of [true, false]) {
      const { create, advance, service } = createRealm({ marks });
      const { manager } = create();
      (await hold(manager, 'a')).release();
      await advance(1000);
      service.lose();
      const other = await hold(create().manager, 'a');
      await close(manager, advance);
      await advance(20_000);
      assert.ok(!other.lock.signal.aborted);
      assert.deepEqual(service.statuses('a'), ['active']);
    }
  });
});
