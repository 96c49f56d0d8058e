/** How the lock manager over a claims service waits: it leaves connections for its renewals. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRealm, cut, hold, requestOf, respondForeign, settle, silence } from './support/realm.js';

describe('claims: the waits of the lock manager', () => {
  /** fetch() of a browser over HTTP/1.1: six connections to a host for all its tabs. */
  const createConnections = () => {
    const queue = [];
    let free = 6;
    const next = () => {
      while (free > 0 && queue.length > 0) {
        free--;
        const { send, resolve, reject } = queue.shift();
        send().then(resolve, reject).finally(() => {
          free++;
          next();
        });
      }
    };
    return (text, send) => new Promise((resolve, reject) => {
      queue.push({ send, resolve, reject });
      next();
    });
  };
  const browser = (protocol, entries = [{ nextHopProtocol: protocol }]) => (now) => {
    const document = {};
    document.defaultView = { document };
    return { document, performance: { now, getEntriesByName: (name) => (name === 'http://x/v1/sessions/' ? entries : []) } };
  };

  it('a long wait is cut once when it is older than the patience: the service does not count as unreachable', async () => {
    for (const at of [9600, 20_000]) {
      const { create, advance } = createRealm();
      const holder = await hold(create({ ttl: 1e6 }).manager, 'a');
      let lose;
      const { manager } = create({ patience: 10 }, (text, send) => (
        text.includes('wait=') && !lose ? Promise.race([send(), new Promise((_, reject) => (lose = reject))]) : undefined));
      const request = requestOf(manager, 'a');
      await advance(at);
      lose(new TypeError('connection reset'));
      await advance(3000);
      assert.ok(!request.isOver, String(request.error));
      holder.release();
      await advance(1000);
      assert.ok(request.lock);
    }
  });

  for (const [title, limit, end] of [
    ['answers 504 to requests of 20 s', 20_000, () => respondForeign(504, '<html>')],
    ['answers 404 to requests of 20 s', 20_000, () => respondForeign(404, '')],
    ['closes connections after 20 s', 20_000, cut],
    ['forgets connections after 20 s', 20_000, silence],
    ['answers 502 to each long request at once', 0, () => respondForeign(502, '')],
  ]) {
    it(`a gateway that ${title}: a request goes on waiting, and is granted soon`, async () => {
      const { create, advance, after } = createRealm();
      const holder = await hold(create({ ttl: 1e6 }).manager, 'a');
      const warnings = [];
      const { manager, asked } = create({}, (text, send, how) => {
        if (!text.includes('wait=')) return undefined;
        let isCut = false;
        const late = after(limit).then(() => {
          isCut = true;
          return end(how);
        });
        return Promise.race([late, send().then((answer) => (isCut ? silence(how) : answer))]);
      }, { console: { warn: (text) => warnings.push(text) } });
      const request = requestOf(manager, 'a');
      await advance(600_000);
      assert.ok(!request.isOver, String(request.error));
      assert.deepEqual(warnings, []);
      const questions = asked.filter((text) => /^GET claims 2/.test(text)).length;
      assert.ok(questions < 1000, String(questions));
      holder.release();
      await advance(15_000);
      assert.ok(request.lock);
    });
  }

  it('a thread that stood still for longer than its patience while a request waited goes on waiting', async () => {
    const { create, advance, stall } = createRealm();
    const holder = await hold(create({ ttl: 1e6 }).manager, 'a');
    const request = requestOf(create({ ttl: 1e6 }).manager, 'a');
    await advance(1000);
    await stall(70_000);
    await advance(5000);
    holder.release();
    await advance(1000);
    assert.ok(request.lock, String(request.error));
  });

  for (const [title, members] of [
    ['a page', browser('http/1.1')],
    ['a page of another origin, which is not told the protocol', browser('')],
    ['a page that went over HTTP/2 in an earlier network', browser('', [{ nextHopProtocol: 'h2' }, { nextHopProtocol: 'http/1.1' }])],
    ['a page that has cleared its timings', browser('', [])],
    ['a page without timings', (now) => ({ ...browser('')(now), performance: { now } })],
    ['a worker', (now) => ({ ...browser('http/1.1')(now), document: undefined, WorkerGlobalScope: Object })],
  ]) {
    it(`${title}, many waits: renewals and other requests get through, and requests are granted in their order`, async () => {
      const { create, advance, now } = createRealm();
      const { manager, asked } = create({}, createConnections(), members(now));
      const holder = await hold(manager, 'a');
      const waiting = [];
      for (let index = 0; index < 8; index++) {
        waiting.push(requestOf(manager, 'a'));
        await settle();
      }
      await hold(manager, 'free');
      await advance(60_000);
      assert.ok(!holder.lock.signal.aborted);
      assert.deepEqual(asked.filter((text) => text.includes('wait=')), []);
      const granted = [];
      for (const [index, request] of waiting.entries()) {
        (waiting[index - 1] ?? holder).release();
        await advance(1001);
        assert.ok(request.lock);
        granted.push(request.lock.fence);
      }
      assert.deepEqual(granted, [...granted].sort((one, other) => one - other));
    });
  }

  for (const [title, members] of [
    ['a page over HTTP/2', browser('h2')],
    ['a page that went over HTTP/1.1 before', browser('', [{ nextHopProtocol: 'http/1.1' }, { nextHopProtocol: 'h2' }])],
    ['a page over HTTP/3', browser('h3')], ['Node', () => ({})],
  ]) {
    it(`${title}: a request is granted as soon as the lock is released`, async () => {
      const { create, advance, now } = createRealm();
      const { manager, asked } = create({}, undefined, members(now));
      const holder = await hold(manager, 'a');
      const waiting = requestOf(manager, 'a');
      await advance(5000);
      assert.equal(asked.filter((text) => text.includes('wait=')).length, 1);
      holder.release();
      await settle();
      assert.ok(waiting.lock);
    });
  }

  it('query(): a request that is granted meanwhile is not missed, and appears once', async () => {
    const { create, advance } = createRealm();
    const holder = await hold(create().manager, 'a');
    requestOf(create({ clientId: 'second' }).manager, 'a');
    await advance(1000);
    let lists = 0;
    const { manager } = create({}, (text, send) => (
      /^GET claims \?status/.test(text) && ++lists === 1 ? send().finally(holder.release) : undefined));
    const { held, pending } = await manager.query();
    assert.equal(lists, 2);
    assert.deepEqual([held, pending].map((requests) => requests.map(({ clientId }) => clientId)), [['second'], []]);
  });

  it('query(): a thousand locks, of which the first is released meanwhile, are all there', async () => {
    const { create, advance } = createRealm();
    const { manager } = create();
    const requests = Array.from({ length: 1100 }, (_, index) => requestOf(manager, String(index)));
    await advance(0);
    const other = create({}, (text, send) => (/^GET claims .*active/.test(text) ? send().finally(() => {
      requests[0].release();
      return settle();
    }) : undefined)).manager;
    const names = (await other.query()).held.map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name !== '0'), requests.slice(1).map((_, index) => String(index + 1)));
  });
});
