/** Batches and reads, over a log that does what the test says, and to which others append as well. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Behind, DataError, Unavailable } from '../../claims/source/log.js';
import { createMemoryLog } from '../../claims/source/log-memory.js';
import { Reading } from '../../claims/source/reading.js';
import { Service } from '../../claims/source/service.js';
import { Submissions } from '../../claims/source/submissions.js';
import { until } from './support/service.js';

const CREATE = { type: 'create', resources: ['a'], list: false, mode: 'shared', ttl: 60, userData: null, owner: null };

/** A service over a log that counts its reads, and appends when the test says so. */
async function startOver() {
  const memory = createMemoryLog();
  const seen = { reads: 0, wake: (place) => place, append: () => {}, batches: [] };
  const log = {
    ...memory,
    append: async (batch) => {
      seen.batches.push(batch.operations.length);
      await new Promise((resolve) => (seen.append = resolve));
      return memory.append(batch);
    },
    read: async () => void (seen.reads += 1),
    watch: (wake) => (seen.wake = wake),
  };
  const nothing = () => {};
  const watcher = { applied: nothing, appended: nothing, recovered: nothing, failed: nothing, fatal: nothing };
  const service = new Service({ log, watcher, heartbeat: Infinity });
  await service.start();
  return { service, seen };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('claims: the orderer', () => {
  it('operations that an append brings are not read again; others are read after it', async () => {
    const { service, seen } = await startOver();
    for (const [heard, reads] of [[1, 0], [3, 1], [undefined, 1]]) {
      const before = seen.reads;
      const asked = service.create(CREATE);
      await turn();
      seen.wake(heard);
      await turn();
      assert.equal(seen.reads, before, 'while the append is under way');
      seen.append();
      await asked;
      if (reads > 0) await until(() => seen.reads > before, `a read, having heard of ${heard}`);
      await turn();
      assert.equal(seen.reads - before, reads, `after it, having heard of ${heard}`);
      // What is known is no reason to look.
      seen.wake(service.orderer.place);
      await turn();
      assert.equal(seen.reads - before, reads);
    }
    seen.wake(99);
    await until(() => seen.reads === 3, 'a read if nothing appends');
    assert.deepEqual(seen, { ...seen, reads: 3, batches: [1, 1, 1] });
    // It logs the time once more.
    const stopped = service.stop();
    await turn();
    seen.append();
    await stopped;
  });

  it('news right after an append is left to the next one', async () => {
    let [appending, place, reads] = [true, 1, 0];
    const parts = { read: async () => void (reads += 1), place: () => place, isAppending: () => appending };
    const reading = new Reading(parts, 1e9);
    const end = () => {
      appending = false;
      reading.appended();
    };
    // The timer of a look that is put off is run by hand.
    const { setTimeout: original } = globalThis;
    const timers = [];
    globalThis.setTimeout = (run) => timers.push(run);
    try {
      reading.hear(2);
      end();
      reading.hear(3);
      assert.deepEqual([reads, timers.length], [0, 1]);
      appending = true;
      timers.shift()();
      assert.equal(reads, 0, 'the append that has begun will bring it');
      place = 3;
      end();
      assert.deepEqual([reads, timers.length], [0, 0], 'and it has');
      reading.hear(4);
      timers.shift()();
      assert.equal(reads, 1, 'no append has come');
    } finally {
      globalThis.setTimeout = original;
    }
  });

  it('a log turns out to be another one while it is tried again: the server ends; a log that cannot be opened is tried again', async () => {
    const memory = createMemoryLog();
    const told = [];
    const fates = [new Unavailable('away'), new DataError('restored from a copy')];
    const recoveries = [new DataError('no room')];
    const log = {
      ...memory,
      append: async (batch) => {
        const fate = fates.shift();
        if (fate) throw fate;
        return memory.append(batch);
      },
      recover: async () => {
        const fate = recoveries.shift();
        if (fate) throw fate;
      },
    };
    const note = (what) => (error) => told.push(`${what}: ${error?.message}`);
    const watcher = { applied: () => {}, appended: () => {}, recovered: note('recovered'), failed: note('failed'), fatal: note('fatal') };
    const service = new Service({ log, watcher, heartbeat: Infinity });
    await service.start();
    await assert.rejects(service.create(CREATE), /away/);
    await until(() => told.length > 1, 'the end of the attempts');
    await assert.rejects(service.create(CREATE), Unavailable);
    assert.deepEqual([told, fates, recoveries], [['failed: away', 'fatal: restored from a copy'], [], []]);
  });

  it('a state that cannot be loaded again after a read fell behind: the server ends, and answers nothing from half of it', async () => {
    const memory = createMemoryLog();
    const fatal = [];
    let [reads, loads] = [0, 0];
    const log = {
      ...memory,
      read: async () => {
        reads += 1;
        throw new Behind();
      },
      load: async (receiver) => {
        receiver.begin();
        if ((loads += 1) > 1) throw new DataError('a part is missing');
      },
    };
    const nothing = () => {};
    const note = (error) => fatal.push(error.message);
    const watcher = { applied: nothing, appended: nothing, recovered: nothing, failed: nothing, fatal: note };
    const service = new Service({ log, watcher, heartbeat: Infinity });
    await service.start();
    await assert.rejects(service.get(1), /a part is missing/);
    assert.deepEqual([reads, loads, fatal], [1, 2, ['a part is missing']]);
  });

  it('clients whose operations went in two batches come together', async () => {
    const submissions = new Submissions();
    const add = () => submissions.add({ operation: CREATE, size: 1, resolve: () => {}, reject: () => {} });
    add();
    add();
    const first = submissions.take();
    add();
    submissions.answered(first);
    const gathered = submissions.gather(60_000);
    add();
    add();
    await gathered;
    assert.equal(submissions.take().length, 3);
    // A lone client does not wait for others for long.
    add();
    await submissions.gather(60_000);
    assert.equal(submissions.take().length, 1);
  });
});
