/** The module '#place' in Node: see ./place.js. */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { assertAllowed, createCore } from '#core';
import { createNodeLog } from '../platform/node.js';
import { process } from '../platform/node/process.js';

export { clearTimeout, readClock, readWallClock, setTimeout } from '../platform/node/timers.js';

export const isNode = true;

/** The setting LOCKKEEPER_DEBUG: a global variable, or a variable of the environment. */
export const debugSetting = () => {
  const { LOCKKEEPER_DEBUG } = /** @type {{LOCKKEEPER_DEBUG?: unknown}} */ (globalThis);
  try {
    return LOCKKEEPER_DEBUG || process.env.LOCKKEEPER_DEBUG;
  } catch {
    // In Deno, the permission may be missing.
    return undefined;
  }
};

const STDERR = 2;

/** Prints synchronously: a thread may hang or end before a stream is written. @param {string} line of ../api/debug.js */
export const printLine = (line) => {
  try {
    writeSync(STDERR, `${line}\n`);
  } catch {
    // stderr is closed, or is not read fast enough.
  }
};

/** Not the global crypto, which is missing in Node 18. */
export const randomId = () => randomBytes(16).toString('hex');

/**
 * Throws if Wasm is missing (`--jitless`).
 * @param {string} name
 * @param {import('../platform/node.js').NodeOptions} [options]
 * @param {import('../api/observation.js').Observation['watch']} [watch]
 * @returns {import('../log/types.js').LockLog}
 */
export const createLog = (name, options = {}, watch) => {
  assertAllowed();
  return createNodeLog(name, options, watch ? watch(createCore) : createCore);
};
