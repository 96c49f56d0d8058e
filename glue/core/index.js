/**
 * The package's `lockkeeper/core`: the state machine alone, for programs that order the operations themselves. '#core' is
 * glue/core/wasm.js, or glue/core/js.js in the builds without Wasm.
 */
import { instantiate } from '#core';
import { exportsOf, wrapCore } from './core.js';
import { optionsOf } from './own-member.js';

export { openCore } from '#core';
export { CoreError } from './error.js';
export { decodeSnapshot } from './snapshot.js';

const OPTIONS = ['wasm', 'js', 'fence', 'seed'];

/** @param {{js?: unknown, seed?: unknown}} options */
const checkOptions = (options) => {
  if (Object(options) !== options) throw new TypeError(`createCore() takes its options as an object, not ${String(options)}.`);
  for (const option of optionsOf(options)) {
    if (OPTIONS.includes(option)) continue;
    throw new TypeError(`createCore() has no option ${JSON.stringify(option)}. Its options are ${OPTIONS.join(', ')}.`);
  }
  if (options.js && typeof options.js !== 'function') throw new TypeError('The option js of createCore() must be a function.');
  // Any other value would silently be the seed 0, which everybody knows.
  if (options.seed !== undefined && !Number.isInteger(options.seed)) {
    throw new TypeError('The option seed of createCore() must be a whole number.');
  }
};

/**
 * Creates an empty core. Without [wasm] and [js] it is this package's own. If the engine refuses to compile that synchronously, this throws
 * a RangeError. Then use openCore(), which returns a promise.
 * @param {object} [options]
 * @param {BufferSource | WebAssembly.Module} [options.wasm] the content of core.wasm
 * @param {() => import('./core.js').Exports} [options.js] makes a new instance of the core compiled to JavaScript
 * @param {number} [options.fence] fences start above it
 * @param {number} [options.seed] 32 bits for its hash tables, random if absent; the state does not depend on them
 * @returns {import('./types.js').Core}
 */
export const createCore = (options = {}) => {
  checkOptions(options);
  const { wasm, js, fence, seed } = options;
  if (js) return wrapCore(js(), fence, seed);
  if (!wasm) return wrapCore(instantiate(), fence, seed);
  const module = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  return wrapCore(exportsOf(new WebAssembly.Instance(module)), fence, seed);
};
