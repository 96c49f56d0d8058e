import assert from 'node:assert';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import { createProcessBell, createThreadBell } from '../../glue/platform/node/bell.js';
import { post } from '../../glue/platform/node/channel.js';
import { createVigil, ringAwake } from '../../glue/platform/node/vigil.js';
import { failing, whileReplaced } from './system.js';
import { until } from './threads.js';

const source = new URL('../../glue/platform/node/bell.js', import.meta.url).href;

const deaf = { rung() {}, alarmed() {}, stirred() {}, cut() {} };

describe('node: how a thread stays awake', () => {
  it('hears a ring meanwhile, and cannot be rung for like this at any other time', () => {
    const vigil = createVigil(2);
    const rung = () => ringAwake(vigil.word);
    assert.strictEqual(rung(), false);
    const looks = [];
    vigil.keep(() => {
      looks.push(rung());
      return looks.length === 2;
    });
    assert.deepStrictEqual(looks, [true, false], 'it looks once when it is awake, and once after the ring');
    assert.strictEqual(rung(), false);
  });

  it('looks again if it has found something and was rung for as well', () => {
    const vigil = createVigil(2);
    let looks = 0;
    vigil.keep(() => {
      if (++looks === 1) ringAwake(vigil.word);
      return looks === 1;
    });
    assert.strictEqual(looks, 2);
  });

  it('is not tried again at once after it was in vain: the pauses grow until it succeeds', () => {
    const vigil = createVigil(2);
    let found = false;
    const isKept = () => {
      let looks = 0;
      vigil.keep(() => (++looks, found));
      return looks > 0;
    };
    const pauses = () => {
      const list = [];
      for (let pause = 0; list.length < 7; pause++) {
        if (!isKept()) continue;
        list.push(pause);
        pause = -1;
      }
      return list;
    };
    assert.deepStrictEqual(pauses(), [0, 1, 3, 7, 15, 16, 16]);
    found = true;
    while (!isKept());
    found = false;
    assert.deepStrictEqual(pauses(), [0, 1, 3, 7, 15, 16, 16]);
  });

  it('cannot be rung for like this once a look has failed', () => {
    const vigil = createVigil(2);
    assert.throws(() => vigil.keep(() => assert.fail('no message can be sent')), /no message/);
    assert.strictEqual(ringAwake(vigil.word), false);
  });

  it('ends though the clock stands still, as under fake timers', () => {
    createVigil(2, () => 0).keep(() => false);
    const { now } = performance;
    performance.now = () => assert.fail('the clock is taken when the library is loaded');
    try {
      createVigil(2).keep(() => false);
    } finally {
      performance.now = now;
    }
  });

  it('is of no use with one processor', () => {
    createVigil(1).keep(() => assert.fail('looked'));
  });

  it('rings for all, though channels refuse messages the first two times', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(() => createThreadBell(() => 'bell test'));
    const heard = new Set();
    b.listen('b', { ...deaf, rung: () => void heard.add('b') });
    c.listen('c', { ...deaf, rung: () => void heard.add('c') });
    const { prototype } = /** @type {any} */ (BroadcastChannel);
    const { postMessage } = prototype;
    let failures = 2;
    prototype.postMessage = function post(/** @type {any} */ message) {
      if (failures-- > 0) throw new DOMException('Message could not be posted.');
      postMessage.call(this, message);
    };
    a.ringAll(['b', 'c'], 0, '');
    prototype.postMessage = postMessage;
    await until(() => heard.size === 2);
    for (const bell of [a, b, c]) bell.close();
  });

  it('two bells that have rung often need no messages while the one rung for is awake, and only then', async () => {
    const [a, b] = ['a', 'b'].map(() => createThreadBell(() => 'bell test'));
    const heard = { a: 0, b: 0 };
    /** @type {any[]} */
    const messages = [];
    a.listen('a', { ...deaf, rung: () => void heard.a++ });
    b.listen('b', { ...deaf, rung: (message) => void (message ? messages.push(message) : heard.b++) });
    for (let count = 1; count <= 16; count++) {
      a.ring('b');
      b.ring('a');
      await until(() => heard.a === count && heard.b === count);
    }
    // The words came before these.
    a.ring('b', 'sent');
    b.ring('a');
    await until(() => messages.length && heard.a === 17);
    let looks = 0;
    b.stayAwake(() => {
      if (++looks === 1) {
        a.ring('b');
        a.ring('b', 'with content');
      }
      return looks === 2;
    });
    a.ring('b', 'last');
    await until(() => messages.includes('last'));
    assert.deepStrictEqual([looks, heard.b, messages], [2, 16, ['sent', 'with content', 'last']]);
    a.ring('b');
    await until(() => heard.b === 17);
    a.close();
    b.close();
  });

  it('between threads: each ring is heard, by the word or by a message', async function () {
    this.timeout(60000);
    const ROUNDS = 5000;
    const turns = new Int32Array(new SharedArrayBuffer(12));
    const workers = ['a', 'b'].map((name, index) => new Worker(`
      const { parentPort, workerData: { source, name, other, index, turns, ROUNDS } } = require('node:worker_threads');
      import(source).then(({ createThreadBell }) => {
        const bell = createThreadBell(() => 'ring test');
        const take = () => {
          if (Atomics.load(turns, 0) % 2 !== index) return false;
          if (Atomics.load(turns, 0) >= ROUNDS) return true;
          const end = performance.now() + (Math.random() < 0.1 ? 0.4 : 0.01) * Math.random();
          while (performance.now() < end);
          Atomics.add(turns, 0, 1);
          bell.ring(other);
          setImmediate(() => bell.stayAwake(take));
          return true;
        };
        bell.listen(name, { rung() {
          Atomics.add(turns, 1, 1);
          take();
        } });
        setInterval(() => {}, 1000);
        parentPort.once('message', take);
        parentPort.postMessage('ready');
      });`, { eval: true, workerData: { source, name, other: 'ba'[index], index, turns, ROUNDS } }));
    try {
      await Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))));
      workers[0].postMessage('go');
      await until(() => Atomics.load(turns, 0) >= ROUNDS, 50000);
      const messages = Atomics.load(turns, 1);
      if (cpus().length > 1) assert(messages < ROUNDS, `${messages} messages for ${ROUNDS} turns`);
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  });
});

