/** The implementations that must agree: the model first, then the core, compiled in three ways. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { wrapCore } from '../../glue/core/core.js';
import { createModel } from '../model/model.js';
import { buildNative } from '../native/build.js';
import { native } from './native.js';
import { inProcess } from './programs.js';

/** @typedef {import('./programs.js').Flavour} Flavour */

/**
 * If a compiler is missing, you can still work on the rest; in CI nothing may be left out.
 * @param {string} name
 * @param {string[]} tools
 */
function canBuild(name, tools) {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error);
  if (missing.length === 0) return true;
  const message = `the ${name} core needs ${missing.join(' and ')}, which cannot be run here`;
  if (process.env.CI) throw new Error(message);
  console.warn(`      left out: ${message}`);
  return false;
}

/** The Wasm that is shipped. */
function wasm() {
  const module = new WebAssembly.Module(readFileSync(new URL('../../dist/core.wasm', import.meta.url)));
  return inProcess('wasm', () => wrapCore(/** @type {any} */ (new WebAssembly.Instance(module).exports)));
}

/** @returns {Promise<Flavour[]>} */
async function javaScript() {
  const built = new URL('../../build/out/core.js', import.meta.url);
  if (!existsSync(built) && !canBuild('JavaScript', ['emcc', 'wasm2js'])) return [];
  const { default: instantiate } = await import(built.href); // Made by `npm run build`.
  return [inProcess('js', () => wrapCore(instantiate()))];
}

/** @returns {Flavour[]} */
function natively() {
  return canBuild('native', ['cmake', 'clang']) ? [native(`${buildNative(['replay'])}/test/native/replay`)] : [];
}

/** @returns {Promise<Flavour[]>} */
export const openFlavours = async () => [inProcess('model', createModel), wasm(), ...await javaScript(), ...natively()];

/** @param {Flavour[]} flavours */
export async function closeFlavours(flavours) {
  for (const flavour of flavours) await flavour.close();
}
