import { checkEnvironment, createException } from '../environment.js';
import { abortReason, requestLock } from '../request.js';
import { watchContention } from './contention.js';
import { createHeld } from './held.js';
import { withPatience } from './patience.js';
import { checkScope } from './scope.js';

/**
 * @typedef {import('../../log/types.js').LockLog} LockLog
 * @typedef {import('../environment.js').Environment} Environment
 * @typedef {import('./held.js').Held} Held
 *
 * @typedef {object} Face what the drafts share with their lock manager
 * @property {Environment} environment
 * @property {() => LockLog} openLog
 * @property {import('../observation.js').Observation} [observation] absent over a claims service, which does not report waiters
 */

/** @param {import('./options.js').DraftOptions} options */
const limitsOf = ({ ifAvailable, hold = Infinity, timeout = Infinity }) => ({
  ...(ifAvailable || timeout === Infinity ? {} : { wait: timeout }),
  ...(hold === Infinity ? {} : { hold }),
});

/**
 * The draft's "request a lock", with the options that came later. It throws if it refuses the request.
 *
 * @template {object} Given
 * @param {Face} face
 * @param {readonly string[]} scope
 * @param {import('./options.js').DraftOptions} options
 * @param {(held: Held) => Given} createLock makes the object that [callback] gets
 * @param {(lock: Given | null) => unknown} callback gets null if an ifAvailable request was not granted
 * @returns {Promise<unknown>}
 */
export const requestScope = ({ environment, openLog, observation }, scope, options, createLock, callback) => {
  checkEnvironment(environment);
  const log = openLog();
  checkScope(environment, scope);
  const { mode, ifAvailable, signal, timeout = Infinity, onContention } = options;
  if (signal && signal.aborted) throw abortReason(environment, signal);
  if (onContention && !observation) {
    throw createException(environment, 'NotSupportedError', 'The option onContention cannot be used over a claims service.');
  }

  /** @type {Held | undefined} */
  let held;
  let taken = false;
  /** @type {import('../../log/types.js').LogRequest} */
  let made;
  let stopWatching = () => {};

  /** The log for requestLock(). It also notes whether the request has ended other than by its owner. */
  const heard = {
    ...log,
    /** @type {LockLog['request']} */
    request: (description, listener) => (made = log.request(description, (outcome, fence, reason) => {
      if (outcome !== 'granted') {
        taken = true;
        stopWatching();
      }
      listener(outcome, fence, reason);
    })),
  };

  /** @param {number} fence */
  const granted = (fence) => {
    held = createHeld(environment.global, scope, mode, fence);
    if (options.isDetached && log.detach) log.detach(made);
    if (onContention && observation) stopWatching = watchContention(observation, held, onContention);
    return createLock(held);
  };

  const description = { names: [...scope], mode, ifAvailable, ...limitsOf(options) };
  return requestLock(environment, heard, description, withPatience(environment, signal, timeout, scope), granted, callback).then(
    (value) => {
      stopWatching();
      return log.rest ? log.rest(made).then(() => value) : value;
    },
    async (error) => {
      stopWatching();
      if (taken && held) held.lose(error);
      if (log.rest) await log.rest(made);
      throw error;
    },
  );
};