describe('node: a channel that refuses messages', () => {
  /** @param {number} broken so many are */
  const play = (broken) => {
    let opened = 0;
    let /** @type {any} */ channel;
    const sent = /** @type {unknown[]} */ ([]);
    const open = () => {
      const isBroken = opened++ < broken;
      return {
        postMessage(/** @type {unknown} */ message) {
          if (isBroken) throw new Error('closed');
          sent.push(message);
        },
      };
    };
    post(() => (channel = channel || open()), () => (channel = undefined), 'text');
    return { opened, sent };
  };

  it('is closed, and another one takes them', () => {
    assert.deepStrictEqual([0, 1, 9].map(play), [1, 2, 10].map((opened) => ({ opened, sent: ['text'] })));
  });

  it('is not tried for ever', () => {
    assert.throws(() => play(10), /closed/);
  });
});

describe('node: the bell of a process', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const error = (/** @type {Function} */ watch) => (/** @type {any[]} */ ...given) => {
    const watcher = watch(...given);
    setImmediate(() => watcher.emit('error', new Error('the file system is gone')));
    return watcher;
  };
  for (const { where, platform, replace } of [
    { where: 'the system watches files', platform: 'linux', replace: (/** @type {any} */ watch) => watch },
    { where: 'the system has no watch left', platform: 'linux', replace: failing('ENOSPC', 'no watch left') },
    { where: 'a watch ends with an error', platform: 'linux', replace: error },
    { where: 'no watch is reliable', platform: 'win32', replace: () => () => ({ on() {}, close() {} }) },
  ]) {
    it(`rings for what is written, until it is not wanted, where ${where}`, async () => {
      const paths = ['first', 'next'].map((name) => join(directory, name));
      paths.forEach((path) => writeFileSync(path, ''));
      const start = () => {
        const heard = { rung: 0, alarmed: 0, stirred: 0 };
        const lines = /** @type {any} */ ({ listen() {}, close() {} });
        const bell = createProcessBell(platform, lines);
        bell.listen('a', { rung: () => heard.rung++, alarmed: () => heard.alarmed++, stirred: () => heard.stirred++, cut() {} });
        whileReplaced('watch', replace, () => {
          bell.kernel?.heed(paths[0]);
          bell.kernel?.attend(paths[1]);
        });
        return { bell, heard };
      };
      /** Writes to both, and waits until one that is wanted has heard that twice: then the others have heard it, too. */
      const write = async () => {
        const witness = start();
        await new Promise(setImmediate);
        for (let round = 0; round < 2; round++) {
          Object.assign(witness.heard, { alarmed: 0, stirred: 0 });
          paths.forEach((path) => appendFileSync(path, 'x'));
          await until(() => witness.heard.alarmed && witness.heard.stirred);
        }
        witness.bell.close();
      };

      const { bell, heard } = start();
      assert.strictEqual(heard.rung, 2, 'something may have been written before');
      await write();
      assert.deepStrictEqual([heard.alarmed > 0, heard.stirred > 0], [true, true]);
      bell.kernel?.unattend();
      Object.assign(heard, { alarmed: 0, stirred: 0 });
      await write();
      assert.deepStrictEqual([heard.alarmed > 0, heard.stirred > 0], [true, false]);
      bell.kernel?.attend(paths[1]);
      bell.close();
      Object.assign(heard, { alarmed: 0, stirred: 0 });
      await write();
      assert.deepStrictEqual(heard, { rung: 3, alarmed: 0, stirred: 0 });
    });
  }

  it('watches one file for each purpose and none for both, keeps no process alive by that, and ends it', () => {
    const watched = /** @type {string[]} */ ([]);
    const watch = () => (/** @type {string} */ path, /** @type {any} */ options) => {
      watched.push(path);
      assert.deepStrictEqual(options, { persistent: false });
      return { on() {}, close: () => void watched.splice(watched.indexOf(path), 1) };
    };
    whileReplaced('watch', watch, () => {
      let rung = 0;
      let closed = false;
      const bell = createProcessBell('linux', /** @type {any} */ ({ listen() {}, close: () => (closed = true) }));
      bell.listen('a', { ...deaf, rung: () => rung++ });
      bell.kernel?.heed('0');
      bell.kernel?.attend('0');
      assert.deepStrictEqual([watched, rung], [['0'], 1]);
      bell.kernel?.attend('1');
      bell.kernel?.attend('1');
      assert.deepStrictEqual([watched, rung], [['0', '1'], 2]);
      bell.kernel?.attend('2');
      assert.deepStrictEqual([watched, rung], [['0', '2'], 3]);
      bell.close();
      assert.deepStrictEqual([watched, closed], [[], true]);
    });
  });
});
