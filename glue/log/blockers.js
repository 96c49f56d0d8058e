/** Who blocks whom, as the state has it. @typedef {import('../core/types.js').State} State */

/**
 * The clients that a waiting client must watch: the nearest blockers of each of its requests. Their own blockers stand further ahead, and
 * their own contexts watch those. So the first context that waits behind a client watches it, and the number of watches grows with the
 * number of clients, not with its square.
 *
 * This holds only while every waiting context watches. If a blocker in the middle is dropped, the contexts behind it have to look again.
 *
 * @param {Pick<State, 'held' | 'pending'>} state
 * @param {string} client
 * @returns {Set<string>} other clients
 */
export const blockersOf = ({ held, pending }, client) => {
  /**
   * By name: the client of the last exclusive request so far, and the clients of the shared requests after it. [seen]: whether a pending
   * request of [client] itself came by for this name.
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
        // Requests between this one and a later one of the same client wait for this one, or are compatible with it.
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
