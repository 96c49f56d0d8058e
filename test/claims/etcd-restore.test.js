/** etcd is restored from a copy under running servers: they stop, and none starts before an operator lets a new incarnation begin. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createEtcd } from '../../claims/source/etcd.js';
import { condemn, readFormat, renewFormat } from '../../claims/source/etcd-format.js';
import { createKeys } from '../../claims/source/etcd-keys.js';
import { Changed } from '../../claims/source/log.js';
import { createEtcdLog } from '../../claims/source/log-etcd.js';
import { startLossyProxy } from './support/etcd-single.js';
import { useEtcd } from './support/etcd-use.js';
import { startService, until } from './support/service.js';

describe('claims: etcd restored under running servers', function () {
  this.timeout(120_000);
  let etcd;
  let prefix;
  let prefixes = 0;
  /** What to stop after the test. */
  let running = [];
  const useOne = useEtcd();
  beforeEach(() => {
    etcd = useOne();
    prefix = `/restored/${(prefixes += 1)}/`;
    running = [];
  });
  afterEach(() => Promise.all(running.map((each) => each.stop())));

  const start = async (url = etcd.url, options = {}) => {
    const log = createEtcdLog({ members: [url], prefix, patience: 2000, deadline: 1000, ...options });
    // No ticks: only the test's requests are put.
    const service = await startService({ log, service: { heartbeat: Infinity } });
    running.push(service);
    return { ...service, log };
  };
  /** In a log from an earlier version, a server that starts then does not find it out. */
  const restore = async (copy) => {
    await etcd.restore(copy);
    await etcd.remove(`${prefix}origin`);
  };
  /** A server with a connection to etcd that can be cut. */
  const startBehind = async () => {
    let broken = false;
    const proxy = await startLossyProxy(etcd.url, () => (broken ? 'drop' : 'pass'));
    const service = await start(proxy.url);
    running.push(proxy);
    return { ...service, cut: () => (broken = true), heal: () => (broken = false) };
  };
  const resources = async ({ client }) => (await client.get('/v1/claims/')).body.map(({ resource }) => resource);
  const refuses = async ({ client, fatal }) => {
    assert.equal((await client.post({ resource: 'into a hole', ttl: 60 }).catch(() => ({ status: 503 }))).status, 503);
    await until(() => fatal.length > 0, 'the refusal', 5000);
    assert.match(String(fatal[0]), /is not what this server has read/);
  };
  /** Other data in the same etcd, so that its revision is soon higher than before. */
  const goOn = async () => {
    for (let turn = 0; turn < 50; turn += 1) await etcd.put('/other', 'x');
  };

  for (const [when, later] of [['at once', () => {}], ['later, by a revision higher than the last one', goOn]]) {
    it(`found ${when}`, async () => {
      const service = await start();
      await service.client.claim('a');
      const copy = etcd.save();
      await service.client.claim('b');
      await etcd.restore(copy);
      await later();
      await refuses(service);
      const texts = (await etcd.list(`${prefix}batch/`)).map(([, text]) => text);
      assert.ok(texts.length > 0 && !texts.some((text) => text.includes('into a hole')));
    });
  }

  it('found by servers that were cut off meanwhile, whether they had appended or only read', async () => {
    const services = [await startBehind(), await startBehind()];
    await services[0].client.claim('a');
    const copy = etcd.save();
    await services[0].client.claim('b');
    assert.deepEqual(await resources(services[1]), ['a', 'b']);
    for (const { cut } of services) cut();
    await restore(copy);
    const later = await start();
    const place = services[1].service.orderer.place + 10;
    await until(async () => {
      await later.client.claim('c');
      return later.service.orderer.place > place;
    }, 'more entries than before');
    for (const { heal } of services) heal();
    for (const service of services) await refuses(service);
  });

  it('a server that has only read what others put since the copy never says that it still holds', async () => {
    const reader = await startBehind();
    const writer = await startBehind();
    const copy = etcd.save();
    const lost = await writer.client.claim('a', 1000);
    assert.equal(await reader.client.status(lost), 'active');
    // The writer will not find out, and so does not tell the reader.
    writer.cut();
    reader.cut();
    await writer.stop();
    await restore(copy);
    await goOn();
    const later = await start();
    assert.equal((await later.client.post({ resource: 'a', ttl: 1000 })).status, 201);
    reader.heal();
    const { status } = await reader.client.get(lost).catch(() => ({ status: 0 }));
    assert.notEqual(status, 200);
    await refuses(reader);
  });

  it('no server starts, and one that has started meanwhile stops, until a new incarnation has begun', async () => {
    const [witness, lingering] = [await startBehind(), await startBehind()];
    await witness.client.claim('a', 1000);
    const copy = etcd.save();
    const lost = await witness.client.claim('b', 1000);
    await resources(lingering);
    witness.cut();
    lingering.cut();
    await restore(copy);
    // As a platform restarts it: nothing tells it that something is missing.
    const hasty = await start();
    assert.equal((await hasty.client.get(lost)).status, 404);
    witness.heal();
    await refuses(witness);
    await refuses(hasty);
    await assert.rejects(start(), /A server has found .* is not what it had read: .* So no server starts with it/);
    await assert.rejects(start(), /--new-incarnation/);

    const operator = await start(etcd.url, { evenIfChanged: true });
    await operator.service.incarnate();
    await operator.stop();
    await operator.log.renew();
    const again = await start();
    const next = await again.client.claim('b', 1000);
    assert.match(next, /\/109951\d+\/$/);
    // A server that finds out only now stops itself alone.
    lingering.heal();
    await refuses(lingering);
    assert.equal(await again.client.status(next), 'active');
    assert.deepEqual(again.fatal, []);
    assert.equal(await (await start()).client.status(next), 'active');
  });

  it('while no server ran: the one that starts finds it, and none starts until a new incarnation has begun', async () => {
    const first = await start();
    await first.client.claim('a', 1000);
    await first.stop();
    const copies = [etcd.save()];
    // Nothing has happened.
    const second = await start();
    const lost = await second.client.claim('b', 1000);
    await second.stop();
    for (const renewed of [false, true]) {
      await etcd.restore(copies.pop());
      for (const options of [{}, {}]) {
        await assert.rejects(start(etcd.url, options), (error) => error instanceof Changed && /restored from a copy/.test(error.message));
      }
      const operator = await start(etcd.url, { evenIfChanged: true });
      await operator.service.incarnate();
      await operator.stop();
      await operator.log.renew();
      const [one, other] = [await start(), await start()];
      const next = await one.client.claim('b', 1000);
      assert.notEqual(next, lost);
      assert.equal(await other.client.status(next), renewed ? 'waiting' : 'active');
      await one.stop();
      await other.stop();
      copies.push(etcd.save());
    }
  });

  it('a log that is another one is not condemned', async () => {
    const client = createEtcd({ members: [etcd.url] });
    const keys = createKeys(prefix);
    try {
      const { format } = await readFormat(client, keys);
      // At the same revision, in another cluster.
      await condemn(client, keys, { ...format, text: '{"format":2,"log":"another"}' }, 'it is another cluster');
      await readFormat(client, keys);
      // Begun anew since it was read.
      await renewFormat(client, keys);
      await condemn(client, keys, format, 'it is older');
      const now = await readFormat(client, keys);
      await condemn(client, keys, now.format, 'it is damaged');
      await assert.rejects(readFormat(client, keys), /had read: it is damaged\. So no server starts/);
      assert.equal((await readFormat(client, keys, true)).format.text, '{"format":3,"changed":"it is damaged"}');
    } finally {
      client.close();
    }
  });
});
