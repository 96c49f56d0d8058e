/** All functions of `lockkeeper/drafts`, over one manager. */
import { createAcquire } from './acquire.js';
import { createRequestFlag } from './flags.js';
import { createHandleRequests } from './handles.js';
import { createStateOperations } from './state.js';

/**
 * An operation that returns a promise never throws. Each error becomes a rejection.
 * @template {(...given: never[]) => Promise<unknown>} Operation
 * @param {Operation} operation
 * @returns {Operation}
 */
const answering = (operation) => /** @type {Operation} */ ((...given) => {
  try {
    return operation(...given);
  } catch (error) {
    return Promise.reject(error);
  }
});

/** @param {import('./request.js').Face} face */
export const createDrafts = (face) => {
  const { acquire, requestScopedLock } = createAcquire(face);
  const { queryState, forceRelease } = createStateOperations(face);
  const { requestFlag } = createRequestFlag(face);
  const { requestExplicitLock, requestAutoReleaseLock } = createHandleRequests(face);
  return {
    acquire: answering(acquire),
    queryState: answering(queryState),
    forceRelease: answering(forceRelease),
    requestFlag: answering(requestFlag),
    requestExplicitLock: answering(requestExplicitLock),
    requestAutoReleaseLock: answering(requestAutoReleaseLock),
    requestScopedLock: answering(requestScopedLock),
  };
};
