/** The manager that stands for navigator.locks, and its installation: what every entry of the standard's face has in common. */
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
   * Defines navigator.locks, Lock and LockManager where they are missing; in this realm, and in blank frames, when they are reached. With
   * [join] this context takes part at once, instead of at its first request: then that need not wait for other contexts.
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
