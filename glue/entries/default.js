/** The manager behind navigator.locks, and install(): the common part of the package's root and the script-tag build. */
import { installInBlankFrames } from '../api/blank-frames.js';
import { install as installManager } from '../api/install.js';
import { createLockManager, LockManager } from '../api/lock-manager.js';
import { Lock } from '../api/lock.js';
import { global, logOpener } from './place.js';

export { Lock, LockManager };

/** @param {() => import('../log/types.js').LockLog} openLog */
export const createDefault = (openLog) => {
  const locks = createLockManager(global, openLog);

  /**
   * Defines navigator.locks, Lock and LockManager if they are missing: in this realm, and in blank frames when a script reaches them. With
   * [join] this context joins at once instead of at its first request, so that the request need not wait for other contexts.
   * @param {{force?: boolean, insecure?: boolean, join?: boolean}} [options]
   */
  const install = (options) => {
    /** @param {import('../api/environment.js').Realm} window @param {object} manager */
    const installIn = (window, manager) => installManager(window, manager, { Lock, LockManager }, options);
    const manager = installIn(global, locks);
    if (manager === locks) {
      if (options && options.join) openLog().join();
      installInBlankFrames(global, (window) => {
        if (window.LockManager !== LockManager) installIn(window, createLockManager(window, logOpener('', { window })));
      });
    }
    return manager;
  };

  return { locks, install };
};
