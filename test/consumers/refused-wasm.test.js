/** Engines that do not compile at once, and pages that may not compile at all: what the opening of the core does there. */
import assert from 'node:assert/strict';
import { assertAllowed, openCore } from '../../glue/core/wasm.js';

const { Module } = WebAssembly;

/** @param {(bytes: Uint8Array) => void} check throws where the engine refuses */
const compileOnlyIf = (check) => {
  WebAssembly.Module = /** @type {any} */ (class {
    /** @param {Uint8Array} bytes */
    constructor(bytes) {
      check(bytes);
      return new Module(bytes);
    }
  });
};

/** What Chromium up to 114 does on a main thread. @param {Uint8Array} bytes */
const atMost4KB = ({ length }) => {
  if (length > 4096) throw new RangeError('WebAssembly.Compile is disallowed on the main thread');
};

/** As a context does it: the first in the task of the first request, so that this is refused. */
const open = () => {
  assertAllowed();
  return openCore();
};

describe('Opening the core', () => {
  afterEach(() => { WebAssembly.Module = Module; });

  it('throws at once if Wasm is refused, and names the build without it', () => {
    const refusal = new WebAssembly.CompileError('by the policy');
    compileOnlyIf(() => { throw refusal; });
    assert.throws(open, { message: /nowasm build/, cause: refusal });
  });

  it('throws at once also if a large module is refused for its size before the policy refuses it', () => {
    const refusal = new WebAssembly.CompileError('by the policy');
    compileOnlyIf((bytes) => {
      atMost4KB(bytes);
      throw refusal;
    });
    assert.throws(open, { message: /nowasm build/, cause: refusal });
  });

  it('throws at once if there is no Wasm', () => {
    WebAssembly.Module = /** @type {any} */ (undefined);
    assert.throws(open, /nowasm build/);
  });
});
