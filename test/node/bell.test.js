import assert from 'node:assert';
import { cpus } from 'node:os';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import { createThreadBell } from '../../glue/platform/node/bell.js';
import { createVigil, ringAwake } from '../../glue/platform/node/vigil.js';
import { until } from './threads.js';

const source = new URL('../../glue/platform/node/bell.js', import.meta.url).href;

const deaf = { rung() {}, alarmed() {}, stirred() {}, cut() {} };

describe('node: who stays awake', () => {
  it('hears of who rings meanwhile, and cannot be rung for like this at any other time', () => {
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

  it('looks again where it has found something and was rung for as well', () => {
    const vigil = createVigil(2);
    let looks = 0;
    vigil.keep(() => {
      if (++looks === 1) ringAwake(vigil.word);
      return looks === 1;
    });
    assert.strictEqual(looks, 2);
  });

  it('is not tried at once again where it was in vain, the more seldom the more often, until it succeeds', () => {
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

  it('rings for everybody, though channels take nothing the first two times', async () => {
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

  it('two bells that have rung often do without messages while the one rung for is awake, and only then', async () => {
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
