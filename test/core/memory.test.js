/** Memory is freed: what was needed once for very many names serves the next ones. */
import assert from 'node:assert/strict';
import v8 from 'node:v8';
import vm from 'node:vm';
import { createObservation } from '../../glue/api/observation.js';
import { wrapCore } from '../../glue/core/core.js';
import { instantiate } from '../../glue/core/wasm.js';
import { createLockManager } from '../../glue/entries/index.js';

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

const ROUNDS = 4;

describe('memory after very many names and members', function () {
  this.timeout(60000);

  it('the Wasm memory does not grow again, and nothing is left in the state', () => {
    const exports = /** @type {any} */ (instantiate());
    const core = wrapCore(exports);
    let number = 0;
    core.apply({ type: 'join', client: 'one', number: ++number });
    const empty = core.snapshot().length;
    const sizes = [];
    for (let round = 0; round < ROUNDS; round++) {
      const first = number + 1;
      for (let i = 0; i < 30000; i++) {
        core.apply({ type: 'request', client: 'one', number: ++number, names: [`round ${round}, name ${i}`], mode: 'exclusive' });
      }
      assert.equal(core.requestCount(), 30000);
      const last = number;
      for (let request = first; request <= last; request++) core.apply({ type: 'drop', client: 'one', number: ++number, request });
      assert.equal(core.requestCount(), 0);
      assert.equal(core.snapshot().length, empty);
      sizes.push(exports.memory.buffer.byteLength);
    }
    assert.deepEqual(sizes, Array(ROUNDS).fill(sizes[0]));
  });

  it("nor does a manager's heap", async () => {
    const manager = createLockManager({ name: `memory ${process.pid}` });
    const sizes = [];
    for (let round = 0; round < ROUNDS; round++) {
      let release = () => {};
      const end = new Promise((resolve) => (release = () => resolve(undefined)));
      const all = Array.from({ length: 10000 }, (_, index) => manager.request(`round ${round}, name ${index}`, () => end));
      await manager.query();
      release();
      await Promise.all(all);
      all.length = 0;
      // Listeners hear of a release in a later task.
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      sizes.push(process.memoryUsage().heapUsed);
    }
    await manager.close();
    // A lock takes 1.5 KB while it is held: ten thousand that stay would show.
    const [, second, ...rest] = sizes;
    for (const size of rest) assert.ok(size - second < 1e6, `${sizes}`);
  });

  it('nothing is left of members that are gone', () => {
    const exports = /** @type {any} */ (instantiate());
    const core = createObservation(() => 0).watch(() => wrapCore(exports))();
    const sizes = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < 30000; i++) {
        const client = `round ${round}, client ${i}`;
        core.apply({ type: 'join', client, number: 1 });
        core.apply({ type: 'request', client, number: 2, names: ['name'], mode: 'exclusive' });
        core.apply({ type: 'gone', client });
      }
      collectGarbage();
      sizes.push([process.memoryUsage().heapUsed, exports.memory.buffer.byteLength]);
    }
    // An id that stays takes some hundred bytes: thirty thousand would show.
    const [, second, ...rest] = sizes;
    for (const [heap, wasm] of rest) assert.ok(heap - second[0] < 1e6 && wasm === second[1], `${sizes}`);
  });
});
