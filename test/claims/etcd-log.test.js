/** The log in etcd, fault by fault. What arrives late or twice changes nothing. If keys are not as they were, nothing is written. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { DataError } from '../../claims/source/log.js';
import { Services } from '../../claims/source/services.js';
import { startLossyProxy } from './support/etcd-single.js';
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

  const start = async ({ level, patience = 3000, ...options } = {}, url = etcd.url) => {
    const service = await startService({
      log: createEtcdLog({ members: [url], prefix, patience, deadline: 1000, level }), service: { heartbeat: 1000, ...options },
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

  it('an operation that was answered 503 is done once or never, and the next one has the key after it', async () => {
    for (const fate of ['lose', 'drop']) {
      let broken = false;
      const rule = (method, request) => (broken && isPut(method, request) ? fate : broken ? 'drop' : 'pass');
      const proxy = await startLossyProxy(etcd.url, rule);
      const service = await start({ patience: 1000 }, proxy.url);
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

  /** A clock that the test moves. The age of this process would count from the moment a server joins, and may be above ten minutes. */
  const clockOf = (offset) => ({ now: () => offset.by, wall: Date.now, observe: () => {}, resume: () => {}, record: () => ({}) });

  it('a server without requests remains one of them: operations that it does not know are not used', async () => {
    const offset = { by: 0 };
    const clock = clockOf(offset);
    const old = await start({ level: 1, heartbeat: Infinity });
    const busy = await start({ clock, heartbeat: Infinity });
    for (const minutes of [6, 12, 18]) {
      offset.by = minutes * 60 * 1000;
      await busy.client.claim(`${minutes}`, 100_000);
      await until(async () => (await batches()).filter((key) => key.includes('batch/0000000001/')).length === minutes / 6, 'a sign of it');
    }
    assert.equal((await busy.client.ask('POST', '/v1/sessions/', { ttl: 60 })).status, 503);
    assert.deepEqual([...old.fatal, ...busy.fatal], []);
  });

  it('batches of a server that was declared gone are void; it joins again, and its requests are done once', async () => {
    const offset = { by: 0 };
    const [idle, busy] = [await start({ clock: clockOf({ by: 0 }) }), await start({ clock: clockOf(offset) })];
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
    // An entry that it puts late under its former id does not count.
    const [key, text] = (await etcd.list(`${prefix}batch/`))[0];
    await etcd.put(key.replace(/\d$/, (digit) => Number(digit) + 1), text.replace('idle 1', 'late'));
    await busy.client.claim('busy 3', 100_000);
    for (const each of [idle, busy]) assert.ok(!(await resources(each)).includes('late'));
    assert.ok((await batches()).length > before.length);
    assert.equal(idle.service.machine.hash(), busy.service.machine.hash());
    assert.deepEqual([...idle.fatal, ...busy.fatal], []);
  });

  /** No client is answered, and nothing is put if something is wrong. */
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
    // It would continue from nothing, with the same ids and fences.
    await assert.rejects(start(), /So no server starts with it/);
    assert.deepEqual((await etcd.list(prefix)).map(([key]) => key), [`${prefix}format`]);
  });

  it('its own last entry is gone, or another one', async () => {
    for (const change of [(key) => etcd.remove(key), (key, text) => etcd.put(key, text)]) {
      const service = await start();
      await service.client.claim('a');
      const [key, text] = (await etcd.list(`${prefix}batch/`)).at(-1);
      await change(key, text);
      await refuses(service, /the last entry of a server is gone/);
      prefix = `/log/${(prefixes += 1)}/`;
    }
  });

  it('an entry in the middle is gone: a server that starts then refuses', async () => {
    const service = await start();
    for (const name of ['a', 'b', 'c']) await service.client.claim(name);
    const [, second] = await batches();
    await etcd.remove(second);
    await assert.rejects(start(), /batch 2 of server 1 is missing in the log/);
  });

  /** Two servers that can be cut off from etcd, so that they do not find the fault. */
  const startTwo = async () => {
    const isCut = { one: false, two: false };
    const servers = {};
    for (const name of ['one', 'two']) {
      const proxy = await startLossyProxy(etcd.url, () => (isCut[name] ? 'drop' : 'pass'));
      // No ticks: each server's entries are what it was asked for, however long that takes.
      servers[name] = await start({ heartbeat: Infinity, patience: 1000 }, proxy.url);
      running.push(proxy);
    }
    return { ...servers, cut: (...names) => names.forEach((name) => (isCut[name] = true)) };
  };

  it('another server\'s last entry is gone: noticed by what the next one has seen', async () => {
    const { one, two, cut } = await startTwo();
    await one.client.claim('a');
    await two.client.claim('b');
    // A list is read from etcd. So the first server has applied b before it puts c, and c says so.
    assert.deepEqual(await resources(one), ['a', 'b']);
    await one.client.claim('c');
    const ofTwo = (await batches()).filter((key) => key.includes('batch/0000000002/'));
    assert.equal(ofTwo.length, 1);
    cut('one', 'two');
    await etcd.remove(ofTwo[0]);
    await assert.rejects(start(), /had read an entry \d+, which is not there/);
  });

  it('another server\'s last entry is gone: a server that has read it refuses', async () => {
    const { one, two, cut } = await startTwo();
    await two.client.claim('b');
    assert.deepEqual(await resources(one), ['b']);
    const [last] = (await batches()).slice(-1);
    assert.match(last, /batch\/0000000002\//);
    cut('two');
    await etcd.remove(last);
    await refuses(one, /the last entry of a server is gone/);
  });

  it('keys that others have put there: refused', async () => {
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

  it('… whatever it is, and in whatever place: said in a sentence, by running and by starting servers', async () => {
    const foreign = [
      ['format', 'hello'], ['format', 'null'], ['checkpoint', 'hello'], ['checkpoint', '{}'],
      ['batch', '{"now":1,"token":"x"}'], ['join', '{"now":1}'],
    ];
    for (const [kind, text] of foreign) {
      prefix = `/log/${(prefixes += 1)}/`;
      const service = await start();
      await service.client.claim('a');
      const key = { batch: `${(await batches())[0].slice(0, -1)}2`, join: `${prefix}join/0000000002` }[kind] ?? `${prefix}${kind}`;
      await etcd.put(key, text);
      const answer = await service.client.get('/v1/claims/').catch(() => ({ status: 0 }));
      assert.notEqual(answer.status, 200, key);
      assert.ok(service.fatal[0] instanceof DataError, `${key}: ${service.fatal[0]?.stack}`);
      await assert.rejects(start(), (error) => (
        error instanceof DataError && /not written by this service|not what it had read/.test(error.message)));
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
    // It is the deputy, which waits until the state has changed twice as often.
    const path = await other.client.claim('b');
    await until(async () => {
      await other.client.patch(path, { ttl: 60 });
      return await pointer() !== own;
    }, 'another checkpoint');
    await resources(service);
    release();
    await service.stop();
    proxy.stop();
    assert.deepEqual([service.failures, service.fatal], [[], []]);
  });

  it('a server that has read only a part of a checkpoint\'s entries writes none in its place', async () => {
    let rule = () => 'pass';
    const proxy = await startLossyProxy(etcd.url, (...question) => rule(...question));
    const slow = await start({ patience: 500 }, proxy.url);
    await slow.client.claim('first');
    const quick = await start();
    await slow.client.get('/v1/claims/');
    rule = () => 'drop';
    for (let turn = 0; turn < 40; turn += 1) await quick.client.claim(`more ${turn}`);
    const { orderer } = quick.service;
    await orderer.checkpointing.keep(orderer.place);
    // A page of its entries, and no more.
    let pages = 0;
    const isRead = (method, { success = [] }) => method === 'Txn' && success.some(({ request_range: range }) => range);
    rule = (method, request) => (!isRead(method, request) || (pages += 1) === 1 ? 'pass' : 'drop');
    const { service: { orderer: behind } } = slow;
    await until(() => pages > 1 && behind.log.kept() === orderer.log.kept(), 'a read');
    assert.ok(behind.place < orderer.log.kept());
    await behind.checkpointing.keep(behind.place);
    const [[, pointer]] = await etcd.list(`${prefix}checkpoint`);
    assert.equal(JSON.parse(pointer).place, orderer.log.kept());
    rule = () => 'pass';
    const third = await start();
    await until(async () => (await slow.client.get('/healthz')).status === 200, 'the recovery');
    for (const each of [slow, quick, third]) assert.equal((await resources(each)).length, 41);
    proxy.stop();
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

  it('with more servers than one transaction can read, the most silent one is given up', () => {
    const services = new Services();
    for (let id = 1; id <= 64; id += 1) services.join(id, id, id);
    services.accept(1, 1, 65, { now: 100, operations: [] });
    services.join(65, 66, 100);
    assert.equal(services.members.size, 64);
    assert.ok(services.members.has(1) && !services.members.has(2));
    assert.equal(services.accept(2, 1, 67, { now: 100, operations: [] }), false);
    // It does not come back without a request, or it and the next one would supplant each other for ever.
    assert.equal(services.isSilent(2), false);
    services.accept(3, 1, 68, { now: 100, operations: [], leaving: true });
    assert.deepEqual([services.isSilent(2), services.isSilent(1)], [true, false]);
  });
});
