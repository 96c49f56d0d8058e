/** Locks that are held until a callback has settled: acquire() of the early draft, and requestScopedLock() of the explainer. */
import { toCallback } from '../idl.js';
import { tooFewArguments } from '../wording.js';
import { createScopedLock } from './lock.js';
import { toOptions } from './options.js';
import { requestScope } from './request.js';
import { toScope } from './scope.js';

/** @param {import('./request.js').Face} face */
export const createAcquire = (face) => {
  const { global } = face.environment;
  return {
    /**
     * acquire(scope, callback) or acquire(scope, options, callback); the number of arguments decides which.
     * @param {...unknown} given
     */
    acquire(...given) {
      if (given.length < 2) throw new TypeError(tooFewArguments('acquire', 'a scope and a callback', given.length));
      const [options, callback] = given.length === 2 ? [undefined, given[1]] : [given[1], given[2]];
      const scope = toScope(given[0]);
      return requestScope(face, scope, toOptions(global, 'acquire', options), createScopedLock, toCallback(callback));
    },

    /** @param {...unknown} given scope, callback, options */
    requestScopedLock(...given) {
      if (given.length < 2) throw new TypeError(tooFewArguments('requestScopedLock', 'a scope and a callback', given.length));
      const scope = toScope(given[0]);
      const callback = toCallback(given[1]);
      return requestScope(face, scope, toOptions(global, 'requestScopedLock', given[2]), createScopedLock, callback);
    },
  };
};
