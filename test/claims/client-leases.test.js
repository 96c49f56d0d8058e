/** The lease of the lock manager over a claims service: a holder learns in time that its lock may be lost. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createClock } from '../../glue/claims/clock.js';
import { createRealm, cut, hold, requestOf, respond, settle } from './support/realm.js';

describe('claims: the leases of the lock manager', () => {
  /** headers() that does not settle while hanging() says so. */
  const never = (isHanging) => () => (isHanging() ? new Promise(() => {}) : {});

  it('headers() that never settles at a renewal: the lock is lost before its lease is over', async () => {
    const { create, advance } = createRealm();
    let hangs = false;
    const { lock } = await hold(create({ headers: never(() => hangs) }).manager, 'a');
    hangs = true;
    await advance(26_999);
    assert.ok(!lock.signal.aborted);
    await advance(2);
    assert.ok(lock.signal.aborted);
  });

  it('headers() does not settle once, at a claim and at a release: tried again', async () => {
    const { create, advance, service } = createRealm();
    let hangs = 0;
    const { manager } = create({ headers: never(() => hangs-- > 0) });
    await hold(manager, 'keeps the session');
    hangs = 1;
    const request = requestOf(manager, 'a');
    await advance(12_501);
    assert.ok(request.lock);
    hangs = 1;
    request.release();
    await advance(12_501);
    assert.deepEqual(service.statuses('a'), ['released']);
  });

  it('headers() that never settles: the request rejects after its patience', async () => {
    const { create, advance } = createRealm();
    const request = requestOf(create({ headers: never(() => true), patience: 13 }).manager, 'a');
    await advance(25_000);
    assert.match(String(request.error), /^NetworkError: .* for 13 s: the function headers gives none/);
  });

  it('two held claims have the same id, since the service has lost its data in between: both holders are told', async () => {
    const { create, advance, service } = createRealm();
    const { manager } = create();
    await hold(manager, 'x');
    const second = await hold(manager, 'y');
    await advance(1000);
    service.lose();
    await hold(create().manager, 'of another client');
    // In the other client's session.
    requestOf(manager, 'z');
    await advance(60_000);
    assert.ok(second.lock.signal.aborted);
  });

  it('the wall clock is set forward by more than the ttl: the lock is lost, and its claim ends', async () => {
    const { now } = Date;
    let ahead = 0;
    const { create, advance, service } = createRealm();
    Date.now = () => now() + ahead;
    try {
      const { lock } = await hold(create({ ttl: 3600 }).manager, 'a');
      await advance(5000);
      ahead = 2 * 3600_000;
      await advance(5000);
      assert.ok(lock.signal.aborted);
      assert.deepEqual(service.statuses('a'), ['released']);
    } finally {
      Date.now = now;
    }
  });

  it('a thread that stood still for longer than the lease: the loss is told at once, and before a renewal is sent', async () => {
    for (const before of [0, 9999, 10_000]) {
      const { create, advance, stall } = createRealm();
      const isSilent = (text) => before === 10_000 && /^PATCH sessions/.test(text);
      const { manager, asked } = create({}, (text) => (isSilent(text) ? new Promise(() => {}) : undefined));
      const { lock } = await hold(manager, 'a');
      await advance(before);
      const sent = asked.length;
      await stall(30_000);
      assert.ok(lock.signal.aborted);
      assert.deepEqual(asked.slice(sent).filter((text) => /^PATCH sessions/.test(text)), []);
    }
  });

  it('a machine that was suspended, so that its timers stood still: the loss is told within a second', async () => {
    const { now } = Date;
    const { create, advance } = createRealm();
    const { lock } = await hold(create({}, (text) => (/^PATCH sessions/.test(text) ? cut() : undefined)).manager, 'a');
    await advance(500);
    try {
      Date.now = () => now() + 40_000;
      await advance(1000);
      assert.ok(lock.signal.aborted);
    } finally {
      Date.now = now;
    }
  });

  it('what the manager prints has the time of the clock of when the library was loaded, whatever a test has put in its place', async () => {
    const { create, advance } = createRealm({ readWallClock: () => 1e12 });
    const lines = [];
    const { manager } = create({ debug: (line) => lines.push(line) });
    const { now } = Date;
    try {
      Date.now = () => NaN;
      const { release } = await hold(manager, 'a');
      release();
      await advance(1000);
    } finally {
      Date.now = now;
    }
    assert.ok(lines.length > 2);
    for (const line of lines) assert.match(line, /\] 01:46:40\.000 /);
  });

  it('the clock counts the time of a suspension, and neither adjustments nor a wall clock that is set back', () => {
    let [steady, wall] = [0, 1e12];
    const clock = createClock({ readClock: () => steady, readWallClock: () => wall });
    const pass = (ofSteady, ofWall) => {
      steady += ofSteady;
      wall += ofWall;
      return clock();
    };
    assert.deepEqual([pass(100, 100), pass(100, 1000), pass(0, -3_600_000), pass(100, 100)], [100, 200, 200, 300]);
    assert.deepEqual([pass(0, 5000), pass(100, 100), pass(100, 1099)], [5300, 5400, 5500]);
  });

  it('a renewal that is being repeated keeps no process alive when no lock is held', async () => {
    const { create, advance, isKeptAlive } = createRealm();
    const { manager } = create({}, (text) => (/^PATCH sessions/.test(text) ? respond(401) : undefined));
    const { release, result } = await hold(manager, 'a');
    await advance(10_600);
    assert.ok(isKeptAlive());
    release();
    await result;
    assert.ok(!isKeptAlive());
  });

  for (const isKept of [true, false]) {
    const title = isKept ? 'the service gives the same claim' : 'the service refuses it';
    it(`a claim whose session has ended when it is repeated, since its answer was lost; ${title}: made again`, async () => {
      const { create, advance, service } = createRealm();
      let isDown = false;
      let repeats = 0;
      const { manager } = create({ patience: 120 }, (text, send) => {
        if (isDown) return cut();
        if (!/^POST claims/.test(text)) return undefined;
        if (repeats++ === 0) {
          isDown = true;
          return send().then(cut);
        }
        return repeats === 2 && !isKept ? respond(400, '{"session":"There is no such session, or not any more."}') : undefined;
      });
      const request = requestOf(manager, 'a');
      await advance(40_000);
      assert.deepEqual(service.statuses('a'), ['expired']);
      isDown = false;
      await advance(2000);
      assert.ok(request.lock, String(request.error));
      assert.deepEqual(service.statuses('a'), ['expired', 'active']);
    });
  }

  it('a lost lock ends at the service when it can be reached again', async () => {
    const { create, advance, service } = createRealm();
    let isDown = false;
    // The service takes the renewals, but the client gets no answer.
    const { manager } = create({ ttl: 60 }, (text, send) => {
      if (/^PATCH sessions/.test(text)) return send().then(cut);
      return isDown ? cut() : undefined;
    });
    const { lock } = await hold(manager, 'a');
    isDown = true;
    await advance(54_001);
    assert.ok(lock.signal.aborted);
    isDown = false;
    await advance(8000);
    assert.deepEqual(service.statuses('a'), ['released']);
  });

  it('sessions that end at once: a pause between two of them, and a NetworkError when the patience is over', async () => {
    const { create, advance } = createRealm();
    let claims = 0;
    const { manager, asked } = create({ patience: 5 }, (text) => {
      if (!/^POST claims/.test(text)) return undefined;
      // Without pauses the test would never end.
      return ++claims > 100 ? new Promise(() => {}) : respond(400, '{"session":"There is no such session, or not any more."}');
    });
    const request = requestOf(manager, 'a');
    await advance(4000);
    assert.ok(!request.isOver);
    await advance(1000);
    assert.match(String(request.error), /^NetworkError: .* has ended every session within 5 s/);
    assert.ok(asked.length <= 2 * 12, String(asked.length));
  });

  it('sessions that end at once, and patience without end: the console says so, once', async () => {
    const { create, advance } = createRealm();
    const { manager, warnings } = create({ patience: Infinity }, (text) => (
      /^POST claims/.test(text) ? respond(400, '{"session":"There is no such session, or not any more."}') : undefined));
    const request = requestOf(manager, 'a');
    await advance(30_000);
    assert.ok(!request.isOver);
    assert.deepEqual(warnings.map((text) => /ends each session at once.* ttl is too short/.test(text)), [true]);
    void manager.close();
    await settle();
    assert.equal(String(request.error.name), 'AbortError');
  });

  it('claims that are unknown at once, in a session that is renewed: a pause between two of them', async () => {
    const { create, advance } = createRealm();
    let looks = 0;
    const { manager } = create({}, (text) => {
      const [, id] = /^GET claims (\d+)/.exec(text) ?? [];
      if (!id) return undefined;
      return ++looks > 100 ? new Promise(() => {}) : respond(404, `{"error":"There is no claim ${id}."}`);
    });
    await hold(manager, 'a');
    await advance(15_000);
    requestOf(manager, 'a');
    await advance(10_000);
    assert.ok(looks > 10 && looks < 30, String(looks));
  });

  it('a lease or a wait that is longer than a timer can be', async () => {
    const { create, advance } = createRealm();
    const { openLog } = create();
    const outcomes = [];
    openLog().request({ names: ['a'], mode: 'exclusive', ifAvailable: false, hold: 2 ** 31 + 1000 }, (outcome) => outcomes.push(outcome));
    await settle();
    await advance(1000);
    assert.deepEqual(outcomes, ['granted']);
  });
});
