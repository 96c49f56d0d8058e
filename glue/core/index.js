/**
 * The package's `lockkeeper/core`: the state machine itself, for hosts that put operations in order in another way. '#core' is
 * glue/core/wasm.js, or glue/core/js.js in the builds without Wasm.
 */
import { instantiate } from '#core';
import { exportsOf, wrapCore } from './core.js';

export { openCore } from '#core';
export { CoreError } from './error.js';
export { decodeSnapshot } from './snapshot.js';

/**
 * An empty core. Without [wasm] and [js] it is this package's own; where the engine does not compile at once, that is a
 * RangeError, and openCore() gives a promise of it.
 * @param {object} [options]
 * @param {BufferSource | WebAssembly.Module} [options.wasm] the content of core.wasm
 * @param {() => import('./core.js').Exports} [options.js] makes a new instance of the core compiled to JavaScript
 * @param {number} [options.fence] fences start above it
 * @param {number} [options.seed] 32 bits that key its hash tables, at random if absent; no state depends on them
 * @returns {import('./types.js').Core}
 */
export const createCore = ({ wasm, js, fence, seed } = {}) => {
  if (js) return wrapCore(js(), fence, seed);
  if (!wasm) return wrapCore(instantiate(), fence, seed);
  const module = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  return wrapCore(exportsOf(new WebAssembly.Instance(module)), fence, seed);
};
