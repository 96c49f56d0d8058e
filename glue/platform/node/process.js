/**
 * Node's `process`. It is not imported: when a module imports it, Node reads all that it has, and `process.stdin` makes a pipe non-blocking
 * for everybody who shares it. A vm context may lack the global variable.
 */
import { createRequire } from 'node:module';

/** @type {NodeJS.Process} */
export const process = globalThis.process ?? createRequire('/')('process');
