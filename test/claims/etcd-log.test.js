/** The log in etcd, fault by fault: what arrives late or twice changes nothing, and where keys are not as they were nothing is written. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { Services } from '../../claims/source/services.js';
import { startLossyProxy, startSingle } from './support/etcd-single.js';
import { useEtcd } from './support/etcd-use.js';
import { startService, until } from './support/service.js';

describe('claims: the log in etcd', function () {
  this.timeout(120_000);
  let prefix;
  let prefixes = 0;
  let running = [];
  const useOne = useEtcd();
  let etcd;
  beforeEach(() => {
    etcd = useOne();
    prefix = `/log/${(prefixes += 1)}/`;
    running = [];
  });
  afterEach(() => Promise.all(running.map((each) => each.stop())));

  const start = async (options = {}, url = etcd.url) => {
    const service = await startService({
      log: createEtcdLog({ members: [url], prefix, patience: 3000, deadline: 1000 }), service: { heartbeat: 1000, ...options },
    });
    running.push(service);
    return service;
  };
  const isPut = (method, { success = [] }) => method === 'Txn'
    && success.some(({ request_put: put }) => put?.key.toString().startsWith(`${prefix}batch/`));
  const resources = async ({ client }) => (await client.get('/v1/claims/')).body.map(({ resource }) => resource);
  const batches = async () => (await etcd.list(`${prefix}batch/`)).map(([key]) => key);

  it('a put whose answer is lost is done once', async () => {
    let lost = 0;
    const proxy = await startLossyProxy(etcd.url, (method, request) => (isPut(method, request) && (lost += 1) % 2 ? 'lose' : 'pass'));
    const service = await start({}, proxy.url);
    for (const name of ['a', 'b', 'c']) assert.equal((await service.client.post({ resource: name, ttl: 60 })).status, 201);
    assert.deepEqual(await resources(service), ['a', 'b', 'c']);
    assert.ok(lost >= 6);
    proxy.stop();
  });

  it('what was answered 503 is done once or never, and what comes next has the key after it', async () => {
    for (const fate of ['lose', 'drop']) {
      let broken = false;
      const rule = (method, request) => (broken && isPut(method, request) ? fate : broken ? 'drop' : 'pass');
      const proxy = await startLossyProxy(etcd.url, rule);
      const service = await start({}, proxy.url);
      await service.client.claim(`${fate} 1`);
      broken = true;
      assert.equal((await service.client.post({ resource: `${fate} 2`, ttl: 60 })).status, 503);
      broken = false;
      await until(async () => (await service.client.get('/healthz')).status === 200, 'the recovery');
      const next = { resource: `${fate} 3`, ttl: 60 };
      await until(async () => (await service.client.post(next, { 'idempotency-key': fate })).status === 201, 'a claim', 60_000);
      const names = (await resources(service)).filter((name) => name.startsWith(fate));
      assert.deepEqual(names, fate === 'lose' ? ['lose 1', 'lose 2', 'lose 3'] : ['drop 1', 'drop 3']);
      proxy.stop();
    }
  });

  it('an attempt that arrives after its entry was dropped changes nothing', async () => {
    const service = await start({ checkpointEvery: 10 });
    await service.client.claim('first');
    const [[key, text]] = await etcd.list(`${prefix}batch/`);
    await until(async () => {
      await service.client.claim('more');
      return !(await batches()).includes(key);
    }, 'the end of the first entry');
    await etcd.put(key, text);
    await service.client.claim('last');
    const other = await start();
    for (const each of [service, other]) {
      assert.equal((await resources(each)).filter((name) => name === 'first').length, 1);
      assert.deepEqual(each.fatal, []);
    }
    assert.equal(other.service.machine.hash(), service.service.machine.hash());
  });

  it('batches of a server that was declared gone are void; it joins again, and what it was asked for is done once', async () => {
    const clock = (offset) => ({
      now: () => performance.now() + offset.by, wall: Date.now, observe: () => {}, resume: () => {}, record: () => ({}),
    });
    const offset = { by: 0 };
    const [idle, busy] = [await start({ clock: clock({ by: 0 }) }), await start({ clock: clock(offset) })];
    await idle.client.claim('idle 1', 100_000);
    await busy.client.claim('busy 1', 100_000);
    // Log time moves on by more than a server may be silent.
    offset.by = 11 * 60 * 1000;
    await busy.client.claim('busy 2', 100_000);
    const before = await batches();
    await idle.client.claim('idle 2', 100_000);
    assert.deepEqual(await resources(busy), ['idle 1', 'busy 1', 'busy 2', 'idle 2']);
    const joins = (await etcd.list(`${prefix}join/`)).length;
    assert.equal(joins, 3);
    // What it puts late under the id that it had does not count.
    const [key, text] = (await etcd.list(`${prefix}batch/`))[0];
    await etcd.put(key.replace(/\d$/, (digit) => Number(digit) + 1), text.replace('idle 1', 'late'));
    await busy.client.claim('busy 3', 100_000);
    for (const each of [idle, busy]) assert.ok(!(await resources(each)).includes('late'));
    assert.ok((await batches()).length > before.length);
    assert.equal(idle.service.machine.hash(), busy.service.machine.hash());
    assert.deepEqual([...idle.fatal, ...busy.fatal], []);
  });

  /** Nobody is told anything, and nothing is put where something is wrong. */
  const refuses = async (service, words) => {
    const before = await batches();
    const { status } = await service.client.post({ resource: 'into a hole', ttl: 60 }).catch(() => ({ status: 0 }));
    assert.notEqual(status, 201);
    assert.match(String(service.fatal[0]), words);
    assert.deepEqual(await batches(), before);
  };

  it('an emptied prefix: refused at once, and nothing is written', async () => {
    const service = await start();
    await service.client.claim('a');
    await etcd.remove(prefix, `${prefix.slice(0, -1)}0`);
    await refuses(service, /is not what this server has read: its first key is gone/);
    assert.deepEqual(await etcd.list(prefix), []);
  });

  it('its own last entry is gone, or another one', async () => {
    for (const change of [(key) => etcd.remove(key), (key, text) => etcd.put(key, text)]) {
      const service = await start();
      await service.client.claim('a');
      const [key, text] = (await etcd.list(`${prefix}batch/`)).at(-1);
      await change(key, text);
      await refuses(service, /the last entry of this server is gone/);
      prefix = `/log/${(prefixes += 1)}/`;
    }
  });

  it('an entry in the middle is gone: who starts then refuses', async () => {
    const service = await start();
    for (const name of ['a', 'b', 'c']) await service.client.claim(name);
    const [, second] = await batches();
    await etcd.remove(second);
    await assert.rejects(start(), /batch 2 of server 1 is missing in the log/);
  });

  it('another server\'s last entry is gone: noticed by what the next one has seen', async () => {
    // No ticks: each server's entries are what it was asked for, however long that takes.
    const [one, two] = [await start({ heartbeat: Infinity }), await start({ heartbeat: Infinity })];
    await one.client.claim('a');
    await two.client.claim('b');
    // A list is read from etcd. So the first server has applied b before it puts c, and c says so.
    assert.deepEqual(await resources(one), ['a', 'b']);
    await one.client.claim('c');
    const ofTwo = (await batches()).filter((key) => key.includes('batch/0000000002/'));
    assert.equal(ofTwo.length, 1);
    await etcd.remove(ofTwo[0]);
    await assert.rejects(start(), /had read an entry \d+, which is not there/);
  });

  it('what others have put there: refused', async () => {
    const service = await start();
    await service.client.claim('a');
    const [key] = await batches();
    await etcd.put(key.replace(/\d$/, '2'), 'hello');
    await refuses(service, /was not written by this service/);
    prefix = `/log/${(prefixes += 1)}/`;
    const other = await start();
    await other.client.claim('a');
    await etcd.put(`${(await batches())[0].slice(0, -16)}hello`, '{}');
    assert.equal((await other.client.get('/v1/claims/').catch(() => ({ status: 0 }))).status === 200, false);
    assert.match(String(other.fatal[0]), /A key in etcd was not written by this service/);
  });

  it('etcd restored from a copy under running servers: refused, whether or not it has gone on since', async () => {
    const own = await startSingle();
    try {
      for (const later of [0, 50]) {
        const service = await start({}, own.url);
        await service.client.claim('a');
        const copy = own.save();
        await service.client.claim('b');
        await own.restore(copy);
        for (let turn = 0; turn < later; turn += 1) await own.put('/other', 'x');
        const { status } = await service.client.post({ resource: 'c', ttl: 60 }).catch(() => ({ status: 0 }));
        assert.notEqual(status, 201);
        await until(() => service.fatal.length > 0, 'the refusal');
        assert.match(String(service.fatal[0]), /is not what this server has read/);
        const texts = (await own.list(`${prefix}batch/`)).map(([, text]) => text);
        assert.ok(!texts.some((text) => text.includes('"c"')));
        prefix = `/log/${(prefixes += 1)}/`;
      }
    } finally {
      await Promise.all(running.splice(0).map((each) => each.stop()));
      await own.stop();
    }
  });

  it('etcd restored while a server was cut off, and gone on by others since: refused, and not asked for ever', async () => {
    const own = await startSingle();
    let broken = false;
    const proxy = await startLossyProxy(own.url, () => (broken ? 'drop' : 'pass'));
    try {
      // One that has appended, and one that has only read.
      const services = [await start({}, proxy.url), await start({}, proxy.url)];
      await services[0].client.claim('a');
      const copy = own.save();
      await services[0].client.claim('b');
      assert.deepEqual(await resources(services[1]), ['a', 'b']);
      broken = true;
      await own.restore(copy);
      const later = await start({}, own.url);
      const place = services[1].service.orderer.place + 10;
      await until(async () => {
        await later.client.claim('c');
        return later.service.orderer.place > place;
      }, 'more entries than before');
      broken = false;
      for (const { fatal } of services) {
        await until(() => fatal.length > 0, 'the refusal', 5000);
        assert.match(String(fatal[0]), /is not what this server has read/);
      }
    } finally {
      proxy.stop();
      await Promise.all(running.splice(0).map((each) => each.stop()));
      await own.stop();
    }
  });

  it('a server learns of a newer checkpoint before its question about its own is answered', async () => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    let asked = false;
    const proxy = await startLossyProxy(etcd.url, (method, { key }) => {
      if (method !== 'Range' || !running.length || key.toString() !== `${prefix}checkpoint`) return 'pass';
      asked = true;
      return held;
    });
    const pointer = async () => (await etcd.list(`${prefix}checkpoint`))[0]?.[1];
    const log = createEtcdLog({ members: [proxy.url], prefix, deadline: 60_000 });
    const service = await startService({ log, service: { checkpointEvery: 5 } });
    running.push(service);
    while (!asked) await service.client.claim('a');
    const own = await pointer();
    const other = await start({ checkpointEvery: 1 });
    await until(async () => {
      await other.client.claim('b');
      return await pointer() !== own;
    }, 'another checkpoint');
    await resources(service);
    release();
    await service.stop();
    proxy.stop();
    assert.deepEqual([service.failures, service.fatal], [[], []]);
  });

  it('a part of the checkpoint is missing: said, not waited for', async () => {
    const service = await start({ checkpointEvery: 5 });
    await until(async () => {
      await service.client.claim('a');
      return (await etcd.list(`${prefix}checkpoint`)).length > 0;
    }, 'a checkpoint');
    await delay(100);
    await etcd.remove(`${prefix}part/`, `${prefix}part0`);
    await assert.rejects(start(), /A part of the checkpoint .* is missing/);
  });

  it('of more servers than one transaction can read the most silent is let go of', () => {
    const services = new Services();
    for (let id = 1; id <= 64; id += 1) services.join(id, id, id);
    services.accept(1, 1, 65, { now: 100, operations: [] });
    services.join(65, 66, 100);
    assert.equal(services.members.size, 64);
    assert.ok(services.members.has(1) && !services.members.has(2));
    assert.equal(services.accept(2, 1, 67, { now: 100, operations: [] }), false);
  });
});
