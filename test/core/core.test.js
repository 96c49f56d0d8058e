/** The typed wrapper, over the Wasm and over the same core in JavaScript: what the schedules, which all implementations run, do not see. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { wrapCore } from '../../glue/core/core.js';
import { decodeSnapshot } from '../../glue/core/index.js';
import { instantiate as instantiateJs } from '../../glue/core/js.js';
import { instantiate as instantiateWasm } from '../../glue/core/wasm.js';
import { refused, request } from './kit.js';

/** @typedef {import('../../glue/core/types.js').Core} Core */
/** @typedef {import('../../glue/core/types.js').Operation} Operation */

for (const [flavour, instantiate] of /** @type {const} */ ([['wasm', instantiateWasm], ['js', instantiateJs]])) {
  describe(`The core's wrapper (${flavour})`, function () {
    this.timeout(60_000);
    /** @type {import('../../glue/core/core.js').Exports} */
    let instance;
    /** @type {Core} */
    let core;

    beforeEach(() => {
      instance = instantiate();
      core = wrapCore(instance);
      core.apply({ type: 'join', client: 'tab', number: 1 });
    });

    it('gives any name back as it was', () => {
      const names = ['', '\0', '\ud800', '\udc00\ud800', 'x'.repeat(70_000), '\u{1f512}', '__proto__'];
      core.apply(request(2, ...names));
      assert.deepEqual(core.state().held[0].names, names);
    });

    it('refuses with the code of the header', () => {
      const bytes = core.snapshot();
      const other = /** @type {const} */ ('other');
      assert.throws(() => core.apply({ type: 'gone', client: other }), refused('unknown-client'));
      assert.throws(() => core.apply({ type: 'join', client: 'tab', number: 1 }), refused('duplicate'));
      assert.throws(() => core.apply(request(1, 'a')), refused('duplicate'));
      assert.throws(() => core.apply(request(3, 'a')), refused('gap'));
      assert.throws(() => core.restore(bytes.subarray(1)), refused('bad-snapshot'));
      assert.throws(() => core.restore(new Uint8Array()), refused('bad-snapshot'));
      assert.throws(() => wrapCore(instantiate()).restore(new Uint8Array()), refused('bad-snapshot'), 'the first that it is given');
      assert.deepEqual(core.snapshot(), bytes);
      assert.throws(() => core.apply(request(2)), refused('refused'));
      assert.throws(() => core.apply(request(3, 'a', 'a')), refused('refused'));
      assert.equal(core.last('tab'), 3);
      core.reset(Number.MAX_SAFE_INTEGER);
      core.apply({ type: 'join', client: 'tab', number: 1 });
      assert.throws(() => core.apply(request(2, 'a')), refused('no-fence'));
      assert.equal(core.last('tab'), 2);
    });

    it('refuses what is no operation at all', () => {
      const nonsense = /** @type {any[]} */ ([
        {}, { type: 'constructor' }, { type: 'tick' }, { type: 'tick', now: 'soon' }, { type: 'join', client: '', number: 1 },
        { type: 'join', client: 5, number: 1 }, { type: 'join', number: 1 }, { ...request(2, 'a'), number: undefined },
        { ...request(2, 'a'), number: '2' }, { ...request(2, 'a'), number: 2n },
      ]);
      for (const operation of nonsense) assert.throws(() => core.apply(operation), refused('invalid'), inspect(operation));
      assert.equal(core.last('tab'), 1);
    });

    it('counts an operation that is its client\'s next, whatever else is wrong with it', () => {
      const fine = request(2, 'a');
      const limited = { ...fine, mode: 'shared' };
      const wrong = /** @type {any[]} */ ([
        { ...fine, mode: 'both' }, { ...fine, mode: undefined }, { ...fine, wait: -1 }, { ...fine, hold: NaN }, { ...fine, hold: '5' },
        { ...fine, wait: 5n }, { ...fine, wait: Symbol('5') }, { ...fine, hold: {} }, { ...fine, hold: null },
        { ...fine, names: undefined }, { ...fine, names: 5 }, { ...fine, names: [5] }, { ...fine, names: 'a' }, { ...fine, names: [[]] },
        { ...fine, names: ['a', 5] }, { ...fine, names: ['a', null] },
        { ...fine, steal: true, ifAvailable: true }, { ...fine, limit: 1 }, { type: 'drop' }, { type: 'drop', request: '2' },
        { type: 'force-release' }, { type: 'force-release', names: {} },
        ...[-1, 0.5, NaN, 2 ** 32, 2 ** 32 + 1, '2', 2n, null, Infinity].map((limit) => ({ ...limited, limit })),
      ]);
      for (const [place, operation] of wrong.entries()) {
        const numbered = { ...operation, client: 'tab', number: place + 2 };
        assert.throws(() => core.apply(numbered), refused('refused'), inspect(operation));
        assert.equal(core.last('tab'), numbered.number);
      }
      assert.deepEqual(core.state().pending, []);
      assert.equal(core.apply(request(wrong.length + 2, 'a')).length, 1);
    });

    it('lets as many hold a name as their limit says', () => {
      const limited = (/** @type {number} */ number) => /** @type {Operation} */ ({ ...request(number, 'a'), mode: 'shared', limit: 2 });
      assert.deepEqual([2, 3, 4].map((number) => core.apply(limited(number)).length), [1, 1, 0]);
      assert.deepEqual(core.state().pending.map(({ number, mode, limit }) => [number, mode, limit]), [[4, 'shared', 2]]);
      const events = core.apply({ type: 'drop', client: 'tab', number: 5, request: 2 });
      assert.deepEqual(events.map(({ type, number }) => [type, number]), [['removed', 2], ['granted', 4]]);
    });

    it('shows its requests one after the other: the first cost nothing of the others', () => {
      assert.deepEqual([...core.requests()], []);
      const long = 'x'.repeat(70_000);
      for (let number = 2; number < 2000; number++) core.apply({ ...request(number, 'a', long, `own ${number}`), hold: number });
      core.apply({ type: 'join', client: '\ud800', number: 1 });
      core.apply({ type: 'request', client: '\ud800', number: 2, names: ['', 'b'], mode: 'shared', limit: 7 });
      const { held, pending } = core.state();
      assert.deepEqual([...core.requests()], [...held, ...pending]);
      assert.deepEqual([held.length, held[1].client, pending.length], [2, '\ud800', 1997]);
      const bytes = core.snapshot();
      const { nextRequest } = instance;
      let steps = 0;
      const counting = wrapCore({ ...instance, nextRequest: (previous) => (steps++, nextRequest(previous)) });
      counting.restore(bytes);
      for (const { number } of counting.requests()) if (number === 4) break;
      assert.equal(steps, 4);
    });

    it('ends an iteration when the state is changed meanwhile', () => {
      for (let number = 2; number < 5; number++) core.apply(request(number, 'a'));
      let number = 4;
      const changes = [
        () => core.apply({ type: 'drop', client: 'tab', number: ++number, request: 3 }), () => core.restore(core.snapshot()),
        () => core.foresee([{ type: 'gone', client: 'tab' }]), () => core.reset(0),
      ];
      for (const change of changes) {
        const iteration = core.requests()[Symbol.iterator]();
        assert.equal(iteration.next().value?.number, 2);
        change();
        assert.throws(() => iteration.next(), /changed/);
      }
      assert.deepEqual([...core.requests()], []);
    });

    it('lets fences go on above a number, and keeps all else', () => {
      for (const number of [2, 3]) core.apply(request(number, 'a'));
      const before = core.state();
      core.raise(1000);
      core.raise(7);
      assert.deepEqual(core.state(), { ...before, fence: 1000 });
      const bytes = core.snapshot();
      const nonsense = /** @type {any[]} */ ([-1, NaN, 0.5, Infinity, undefined, 'soon', 2 ** 53, 2 ** 53 - 1]);
      for (const fence of nonsense) assert.throws(() => core.raise(fence), refused('invalid'), String(fence));
      assert.deepEqual(core.snapshot(), bytes);
      assert.equal(core.apply({ type: 'drop', client: 'tab', number: 4, request: 2 })[1].fence, 1001);
    });

    // The same C. In JavaScript this takes long.
    if (flavour === 'wasm') {
      it('has room for one name of 2^24 units that 129 requests wait for', () => {
        for (let number = 2; number < 131; number++) core.apply(request(number, 'x'));
        const small = core.snapshot();
        const at = 40 + 8 + 4 + 4 + 2 * 'tab'.length;
        assert.deepEqual([...small.subarray(at, at + 6)], [1, 0, 0, 0, 120, 0]);
        const bytes = new Uint8Array(small.length - 2 + 2 ** 25);
        bytes.set(small.subarray(0, at));
        bytes.set([0, 0, 0, 1], at);
        bytes.fill(120, at + 4, at + 4 + 2 ** 25);
        bytes.set(small.subarray(at + 6), at + 4 + 2 ** 25);
        core.restore(bytes);
        assert.equal(Buffer.compare(core.snapshot(), bytes), 0);
        const drop = /** @type {const} */ ({ type: 'drop', client: 'tab', number: 131, request: 2 });
        assert.deepEqual(core.foresee([drop]).map(({ number }) => number), [2, 3]);
        assert.equal(Buffer.compare(core.snapshot(), bytes), 0);
        assert.deepEqual(core.apply(drop).map(({ number }) => number), [2, 3]);
      });
    }

    it('writes a name once, so that many requests for a long one have a snapshot', () => {
      const long = 'x'.repeat(2 ** 20);
      for (let number = 2; number < 202; number++) core.apply(request(number, long));
      const bytes = core.snapshot();
      assert.ok(bytes.length < 2 ** 21 + 50_000, `${bytes.length} bytes`);
      const copy = wrapCore(instantiate());
      copy.restore(bytes);
      assert.deepEqual(copy.snapshot(), bytes);
      assert.equal(copy.state().pending.length, 199);
    });

    it('has another hash for every difference that a snapshot shows', () => {
      /** @param {Operation[]} operations */
      const hashOf = (...operations) => {
        const other = wrapCore(instantiate());
        for (const client of ['tab', 'two', 'three']) other.apply({ type: 'join', client, number: 1 });
        other.apply(request(2, 'a', 'b'));
        for (const operation of operations) other.apply(operation);
        return other.hash();
      };
      const waiting = (/** @type {string} */ client) => /** @type {Operation} */ ({ ...request(2, 'a'), client });
      const last = request(3, 'a', 'b');
      const hashes = [
        hashOf(), hashOf(waiting('two'), waiting('three')), hashOf(waiting('three'), waiting('two')),
        hashOf(last), hashOf(request(3, 'b', 'a')), hashOf(/** @type {Operation} */ ({ ...last, hold: 5 })),
        hashOf(/** @type {Operation} */ ({ ...last, mode: 'shared' })),
        hashOf(/** @type {Operation} */ ({ ...last, mode: 'shared', limit: 2 })),
        hashOf({ type: 'join', client: 'four', number: 1 }), hashOf({ type: 'join', client: 'five', number: 1 }),
        hashOf({ type: 'join', client: 'four', number: 1 }, { type: 'gone', client: 'four' }), hashOf({ type: 'tick', now: 1 }),
      ];
      assert.equal(new Set(hashes).size, hashes.length);
    });

    it('knows after a foresight the clients that it knew before, and no others', () => {
      core.apply(request(2, 'a'));
      const events = core.foresee([{ type: 'gone', client: 'tab' }, { type: 'join', client: 'other', number: 1 }]);
      assert.deepEqual(events.map(({ type, client }) => [type, client]), [['removed', 'tab'], ['joined', 'other']]);
      assert.deepEqual([core.last('tab'), core.last('other')], [2, -1]);
      assert.equal(core.apply(request(3, 'b'))[0].client, 'tab');
      assert.throws(() => core.apply({ type: 'gone', client: 'other' }), refused('unknown-client'));
    });

    it('foresees nothing, and keeps its state, if there is no memory for a copy', () => {
      core.apply(request(2, 'a'));
      core.apply(request(3, 'a'));
      const bytes = core.snapshot();
      const { fork } = instance;
      const poor = wrapCore({ ...instance, fork: () => -1 });
      assert.equal(typeof fork, 'function');
      poor.restore(bytes);
      assert.deepEqual(poor.foresee([{ type: 'drop', client: 'tab', number: 4, request: 2 }]), []);
      assert.deepEqual(poor.snapshot(), bytes);
    });

    it('reads nothing that all objects have', () => {
      const members = { limit: 1, wait: 0, hold: 0, ifAvailable: true, steal: true };
      core.apply(request(2, 'a'));
      Object.assign(Object.prototype, members);
      try {
        assert.deepEqual(core.apply(request(3, 'a')), []);
        assert.deepEqual(core.apply({ ...request(4, 'b'), mode: 'shared' }).map(({ type }) => type), ['granted']);
      } finally {
        for (const name of Object.keys(members)) delete (/** @type {any} */ (Object.prototype)[name]);
      }
      for (const { limit, deadline, hold } of core.requests()) assert.deepEqual([limit, deadline, hold], [0, Infinity, Infinity]);
    });

    it('has the same state and hash whatever its seed', () => {
      const cores = [0, 1, 2 ** 32 - 1].map((seed) => wrapCore(instantiate(), 0, seed));
      for (const each of cores) {
        each.apply({ type: 'join', client: 'tab', number: 1 });
        for (let number = 2; number < 50; number++) each.apply(request(number, `name ${number % 7}`, `name ${number % 5 + 7}`));
      }
      for (const each of cores) assert.deepEqual([each.hash(), each.snapshot()], [cores[0].hash(), cores[0].snapshot()]);
    });

    it('hashes names by its seed', () => {
      const seed = 0x12345678;
      const exports = instantiate();
      const each = wrapCore(exports, 0, seed);
      each.apply({ type: 'join', client: 'tab', number: 1 });
      each.apply(request(2, 'a'));
      // lk_name_hash() in csrc/hash.c, for a name of one unit: what the table keeps.
      const hash = ((seed ^ 0x9E3779B1) >>> 1) + 'a'.charCodeAt(0);
      assert.ok(new Uint32Array(exports.memory.buffer).includes(hash));
    });

    it('keeps the state when a snapshot is refused, and its clients known', () => {
      core.apply(request(2, 'a'));
      const bytes = core.snapshot();
      assert.throws(() => core.restore(Uint8Array.from(bytes, (byte) => byte ^ 1)), refused('bad-snapshot'));
      assert.deepEqual(core.apply(request(3, 'b')), [{ type: 'granted', client: 'tab', number: 3, fence: 2 }]);
    });

    it('goes on from a snapshot, with the clients of that', () => {
      core.apply(request(2, 'a'));
      core.apply(request(3, 'a'));
      const copy = wrapCore(instantiate());
      copy.apply({ type: 'join', client: 'forgotten', number: 1 });
      copy.restore(core.snapshot());
      assert.equal(copy.last('forgotten'), -1);
      assert.equal(copy.last('tab'), 3);
      assert.equal(copy.hash(), core.hash());
      assert.equal(copy.requestCount(), 2);
      assert.deepEqual(copy.apply({ type: 'gone', client: 'tab' }), [
        { type: 'removed', client: 'tab', number: 2, fence: 0 },
        { type: 'removed', client: 'tab', number: 3, fence: 0 },
      ]);
      assert.equal(copy.last('tab'), -1);
    });

    it('begins anew with fences above those of before', () => {
      core.apply({ ...request(2, 'a'), hold: 5 });
      core.reset(1000);
      assert.deepEqual([core.time(), core.nextDeadline(), core.requestCount(), core.last('tab')], [0, Infinity, 0, -1]);
      assert.deepEqual(core.state(), { time: 0, fence: 1000, lastHandle: 0, members: [], held: [], pending: [] });
      core.apply({ type: 'join', client: 'tab', number: 1 });
      assert.deepEqual(core.apply(request(2, 'a')), [{ type: 'granted', client: 'tab', number: 2, fence: 1001 }]);
      assert.throws(() => core.reset(-1), refused('invalid'));
      assert.throws(() => wrapCore(instantiate(), NaN), refused('invalid'));
    });

    it('tells the time and the next deadline', () => {
      core.apply({ ...request(2, 'a'), hold: 7 });
      core.apply({ type: 'tick', now: 5 });
      assert.deepEqual([core.time(), core.nextDeadline()], [5, 7]);
      assert.deepEqual(core.apply({ type: 'tick', now: 7 }), [{ type: 'expired', client: 'tab', number: 2, fence: 0 }]);
      assert.deepEqual([core.time(), core.nextDeadline()], [7, Infinity]);
    });

    it('follows the memory when it grows, whichever call makes it grow', () => {
      const size = instance.memory.buffer.byteLength;
      let number = 1;
      while (instance.memory.buffer.byteLength < size * 40) {
        core.apply(request(++number, 'one', `another ${number}`));
        assert.equal(core.requestCount(), number - 1);
      }
      const before = instance.memory.buffer.byteLength;
      const bytes = core.snapshot();
      core.restore(bytes);
      assert.ok(instance.memory.buffer.byteLength > before);
      assert.equal(core.requestCount(), number - 1);
      assert.deepEqual(core.snapshot(), bytes);
      assert.equal(decodeSnapshot(bytes).pending.length, number - 2);
      assert.equal(core.apply({ type: 'gone', client: 'tab' }).length, number - 1);
    });

    it('foresees what an operation does, changes nothing, and needs no more memory for it', () => {
      for (const number of [2, 3]) core.apply(request(number, 'name'));
      const bytes = core.snapshot();
      /** @type {Operation} */
      const drop = { type: 'drop', client: 'tab', number: 4, request: 2 };
      const [, { fence }] = core.foresee([drop]);
      const size = instance.memory.buffer.byteLength;
      for (let i = 0; i < 100_000; i++) core.foresee([drop]);
      assert.equal(instance.memory.buffer.byteLength, size);
      assert.deepEqual(core.foresee([{ ...drop, number: 5 }]), [], 'refused');
      const more = core.foresee([drop, request(5, 'name'), { ...drop, number: 6, request: 3 }]);
      assert.deepEqual(more.map(({ type, number }) => [type, number]), [['removed', 2], ['granted', 3], ['removed', 3], ['granted', 5]]);
      assert.deepEqual(core.snapshot(), bytes);
      assert.deepEqual(core.apply(drop).map(({ type, number }) => [type, number]), [['removed', 2], ['granted', 3]]);
      assert.equal(core.state().held[0].fence, fence);
    });

    it('needs no more memory after a million requests than after a few', () => {
      let number = 1;
      const pair = () => {
        core.apply(request(++number, 'name'));
        core.apply({ type: 'drop', client: 'tab', number: ++number, request: number - 1 });
      };
      for (let i = 0; i < 10; i++) pair();
      const size = instance.memory.buffer.byteLength;
      for (let i = 0; i < 1_000_000; i++) pair();
      assert.equal(instance.memory.buffer.byteLength, size);
      assert.equal(core.requestCount(), 0);
    });
  });
}
