/** requestFlag() of the first draft. A flag is a lock that releases itself. */
import { createPlatformObject } from '../platform-object.js';
import { tooFewArguments } from '../wording.js';
import { requestHolding } from './holding.js';
import { defineLock } from './lock.js';
import { toFlagOptions } from './options.js';
import { toScope } from './scope.js';
import { createWaiting, waitingMembers } from './waiting.js';

export const Flag = /* @__PURE__ */ defineLock('Flag', waitingMembers);

/** @param {import('./request.js').Face} face */
export const createRequestFlag = (face) => ({
  /** @param {...unknown} given scope, mode, options */
  requestFlag(...given) {
    if (given.length < 2) throw new TypeError(tooFewArguments('requestFlag', 'a scope and a mode', given.length));
    const scope = toScope(given[0]);
    const options = toFlagOptions(face.environment.global, given[1], given[2]);
    return requestHolding(face, scope, options, (holding) => createPlatformObject(Flag, createWaiting(holding)));
  },
});
