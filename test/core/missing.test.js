/** The core where something is missing: memory, an engine that compiles at once, or Wasm. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrapCore } from '../../glue/core/core.js';
import { createCore } from '../../glue/core/index.js';
import { instantiate as instantiateJs } from '../../glue/core/js.js';
import { assertAllowed, instantiate as instantiateWasm } from '../../glue/core/wasm.js';
import { refused, request } from './kit.js';

/** @typedef {import('../../glue/core/types.js').Operation} Operation */

describe('The core where something is missing', () => {
  it('refuses for lack of memory and changes nothing, in Wasm', () => {
    const bytes = new Uint8Array(readFileSync(new URL('../../dist/core.wasm', import.meta.url)));
    // Its memory may have 32,768 pages: that many of 64 KB, which the test would take too long to fill. Now it may have 40.
    const memory = [5, 6, 1, 1, 1, 0x80, 0x80, 2];
    const [at, ...others] = [...bytes.keys()].filter((place) => memory.every((byte, i) => bytes[place + i] === byte));
    assert.ok(at && !others.length);
    bytes.set([40 | 0x80, 0x80, 0], at + 5);
    const exports = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports);
    const core = wrapCore(exports);
    core.apply({ type: 'join', client: 'tab', number: 1 });
    let number = 1;
    /** @param {() => unknown} action which finds no memory */
    const failsAndKeeps = (action) => {
      const hash = core.hash();
      assert.throws(action, refused('out-of-memory'));
      assert.deepEqual([core.hash(), core.last('tab'), core.requestCount()], [hash, number, number - 1]);
    };
    assert.throws(() => {
      for (;;) {
        core.apply(request(number + 1, `${'x'.repeat(2000)} ${number}`));
        number++;
      }
    }, refused('out-of-memory'));
    assert.ok(number > 100 && number < 2000, `${number} requests`);
    assert.equal(exports.memory.buffer.byteLength, 40 * 2 ** 16, 'all pages are in use');
    assert.deepEqual([core.last('tab'), core.requestCount()], [number, number - 1]);
    failsAndKeeps(() => core.apply(request(number + 1, 'y'.repeat(2 ** 21))));
    failsAndKeeps(() => core.snapshot());
    failsAndKeeps(() => core.state());
    failsAndKeeps(() => core.restore(new Uint8Array(2 ** 21)));
    /** @type {Operation} */
    const drop = { type: 'drop', client: 'tab', number: number + 1, request: 2 };
    assert.deepEqual(core.foresee([drop]), []);
    core.raise(5000);
    assert.equal([...core.requests()].length, number - 1);
    assert.deepEqual(core.apply(drop).map(({ type }) => type), ['removed']);
    assert.equal(core.apply(request(number + 2, 'z'.repeat(2000)))[0].fence, 5001);
  });

  it('refuses names that no memory has room for, before it asks', () => {
    const core = wrapCore(instantiateWasm());
    core.apply({ type: 'join', client: 'tab', number: 1 });
    const name = 'x'.repeat(2 ** 28);
    assert.throws(() => core.apply(request(2, ...Array.from({ length: 4 }, () => name))), refused('out-of-memory'));
    assert.equal(core.last('tab'), 1);
    assert.equal(core.apply(request(2, 'a')).length, 1);
  });

  it('refuses for lack of memory and changes nothing, compiled to JavaScript', () => {
    const core = wrapCore(instantiateJs());
    core.apply({ type: 'join', client: 'tab', number: 1 });
    const { ArrayBuffer: original } = globalThis;
    let number = 1;
    try {
      globalThis.ArrayBuffer = /** @type {any} */ (function () {
        throw new RangeError('Array buffer allocation failed');
      });
      assert.throws(() => {
        for (;;) {
          core.apply(request(number + 1, `name ${number}`));
          number++;
        }
      }, refused('out-of-memory'));
    } finally {
      globalThis.ArrayBuffer = original;
    }
    assert.ok(number > 100);
    assert.equal(core.last('tab'), number);
    assert.equal(core.state().held.length, number - 1);
    const bytes = core.snapshot();
    core.restore(bytes);
    assert.deepEqual(core.snapshot(), bytes);
    assert.equal(core.apply(request(number + 1, 'more')).length, 1);
  });

  it('opens later in an engine that does not compile at once', async () => {
    const { openCore } = await import(/** @type {any} */ ('../../glue/core/wasm.js?compiles-later'));
    const { Module } = WebAssembly;
    let opening;
    try {
      WebAssembly.Module = /** @type {any} */ (function (/** @type {Uint8Array} */ bytes) {
        if (bytes.length <= 4096) return new Module(bytes);
        throw new RangeError('WebAssembly.Compile is disallowed on the main thread, if the buffer size is larger than 4KB');
      });
      opening = openCore();
    } finally {
      WebAssembly.Module = Module;
    }
    assert.ok(opening instanceof Promise);
    const core = await opening;
    assert.equal(core.apply({ type: 'join', client: 'tab', number: 1 }).length, 1);
    assert.ok(!(openCore() instanceof Promise));
  });

  it('says that Wasm is refused, and which build needs none', () => {
    const { Module } = WebAssembly;
    const cause = new WebAssembly.CompileError('refused');
    try {
      WebAssembly.Module = /** @type {any} */ (function () {
        throw cause;
      });
      assert.throws(assertAllowed, { message: 'Lockkeeper: Wasm is refused; use the nowasm build', cause });
    } finally {
      WebAssembly.Module = Module;
    }
    assertAllowed();
  });

  it('runs where neither Wasm nor code from strings is allowed', () => {
    const program = `
      import { openCore } from ${JSON.stringify(fileURLToPath(new URL('../../glue/core/js.js', import.meta.url)))};
      const core = openCore();
      core.apply({ type: 'join', client: 'tab', number: 1 });
      const [event] = core.apply({ type: 'request', client: 'tab', number: 2, names: ['a'], mode: 'exclusive' });
      console.log(typeof WebAssembly, event.type);`;
    const options = ['--disallow-code-generation-from-strings', '--no-expose-wasm', '--input-type=module', '-e', program];
    assert.equal(execFileSync(process.execPath, options, { encoding: 'utf8' }), 'undefined granted\n');
  });

  it('is made from a module, from bytes or from a translation that the caller brings along', () => {
    const bytes = readFileSync(new URL('../../dist/core.wasm', import.meta.url));
    for (const options of [{ wasm: bytes }, { wasm: new WebAssembly.Module(bytes) }, { js: instantiateJs }, {}]) {
      const core = createCore({ ...options, fence: 6 });
      core.apply({ type: 'join', client: 'tab', number: 1 });
      assert.equal(core.apply(request(2, 'a'))[0].fence, 7);
    }
    // It is no other one.
    assert.throws(() => createCore({ wasm: new Uint8Array(8) }), WebAssembly.CompileError);
  });

  it('its hash tables have the seed that the caller gives, or a secret one', () => {
    /** @type {number[]} */
    const seeds = [];
    const js = () => {
      const { reset, ...others } = instantiateJs();
      return { ...others, reset: (/** @type {[number, number]} */ ...given) => (seeds.push(given[1] >>> 0), reset(...given)) };
    };
    createCore({ js, seed: 5 });
    createCore({ js }).reset(0);
    createCore({ js });
    assert.equal(seeds[0], 5);
    assert.ok(seeds[1] === seeds[2] && seeds[2] !== seeds[3], String(seeds));
  });
});
