/**
 * @typedef {import('../../log/types.js').LockLog} LockLog
 * @typedef {import('../../log/types.js').LogRequest} LogRequest
 */

/**
 * [log], but an if-available request is not refused because of a dead holder. Nobody watches a holder if nobody waits for its lock. So a
 * refused request first looks whether the clients with requests of the same names live. If one does not, the request is sent again.
 *
 * @param {LockLog} log
 * @param {(names: string[]) => false | Promise<boolean>} buryDead looks whether the clients with requests of these names live, and posts
 *   `gone` for the dead; returns whether there were any
 * @returns {LockLog}
 */
export const withSecondLook = (log, buryDead) => {
  /** For each if-available request, the request in the log that stands for it now. @type {WeakMap<LogRequest, LogRequest>} */
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
