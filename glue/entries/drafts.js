/** lockkeeper/drafts: scopes, flags, force release and handles, on the same names as navigator.locks. Importing it has no side effects. */
import { createDrafts } from '../api/drafts/drafts.js';
import { show } from '../api/wording.js';
import { internal, locks } from './index.js';

export { Flag } from '../api/drafts/flags.js';

/**
 * The functions of this entry, over another manager than that of navigator.locks.
 * @param {object} manager
 */
export const draftsOf = (manager) => {
  const face = internal.faceOf(manager);
  if (face) return createDrafts(face);
  throw new TypeError(`draftsOf() needs a manager that createLockManager() has made, or locks of lockkeeper, not ${show(manager)}. ` +
    'A native manager has no drafts. For a manager of another copy of the package, use the drafts of that copy: load both entries by ' +
    'import, or both by require, and both with or without nowasm.');
};

export const { acquire, queryState, forceRelease, requestFlag, requestExplicitLock, requestAutoReleaseLock, requestScopedLock } =
  /* @__PURE__ */ draftsOf(locks);
