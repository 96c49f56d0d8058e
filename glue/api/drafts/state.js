/** The early draft's queryState() and forceRelease(). */
import { checkEnvironment } from '../environment.js';
import { tooFewArguments } from '../wording.js';
import { checkScope, toScope } from './scope.js';

/**
 * @typedef {{mode: 'exclusive' | 'shared', scope: string[]}} ScopeInfo WebIDL fixes the order of the keys
 *
 * @param {import('../../core/types.js').RequestState[]} requests
 * @returns {ScopeInfo[]}
 */
const scopeInfos = (requests) => requests.map(({ mode, names }) => ({ mode, scope: names }));

/** @param {import('./request.js').Face} face */
export const createStateOperations = ({ environment, openLog }) => ({
  /** @returns {Promise<{held: ScopeInfo[], pending: ScopeInfo[]}>} the held and pending requests of all contexts, each request once */
  queryState() {
    checkEnvironment(environment);
    return openLog().query().then(({ held, pending }) => ({ held: scopeInfos(held), pending: scopeInfos(pending) }));
  },

  /** @param {...unknown} given scope */
  forceRelease(...given) {
    if (!given.length) throw new TypeError(tooFewArguments('forceRelease', 'a scope', 0));
    const scope = toScope(given[0]);
    checkEnvironment(environment);
    const log = openLog();
    checkScope(environment, scope);
    return log.forceRelease([...scope]);
  },
});
