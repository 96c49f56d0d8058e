/**
 * @typedef {import('../../log/types.js').LockLog} LockLog
 * @typedef {import('../../log/types.js').LogRequest} LogRequest
 */

/**
 * Wraps [log] so that a dead holder does not make it refuse an if-available request. Nobody watches a holder if nobody waits for its lock.
 * So before a refusal, check whether the clients with requests for the same names live. If any is dead, send the request again.
 *
 * @param {LockLog} log
 * @param {(names: string[]) => false | Promise<boolean>} buryDead checks whether the clients with requests for these names live, and writes
 *   `gone` for the dead; returns whether there were any
 * @returns {LockLog}
 */
export const withSecondLook = (log, buryDead) => {
  /** For each if-available request, the request in the log that currently represents it. @type {WeakMap<LogRequest, LogRequest>} */
  const current = new WeakMap();
  /** How often this context has left. */
  let departures = 0;

  /** @type {LockLog['request']} */
  const requestIfAvailable = (description, listener) => {
    const ask = () => log.request(description, (outcome, fence, reason) => {
      if (outcome === 'granted') request.fence = fence;
      if (outcome === 'unavailable') void lookAgain();
      else listener(outcome, fence, reason);
    });
    const lookAgain = async () => {
      const before = departures;
      const looking = buryDead(description.names);
      const again = looking && await looking;
      // It may have been dropped meanwhile.
      if (!current.delete(request)) return;
      if (before !== departures) listener('lost', 0);
      else if (!again) listener('unavailable', 0);
      else {
        const next = ask();
        current.set(request, next);
        request.number = next.number;
      }
    };
    const request = ask();
    current.set(request, request);
    return request;
  };

  return {
    ...log,
    request: (description, listener) => (description.ifAvailable ? requestIfAvailable : log.request)(description, listener),
    drop(request) {
      const asked = current.get(request);
      if (asked) current.delete(request);
      log.drop(asked || request);
    },
    detach: (request) => log.detach && log.detach(current.get(request) || request),
    leave() {
      departures++;
      log.leave();
    },
  };
};
