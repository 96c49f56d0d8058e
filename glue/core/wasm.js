/**
 * The core as Wasm, from bytes that are in the same file; compiled on first use. glue/core/js.js is the same with the core
 * compiled to JavaScript, and a build may put it in this one's place, as '#core'.
 */
import { alphabet, text } from '../../build/out/embedded.js';
import { exportsOf, wrapCore } from './core.js';
import { decode } from './text.js';

/** @typedef {import('./types.js').Core} Core */

/** @type {WebAssembly.Module | undefined} */
let module;

/**
 * A new instance. Throws a RangeError where the engine does not compile at once.
 * @returns {import('./core.js').Exports}
 */
export const instantiate = () => {
  module = module || new WebAssembly.Module(decode(text, alphabet));
  return exportsOf(new WebAssembly.Instance(module));
};

/** Throws an Error where a page's Content-Security-Policy, or the engine, allows no Wasm at all. */
export const assertAllowed = () => {
  try {
    // Its first 8 bytes are the empty module, small enough to be compiled at once everywhere. A byte is one character, or two.
    new WebAssembly.Module(decode(text.slice(0, 16), alphabet).slice(0, 8));
  } catch (error) {
    throw new Error('Lockkeeper: Wasm is refused; use the nowasm build', { cause: error });
  }
};

/**
 * An empty core, where it is allowed; at once if the engine can: Chromium up to 114 refuses to compile more than 4 KB at once on a main
 * thread.
 * @returns {Core | Promise<Core>}
 */
export const openCore = () => {
  try {
    return wrapCore(instantiate());
  } catch {
    return WebAssembly.instantiate(decode(text, alphabet)).then(({ instance }) => wrapCore(exportsOf(instance)));
  }
};

/**
 * An empty core.
 * @param {object} [options]
 * @param {number} [options.fence] fences start above it
 */
export const createCore = ({ fence } = {}) => wrapCore(instantiate(), fence);
