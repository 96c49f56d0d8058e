/** The core compiled to JavaScript, for pages whose Content-Security-Policy forbids Wasm. The exports are those of glue/core/wasm.js. */
import create from '../../build/out/core.js';
import { wrapCore } from './core.js';

/** @type {() => import('./core.js').Exports} a new instance */
export const instantiate = create;

/** JavaScript is allowed wherever this runs. */
export const assertAllowed = () => {};

/** An empty core. */
export const createCore = () => wrapCore(instantiate());

/** The same: this core needs no compilation, so it is never a promise. */
export const openCore = createCore;
