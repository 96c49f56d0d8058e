/** The data on disk come back. Damaged data are refused in plain words. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFile, chmod, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, rmdir, stat, statfs, truncate, writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Clock } from '../../claims/source/clock.js';
import { checkJournal } from '../../claims/source/level-journal.js';
import { openLevelLog } from '../../claims/source/log-level.js';
import { Changed, DataError, Unavailable } from '../../claims/source/log.js';
import { createMemoryLog } from '../../claims/source/log-memory.js';
import { createClient, startService, until } from './support/service.js';
import { failToStart, startProcess } from './support/process.js';

describe('claims: the journal', function () {
  this.timeout(60_000);
  let folder;
  let data;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
    data = join(folder, 'data');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const withLevel = async (change) => {
    const level = new ClassicLevel(data, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
    await level.open();
    try {
      return await change(level);
    } finally {
      await level.close();
    }
  };
  const entries = (level) => level.keys({ gte: 'entry/', lt: 'entry0' }).all();
  /** The file with LevelDB's writes since it was opened. */
  const journalFile = async () => join(data, (await readdir(data)).find((name) => name.endsWith('.log')));
  const flip = (bytes, place, bit) => {
    const flipped = Buffer.from(bytes);
    flipped[place] ^= 1 << bit;
    return flipped;
  };
  /** A service that ends as a killed one does: without a checkpoint. */
  const killed = async (work, options) => {
    const running = await startService({ data, service: { checkpointEvery: Infinity, ...options } });
    const result = await work(running.client, running);
    await running.server.close();
    await running.service.orderer.log.close();
    // Now it can write nothing.
    await running.service.stop();
    return result;
  };

  for (const checkpointEvery of [1, 7, Infinity]) {
    it(`all is there after a restart, with a checkpoint after ${checkpointEvery} operations`, async () => {
      const headers = { 'idempotency-key': 'k' };
      let running = await startService({ data, service: { checkpointEvery } });
      const { client } = running;
      const a = await client.claim('a', 1000, { user_data: { x: '\ud800' } });
      const b = await client.claim('a', 2000);
      const c = await client.claim(['b', 'c'], 3000, { mode: 'shared' });
      const d = await client.claim('d', 0.02);
      const e = new URL((await client.post({ resource: 'e', ttl: 5 }, headers)).body.url).pathname;
      await client.patch(c, { ttl: 4000 });
      await client.patch(e, { status: 'aborted' });
      await until(async () => (await client.status(d)) === 'expired', 'the expiry');
      const paths = [a, b, c, d, e];
      const before = await Promise.all(paths.map(async (path) => (await client.get(path)).body));
      await running.stop();
      const hash = running.service.machine.hash();

      running = await startService({ data, service: { checkpointEvery } });
      assert.equal(running.service.machine.hash(), hash);
      const after = await Promise.all(paths.map(async (path) => (await running.client.get(path)).body));
      const timeless = (body) => ({
        ...body, ttl: undefined, active_duration: undefined, waiting_duration: undefined, url: new URL(body.url).pathname,
      });
      assert.deepEqual(after.map(timeless), before.map(timeless));
      assert.ok(after[0].ttl <= before[0].ttl && after[0].ttl > before[0].ttl - 5);
      assert.ok(after[2].ttl > 3990);
      assert.deepEqual([3, 4].map((place) => after[place].active_duration), [3, 4].map((place) => before[place].active_duration));
      assert.equal((await running.client.post({ resource: 'e', ttl: 5 }, headers)).body.status, 'aborted');
      await running.client.patch(a, { status: 'released' });
      assert.equal(await running.client.status(b), 'active');
      assert.equal(new URL((await running.client.post({ resource: 'new', ttl: 1 })).body.url).pathname, '/v1/claims/6/');
      await running.stop();
    });
  }

  it('entries since the checkpoint are replayed, as often as it takes', async () => {
    const paths = [];
    for (let life = 0; life < 4; life += 1) {
      await killed(async (client) => {
        assert.deepEqual(await Promise.all(paths.map(client.status)), paths.map((path, place) => (place === 0 ? 'active' : 'waiting')));
        for (let turn = 0; turn < 5; turn += 1) paths.push(await client.claim('a'));
      });
    }
  });

  it('log time goes on while the service is down, on the same start of the machine', async () => {
    const clock = (boot, time) => new Clock({ boot, monotonic: () => time.now });
    const time = { now: 5000 };
    let running = await startService({ data, service: { clock: clock('one', time) } });
    const path = await running.client.claim('a', 10);
    await running.stop();
    time.now += 4000;
    running = await startService({ data, service: { clock: clock('one', time) } });
    assert.equal((await running.client.get(path)).body.ttl, 6);
    await running.stop();
    // Another start: the clock has begun anew, and it is unknown for how long the machine was off.
    time.now = 100;
    running = await startService({ data, service: { clock: clock('two', time) } });
    assert.equal((await running.client.get(path)).body.ttl, 6);
    time.now += 1000;
    assert.equal((await running.client.get(path)).body.ttl, 5);
    await running.stop();
  });

  it('checkpoints keep the journal short', async () => {
    // An entry counts as one operation more than it holds: there is a checkpoint after every fifth claim.
    await killed(async (client, { service }) => {
      for (let turn = 0; turn < 12; turn += 1) {
        await client.claim(`${turn}`);
        await service.orderer.checkpointing.rest();
      }
    }, { checkpointEvery: 10, heartbeat: Infinity });
    assert.equal((await withLevel(entries)).length, 2);
  });

  it('a torn tail is cut: LevelDB\'s write at the moment of the kill', async () => {
    const first = await killed(async (client) => {
      const path = await client.claim('a');
      await client.claim('a');
      return path;
    });
    const file = await journalFile();
    await truncate(file, (await stat(file)).size - 5);
    const running = await startService({ data });
    assert.equal(await running.client.status(first), 'active');
    assert.equal((await running.client.get('/v1/claims/2/')).status, 404);
    await running.client.claim('a');
    await running.stop();
  });

  it('a flipped bit in LevelDB\'s journal, before its last write: it does not start, and changes no file', async () => {
    let size;
    await killed(async (client) => {
      for (let turn = 0; turn < 4; turn += 1) await client.claim('a');
      ({ size } = await stat(await journalFile()));
      await client.claim('a');
    });
    const file = await journalFile();
    const whole = await readFile(file);
    const names = await readdir(data);
    for (let place = 0; place < size; place += 23) {
      const damaged = flip(whole, place, place % 8);
      await writeFile(file, damaged);
      await assert.rejects(startService({ data }), { name: 'DataError', message: /^The journal is damaged: .* at byte \d+, and later/ });
      assert.deepEqual(await readdir(data), names);
      assert.ok(damaged.equals(await readFile(file)));
    }
    await writeFile(file, whole);
    const running = await startService({ data });
    assert.equal(running.service.register.counts.waiting, 4);
    await running.stop();
  });

  it('the rest of the last write after a crash is cut, wherever that ends and whichever parts of it are there', async () => {
    const sizes = [];
    await killed(async (client) => {
      for (const length of [10, 70_000, 10, 100_000]) {
        await client.claim('a', 1000, { user_data: 'x'.repeat(length) });
        sizes.push((await stat(await journalFile())).size);
      }
    });
    const file = await journalFile();
    const whole = await readFile(file);
    const rest = join(folder, 'rest');
    await rename(data, rest);
    const starts = async (bytes, claims) => {
      await cp(rest, data, { recursive: true });
      await writeFile(file, bytes);
      const running = await startService({ data });
      const { active, waiting } = running.service.register.counts;
      assert.equal(active + waiting, claims);
      await running.stop();
      await rm(data, { recursive: true });
    };
    const cut = join(folder, 'cut');
    await mkdir(cut);
    for (let size = whole.length; size >= 0; size -= 199) {
      await writeFile(join(cut, '000003.log'), whole.subarray(0, size));
      await checkJournal(cut);
      if (size % 23 === 0) await starts(whole.subarray(0, size), sizes.filter((each) => each <= size).length);
    }
    // After a power failure, a later block of a write may be on disk, and an earlier one not.
    await starts(Buffer.from(whole).fill(0, sizes[2] + 100, sizes[2] + 40_000), 3);
    await starts(flip(whole, sizes[2] + 50, 3), 3);
  });

  const damages = {
    'an entry in the middle': [async (level) => {
      const [, second] = await entries(level);
      const bytes = await level.get(second);
      bytes[20] ^= 1;
      await level.put(second, bytes);
    }, /entry 2 is not what was written/],
    'the last entry': [async (level) => {
      const last = (await entries(level)).at(-1);
      const bytes = await level.get(last);
      await level.put(last, bytes.subarray(0, bytes.length - 10));
    }, /entry 3 is not what was written/],
    'an entry is missing': [async (level) => level.del((await entries(level))[1]), /entry 2 is missing/],
    'the first entry is missing': [async (level) => level.del((await entries(level))[0]), /entry 1 is missing/],
  };
  for (const [what, [damage, words]] of Object.entries(damages)) {
    it(`refuses a damaged journal: ${what}`, async () => {
      await killed(async (client) => {
        for (let turn = 0; turn < 3; turn += 1) await client.claim('a');
      });
      await withLevel(damage);
      await assert.rejects(startService({ data }), (error) => error.name === 'DataError' && words.test(error.message));
      // Nothing was changed, and it says so again.
      await assert.rejects(startService({ data }), words);
    });
  }

  describe('a damaged checkpoint', () => {
    let records;
    beforeEach(async () => {
      const { client, stop } = await startService({ data });
      for (const each of ['a', 'b', 'b', ['c', 'd']]) await client.claim(each, 1000, { user_data: 'mine' });
      await client.patch('/v1/claims/1/', { status: 'released' });
      await stop();
      records = await withLevel((level) => level.iterator().all());
    });
    const refuses = (message) => assert.rejects(startService({ data }), { name: 'DataError', message });

    it('refuses one with a flipped bit in any record', async () => {
      assert.deepEqual(records.map(([key]) => key.split('/')[0]), [...Array(4).fill('claim'), 'clock', 'core', 'format', 'state']);
      for (const [key, bytes] of records.filter(([each]) => each !== 'format')) {
        for (let place = 0; place < bytes.length; place += 19) {
          await withLevel((level) => level.put(key, flip(bytes, place, place % 8)));
          await refuses(`The record "${key}" of the data folder is damaged. Nothing was changed; restore the folder from a copy.`);
        }
        await withLevel((level) => level.put(key, bytes));
      }
      const running = await startService({ data });
      assert.equal(await running.client.status('/v1/claims/2/'), 'active');
      await running.stop();
    });

    it('refuses one with a record under another key', async () => {
      const [[key, bytes], [second]] = records;
      await withLevel((level) => level.put(second, bytes));
      await refuses(/record "claim\/.* is damaged/);
      await withLevel((level) => level.batch([key, second].map((each) => ({ type: 'del', key: each }))));
      await refuses(/it has 4 claims, and 2 are there/);
    });

    for (const gone of [['state'], ['core'], ['core', 'state']]) {
      it(`refuses one without ${gone.join(' and ')}`, async () => {
        await withLevel((level) => level.batch(gone.map((key) => ({ type: 'del', key }))));
        await refuses(/The last checkpoint is damaged/);
      });
    }
  });

  it('damaged data that are read only on request: 500, and the answer says so', async () => {
    const log = await openLevelLog(data, { warn: () => {} });
    const running = await startService({ log: { ...log, readClaims: () => Promise.reject(new DataError('damaged')) } });
    const path = await running.client.claim('a');
    await running.client.patch(path, { status: 'released' });
    await running.service.orderer.checkpointing.keep(running.service.orderer.place);
    const answer = await fetch(running.url + path);
    assert.deepEqual([answer.status, await answer.json()], [500, { error: 'The data of the service are damaged; its log says more.' }]);
    await running.stop();
  });

  it('refuses data of a newer or an older version, by the command', async () => {
    const running = await startService({ data });
    await running.client.claim('a');
    await running.stop();
    for (const [format, age] of [[4, 'a newer'], [1, 'an older']]) {
      await withLevel((level) => level.put('format', Buffer.from(JSON.stringify({ format }))));
      const { code, errors } = await failToStart(['--data', data]);
      assert.equal(code, 1);
      const words = `^lockkeeper-claims: .* was written by ${age} version of this service: it has format ${format}, .*\\n$`;
      assert.match(errors, new RegExp(words));
      assert.deepEqual(await withLevel(async (level) => JSON.parse(await level.get('format'))), { format });
    }
  });

  it('refuses a database of another program', async () => {
    await withLevel((level) => level.put('hello', Buffer.from('world')));
    await assert.rejects(startService({ data }), /holds other data/);
  });

  it('two servers on one folder: the second says so, the first goes on', async () => {
    const first = await startProcess(['--data', data]);
    const { code, errors } = await failToStart(['--data', data]);
    assert.equal(code, 1);
    assert.match(errors, /^lockkeeper-claims: .* is in use by another server\. One folder serves one server at a time\.\n$/);
    const response = await fetch(`${first.url}/v1/claims/`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"resource":"a","ttl":1}',
    });
    assert.equal(response.status, 201);
    assert.equal((await first.stop()).code, 0);
  });

  it('a folder that cannot be written', async () => {
    const running = await startService({ data });
    const path = await running.client.claim('a', 1000);
    await running.stop();
    // The superuser may write everywhere, so the user nobody runs the service.
    const uid = process.getuid() === 0 ? 65534 : undefined;
    await chmod(folder, 0o755);
    await chmod(data, 0o555);
    const { code, errors } = await failToStart(['--data', data], { uid });
    assert.equal(code, 1);
    assert.match(errors, /^lockkeeper-claims: .* cannot be written: .*permission denied.*\n$/i);
    await chmod(data, 0o755);
    const again = await startService({ data });
    assert.equal(await again.client.status(path), 'active');
    await again.stop();
  });

  it('a file where the folder should be', async () => {
    await writeFile(data, 'text');
    const { code, errors } = await failToStart(['--data', data]);
    assert.equal(code, 1);
    assert.match(errors, /^lockkeeper-claims: .* cannot be opened: .*\n$/);
    assert.equal(await readFile(data, 'utf8'), 'text');
  });

  it('a folder in folders that are not there yet', async () => {
    const running = await startService({ data: join(data, 'of', 'claims') });
    const path = await running.client.claim('a', 1000);
    assert.equal(await running.client.status(path), 'active');
    await running.stop();
  });

  it('a folder that cannot be made, if the file system says that there is none', async () => {
    for (const each of ['/proc/claims', '/proc/of/claims']) {
      const { code, errors } = await failToStart(['--data', each]);
      assert.equal(code, 1);
      assert.match(errors, new RegExp(`^lockkeeper-claims: ${each} cannot be opened: .*no such file or directory.*\\n$`));
    }
  });

  describe('a folder that changes while the service runs', () => {
    const post = (client) => client.post({ resource: 'later', ttl: 1000 });

    for (const [what, change, back] of [
      ['moved', () => rename(data, `${folder}/away`), () => rename(`${folder}/away`, data)],
      ['hidden by an empty one, as when its disk is no longer mounted', async () => {
        await rename(data, `${folder}/away`);
        await mkdir(data);
      }, async () => {
        // Fails if the service has left something there.
        await rmdir(data);
        await rename(`${folder}/away`, data);
      }],
    ]) {
      it(`${what}: nothing more is acknowledged until it is back`, async () => {
        const running = await startService({ data });
        const { client } = running;
        const path = await client.claim('a', 1000);
        await change();
        for (let turn = 0; turn < 3; turn += 1) {
          assert.equal((await post(client)).status, 503);
          await assert.rejects(running.service.orderer.log.recover());
        }
        assert.equal((await client.get('/healthz')).status, 503);
        await back();
        await until(async () => (await client.get('/healthz')).status === 200, 'the recovery');
        const later = await client.claim('b', 1000);
        assert.deepEqual(running.fatal, []);
        await running.stop();
        const again = await startService({ data });
        assert.deepEqual([await again.client.status(path), await again.client.status(later)], ['active', 'active']);
        await again.stop();
      });
    }

    it('writes that have failed, whether they are there or not, are its own', async () => {
      const log = await openLevelLog(data, { warn: () => {} });
      const nothing = () => {};
      await log.load({ begin: nothing, record: nothing, restore: nothing, replay: nothing, deliver: nothing });
      const { put } = ClassicLevel.prototype;
      let count = 0;
      const append = () => log.append({ token: `${(count += 1)}`, now: 0, wall: 0, hash: 0, operations: [] });
      try {
        for (const written of [[true], [false], [true, false], [false, true], [true, true]]) {
          for (const isWritten of written) {
            ClassicLevel.prototype.put = async function (...entry) {
              if (isWritten) await put.apply(this, entry);
              throw new Error('input/output error');
            };
            await assert.rejects(append(), /input\/output error/);
            // This one is not even begun.
            await assert.rejects(append(), /opened anew/);
            await log.recover();
          }
          ClassicLevel.prototype.put = put;
          await append();
        }
      } finally {
        ClassicLevel.prototype.put = put;
        await log.close();
      }
    });

    it('replaced by an earlier copy: the service ends, and changes nothing', async () => {
      await killed((client) => client.claim('a', 1000));
      const all = (level) => level.iterator().all();
      const before = await withLevel(all);
      await cp(data, `${folder}/copy`, { recursive: true });
      const running = await startService({ data });
      await running.client.claim('b', 1000);
      await rm(data, { recursive: true });
      await rename(`${folder}/copy`, data);
      assert.equal((await post(running.client)).status, 503);
      await until(() => running.fatal.length > 0, 'the end');
      assert.ok(running.fatal[0] instanceof Changed);
      assert.match(running.fatal[0].message, /is not as this server has left it/);
      assert.deepEqual(await withLevel(all), before);
      await running.stop();
    });

    it('a copy is restored into the folder itself: nothing more is acknowledged, and the service ends', async () => {
      await killed((client) => client.claim('a', 1000));
      await cp(data, `${folder}/copy`, { recursive: true, preserveTimestamps: true });
      const running = await startService({ data });
      await running.client.claim('b', 1000);
      // As rsync --delete does. It leaves what is the same, such as the empty file LOCK.
      for (const name of await readdir(data)) if (name !== 'LOCK') await rm(join(data, name));
      for (const name of await readdir(`${folder}/copy`)) if (name !== 'LOCK') await rename(join(`${folder}/copy`, name), join(data, name));
      assert.equal((await post(running.client)).status, 503);
      await until(() => running.fatal.length > 0, 'the end');
      assert.match(running.fatal[0].message, /is not as this server has left it/);
      await running.stop();
      const again = await startService({ data });
      assert.deepEqual((await again.client.get('/v1/claims/')).body.map(({ resource }) => resource), ['a']);
      await again.stop();
    });

    it('LevelDB deletes nothing in the folder that is there instead when its next write needs a new journal', async () => {
      // So that its files have higher numbers than those of a new folder.
      await killed(() => {});
      const first = await startService({ data, service: { checkpointEvery: Infinity } });
      let count = 0;
      const write = () => first.client.post({ resource: `${(count += 1)}`, ttl: 1000, user_data: 'x'.repeat(60_000) });
      // One write before it would take a new journal: its buffer has 4 MB.
      while (count < 70) assert.equal((await write()).status, 201);
      await rename(data, `${folder}/away`);
      const second = await startProcess(['--data', data]);
      const files = (await readdir(data)).filter((name) => !name.startsWith('LOG'));
      assert.equal((await write()).status, 503);
      await until(() => first.fatal.length > 0, 'the end');
      await first.stop();
      assert.deepEqual((await readdir(data)).filter((name) => !name.startsWith('LOG')), files);
      const path = await createClient(second.url).claim('b', 1000);
      await second.stop('SIGKILL');
      const again = await startService({ data });
      assert.equal(await again.client.status(path), 'active');
      await again.stop();
    });

    it('no lock can be had for a moment, as on a network file system: the service goes on when there is one', async () => {
      const running = await startService({ data });
      const { put, open } = ClassicLevel.prototype;
      let tries = 0;
      try {
        ClassicLevel.prototype.put = () => Promise.reject(new Error('input/output error'));
        assert.equal((await post(running.client)).status, 503);
        ClassicLevel.prototype.put = put;
        ClassicLevel.prototype.open = async () => {
          tries += 1;
          throw Object.assign(new Error(`IO error: lock ${data}/LOCK: No locks available`), { code: 'LEVEL_LOCKED' });
        };
        await until(() => tries > 1, 'a second attempt');
      } finally {
        Object.assign(ClassicLevel.prototype, { put, open });
      }
      await until(async () => (await post(running.client)).status === 201, 'the recovery');
      assert.deepEqual(running.fatal, []);
      await running.stop();
    });

    it('another server is started on a new folder in its place: the first one ends, and no resource has two owners', async () => {
      const first = await startService({ data });
      await first.client.claim('a', 1000);
      await rm(data, { recursive: true });
      const second = await startProcess(['--data', data]);
      try {
        await createClient(second.url).claim('b', 1000);
        assert.equal((await first.client.post({ resource: 'b', ttl: 1000 })).status, 503);
        await until(() => first.fatal.length > 0, 'the end');
        assert.match(first.fatal[0].message, /is in use by another server/);
        await first.stop();
        assert.equal((await post(createClient(second.url))).status, 201);
      } finally {
        await second.stop();
      }
    });
  });

  describe('no room on the disk', () => {
    /** @param {string} where a folder on a full disk @param {() => unknown} makeRoom @param {object} running */
    async function fill({ client }) {
      const acknowledged = [];
      for (let turn = 0; turn < 2000; turn += 1) {
        const { status, body, headers } = await client.post({ resource: `r${turn % 10}`, ttl: 1000, user_data: 'x'.repeat(20_000) });
        if (status === 503) {
          assert.match(body.error, /cannot be written/);
          assert.equal(headers.get('retry-after'), '1');
          return acknowledged;
        }
        assert.ok(status === 201 || status === 202);
        acknowledged.push(new URL(body.url).pathname);
      }
      throw new Error('the disk did not fill');
    }

    /** Takes what LevelDB still gives back: it may be writing a table, and then deletes the journal of that. */
    async function takeRest() {
      for (let full = 0; full < 5; full += 1) {
        const { bavail, bsize } = await statfs(data);
        if (bavail > 0) full = 0;
        await appendFile(join(data, 'filler'), Buffer.alloc(bavail * bsize)).catch(() => {});
        await delay(20);
      }
    }

    /** The data folder on a disk of that size; where this test may not mount one, it is skipped. */
    async function mountSmall(test, size) {
      try {
        await mkdir(data);
        execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', data], { stdio: 'ignore' });
      } catch {
        test.skip();
      }
    }
    // Lazily: the test must report its failure, though the service still runs then.
    const unmount = () => execFileSync('umount', ['--lazy', data]);

    it('a full disk: operations are refused, reading goes on, nothing acknowledged is lost, and the service recovers', async function () {
      await mountSmall(this, '8m');
      try {
        const running = await startService({ data });
        const { client } = running;
        const { log, checkpointing } = running.service.orderer;
        checkpointing.pause = 100;
        const over = await client.claim('over');
        await client.patch(over, { status: 'released' });
        await checkpointing.keep(running.service.orderer.place);
        const acknowledged = await fill(running);
        assert.equal((await client.get('/healthz')).status, 503);
        await takeRest();
        // It tries to open the folder anew, in vain. What is only on disk can still be read.
        await assert.rejects(log.recover(), /There is no room to write/);
        assert.equal((await client.get(acknowledged[0])).body.status, 'active');
        assert.equal(await client.status(over), 'released');
        // A backup that fails leaves nothing that takes up more room.
        await assert.rejects(log.copy(join(data, 'copy')));
        assert.deepEqual((await readdir(data)).filter((name) => name.startsWith('copy')), []);
        assert.ok(running.failures.length >= 1);
        execFileSync('mount', ['-o', 'remount,size=64m', data], { stdio: 'ignore' });
        await until(async () => (await client.get('/healthz')).status === 200, 'the recovery');
        acknowledged.push(await client.claim('after'));
        await running.stop();
        const again = await startService({ data });
        for (const path of acknowledged) assert.equal((await again.client.get(path)).status, 200);
        assert.equal(again.service.register.counts.active, 11);
        await again.stop();
      } finally {
        unmount();
      }
    });

    it('a checkpoint fails on a full disk: nothing is lost that is acknowledged when there is room again', async function () {
      await mountSmall(this, '16m');
      try {
        const copy = join(folder, 'copy');
        const running = await startService({ data, service: { checkpointEvery: Infinity } });
        const { client } = running;
        const { orderer } = running.service;
        const { checkpointing } = orderer;
        for (let turn = 0; turn < 100; turn += 1) await client.claim(`${turn}`, 1000, { user_data: 'x'.repeat(5000) });
        const { bavail, bsize } = await statfs(data);
        await writeFile(join(data, 'filler'), Buffer.alloc(bavail * bsize - 100_000));
        await checkpointing.keep(orderer.place);
        assert.match(checkpointing.failure.message, /cannot be written/);
        await rm(join(data, 'filler'));
        const path = await until(async () => {
          const { status, body } = await client.post({ resource: 'after', ttl: 1000 });
          assert.ok(status === 201 || status === 503);
          return status === 201 && new URL(body.url).pathname;
        }, 'the recovery');
        // As a kill would leave it.
        await cp(data, copy, { recursive: true });
        await running.stop();
        const again = await startService({ data: copy });
        assert.equal(await again.client.status(path), 'active');
        assert.equal(again.service.register.counts.active, 101);
        await again.stop();
      } finally {
        unmount();
      }
    });

    it('a store that fails: refused until it works, then as if nothing had happened', async () => {
      let broken = false;
      const log = createMemoryLog();
      const flaky = {
        ...log,
        append: async (place, text) => {
          if (broken) throw new Unavailable('the data folder cannot be written: no space left');
          return log.append(place, text);
        },
      };
      const running = await startService({ log: flaky });
      const { client } = running;
      const short = await client.claim('a', 0.1);
      const next = await client.claim('a', 1000);
      broken = true;
      assert.equal((await client.post({ resource: 'b', ttl: 1 })).status, 503);
      assert.equal((await client.patch(next, { status: 'withdrawn' })).status, 503);
      await delay(150);
      // Without a log there is no time: the claim cannot expire, and no other one becomes active.
      assert.equal((await client.get(short)).body.status, 'active');
      assert.equal((await client.get(short)).body.ttl, 0);
      broken = false;
      await until(async () => (await client.status(next)) === 'active', 'the recovery');
      assert.equal(await client.status(short), 'expired');
      assert.equal((await client.get('/v1/claims/?resource=b')).body.length, 0);
      await running.stop();
    });
  });
});
