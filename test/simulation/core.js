/** The shipped core, one instance for each context. Used instances are emptied and used again. */
import { readFileSync } from 'node:fs';
import { wrapCore } from '../../glue/core/core.js';

const module = new WebAssembly.Module(readFileSync(new URL('../../dist/core.wasm', import.meta.url)));

/** @type {import('../../glue/core/types.js').Core[]} */
const stock = [];

/** @returns {import('../../glue/core/types.js').Core} */
export const createCore = () => {
  const core = stock.pop() || wrapCore(/** @type {any} */ (new WebAssembly.Instance(module).exports));
  core.reset(0);
  return core;
};

/** The world has ended. @param {import('../../glue/core/types.js').Core} core */
export const recycle = (core) => void stock.push(core);
