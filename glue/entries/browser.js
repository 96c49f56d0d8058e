/** The log in a browser: its place and the core. */
import { assertAllowed, openCore } from '#core';
import { IS_PACKAGE } from '#edition';
import { missingIn } from '../api/wording.js';
import { createLog as createLogAt } from '../log/log.js';
import { createBrowserPlace } from '../platform/browser.js';
import { global } from '../platform/realm.js';

export { clearTimeout, readClock, readWallClock, setTimeout } from '../platform/browser-realm.js';

export const isNode = false;

/** The setting LOCKKEEPER_DEBUG: a global variable, or a key of localStorage. Workers have only the variable. */
export const debugSetting = () => {
  try {
    return global.LOCKKEEPER_DEBUG || global.localStorage.LOCKKEEPER_DEBUG;
  } catch {
    // This context has no localStorage, or may not use it.
    return undefined;
  }
};

/** @param {string} line of ../api/debug.js */
export const printLine = (line) => global.console.log(line);

/** Not crypto.randomUUID(), which is missing in older browsers and in pages without https. */
export const randomId = () => [...global.crypto.getRandomValues(new Uint32Array(4))]
  .map((/** @type {number} */ part) => part.toString(16).padStart(8, '0')).join('');

/**
 * Throws if Wasm or IndexedDB is missing. Then there is no log, and each request rejects with this error.
 * @param {string} name
 * @param {{window?: Window & typeof globalThis}} [options] [window]: a blank frame for which this realm's script runs
 * @param {import('../api/observation.js').Observation['watch']} [watch]
 * @returns {import('../log/types.js').LockLog}
 */
export const createLog = (name, { window = global } = {}, watch) => {
  assertAllowed();
  const missing = missingIn(window);
  if (missing) throw new Error(missing);
  return createLogAt(createBrowserPlace(name, window), IS_PACKAGE && watch ? watch(openCore) : openCore);
};
