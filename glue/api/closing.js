/**
 * close() of a manager that createLockManager() has made. It refuses new requests and ends pending ones. A held lock stays held until its
 * callback has settled, since nothing can stop a callback. Then this context leaves the manager.
 *
 * @typedef {import('../log/types.js').LockLog} LockLog
 * @typedef {import('../log/types.js').LogRequest} LogRequest
 *
 * @typedef {object} Closable
 * @property {() => LockLog} openLog opens or returns the log; throws once the manager is closed
 * @property {() => Promise<void>} close resolves when this context has left; further calls return the same promise
 */

import { createException } from './environment.js';

/**
 * @param {() => LockLog} openInner opens the log at its first call
 * @param {import('./environment.js').Environment} environment
 * @returns {Closable}
 */
export const createClosable = (openInner, environment) => {
  /** @type {LockLog | undefined} */
  let outer;
  /** @type {Promise<void> | undefined} */
  let closed;
  /** The pending requests, each with the function that ends it. @type {Map<LogRequest, () => void>} */
  const waiting = new Map();
  /** @type {Set<LogRequest>} */
  const held = new Set();
  let answersDue = 0;
  let finish = () => {};

  const finishWhenIdle = () => {
    if (closed && !waiting.size && !held.size && !answersDue) finish();
  };

  /** @template Answer @param {Promise<Answer>} answer @returns {Promise<Answer>} */
  const awaited = (answer) => {
    answersDue++;
    const arrived = () => {
      answersDue--;
      finishWhenIdle();
    };
    answer.then(arrived, arrived);
    return answer;
  };

  /** @param {LockLog} log @returns {LockLog} */
  const watch = (log) => ({
    ...log,
    request(description, listener) {
      const request = log.request(description, (outcome, fence, reason) => {
        waiting.delete(request);
        if (outcome === 'granted') held.add(request);
        else held.delete(request);
        listener(outcome, fence, reason);
        finishWhenIdle();
      });
      waiting.set(request, () => listener('closed', 0));
      return request;
    },
    drop(request) {
      waiting.delete(request);
      held.delete(request);
      log.drop(request);
      finishWhenIdle();
    },
    query: () => awaited(log.query()),
    inspect: () => awaited(log.inspect()),
    forceRelease: (names) => awaited(log.forceRelease(names)),
  });

  return {
    openLog() {
      if (closed) throw createException(environment, 'InvalidStateError', 'This lock manager is closed.');
      outer = outer || watch(openInner());
      return outer;
    },
    close() {
      closed = closed || new Promise((resolve) => {
        finish = () => {
          finish = () => {};
          if (outer) outer.leave();
          resolve();
        };
        // A callback may still release its lock later in this task.
        void Promise.resolve().then(finishWhenIdle);
      });
      const { drop } = outer || { drop() {} };
      for (const [request, end] of [...waiting]) {
        drop(request);
        end();
      }
      return closed;
    },
  };
};
