/**
 * The core as Wasm, embedded in the bundle. It is compiled at the first use. In the nowasm builds, '#core' is glue/core/js.js instead of
 * this file.
 */
import { alphabet, text } from '../../build/out/embedded.js';
import { exportsOf, wrapCore } from './core.js';
import { decode } from './text.js';

/** @typedef {import('./types.js').Core} Core */

/** @type {WebAssembly.Module | undefined} */
let module;

/**
 * Creates an instance. Throws a RangeError if the engine refuses to compile synchronously.
 * @returns {import('./core.js').Exports}
 */
export const instantiate = () => {
  module = module || new WebAssembly.Module(decode(text, alphabet));
  return exportsOf(new WebAssembly.Instance(module));
};

/** Throws an Error if a page's Content-Security-Policy, or the engine, allows no Wasm. */
export const assertAllowed = () => {
  try {
    // '\0asm' and version 1: an empty module. Every engine compiles that synchronously.
    new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  } catch (error) {
    throw new Error('Lockkeeper: Wasm is refused; use the nowasm build', { cause: error });
  }
};

/**
 * An empty core; a promise of one if the engine refuses to compile synchronously. Chromium up to 114 refuses that for more than 4 KB on a
 * main thread.
 * @returns {Core | Promise<Core>}
 */
export const openCore = () => {
  try {
    return wrapCore(instantiate());
  } catch {
    return WebAssembly.instantiate(decode(text, alphabet)).then(({ instance }) => wrapCore(exportsOf(instance)));
  }
};

/** An empty core. It throws a RangeError if the engine refuses to compile synchronously. */
export const createCore = () => wrapCore(instantiate());
