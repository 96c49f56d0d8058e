/** Who blocks whom, according to the state. @typedef {import('../core/types.js').State} State */

/**
 * The clients that a waiting client must watch: the nearest blockers of each of its requests. It need not watch blockers further ahead,
 * since the nearest blockers watch those. So the number of watches grows with the number of clients, not with its square.
 *
 * This needs every waiting context to watch. If a request in the middle is dropped, the contexts behind it must determine their blockers
 * again.
 *
 * @param {Pick<State, 'held' | 'pending'>} state
 * @param {string} client
 * @returns {Set<string>} other clients
 */
export const blockersOf = ({ held, pending }, client) => {
  /**
   * By name: the client of the last exclusive request so far, and the clients of the shared requests after it. [seen]: whether the loop has
   * passed a pending request of [client] for this name.
   * @type {Map<string, {exclusive: string, shared: Set<string>, seen: boolean}>}
   */
  const nearest = new Map();
  /** @type {Set<string>} */
  const blockers = new Set();
  for (const request of [...held, ...pending]) {
    for (const name of request.names) {
      const ahead = nearest.get(name) || { exclusive: '', shared: new Set(), seen: false };
      nearest.set(name, ahead);
      if (request.client === client && !request.fence && !ahead.seen) {
        // Only the first request counts. Whatever stands between it and a later one of the same client waits for it, or is compatible with
        // it.
        ahead.seen = true;
        if (request.mode === 'exclusive' && ahead.shared.size) ahead.shared.forEach((each) => blockers.add(each));
        else if (ahead.exclusive) blockers.add(ahead.exclusive);
      }
      if (request.mode === 'shared') ahead.shared.add(request.client);
      else {
        ahead.exclusive = request.client;
        ahead.shared = new Set();
      }
    }
  }
  blockers.delete(client);
  return blockers;
};
