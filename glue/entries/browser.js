/** The log in a browser: its place and the core. */
import { assertAllowed, openCore } from '#core';
import { IS_PACKAGE } from '#edition';
import { createLog as createLogAt } from '../log/log.js';
import { createBrowserPlace } from '../platform/browser.js';

/**
 * Throws where there is no core to be had, or no storage: then there is no log either, and each request says why.
 * @param {string} name
 * @param {{window?: any}} [options] [window]: a frame that this realm's script stands in for
 * @param {import('../api/observation.js').Observation['watch']} [watch]
 * @returns {import('../log/types.js').LockLog}
 */
export const createLog = (name, { window = self } = {}, watch) => {
  assertAllowed();
  if (!window.indexedDB) throw new Error('Lockkeeper needs IndexedDB');
  return createLogAt(createBrowserPlace(name, window), IS_PACKAGE && watch ? watch(openCore) : openCore);
};
