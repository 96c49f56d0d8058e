/** lockkeeper/drafts: scopes, flags, force release and handles, on the same names as navigator.locks. Importing it starts nothing. */
import { createDrafts } from '../api/drafts/drafts.js';
import { createEnvironment } from '../api/environment.js';
import { internal } from './index.js';

export { Flag } from '../api/drafts/flags.js';

const { global, openLog, observation } = internal;

export const { acquire, queryState, forceRelease, requestFlag, requestExplicitLock, requestAutoReleaseLock, requestScopedLock } =
  /* @__PURE__ */ createDrafts({ environment: createEnvironment(global), openLog, observation });
