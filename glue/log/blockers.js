/** Who blocks whom, as the state has it. @typedef {import('../core/types.js').State} State */

/**
 * Whose deaths a client that waits must watch for. Only the nearest blockers of each of its requests count. What stands before those
 * blocks them in turn, and their own contexts watch for it; so each death is watched for by the first who waits behind it, and the
 * number of watches grows with the number of clients, not with its square.
 *
 * This holds only while every context that waits, watches. Where a blocker in the middle is dropped, those behind it have to look again.
 *
 * @param {State} state
 * @param {string} client
 * @returns {Set<string>} other clients
 */
export const blockersOf = ({ held, pending }, client) => {
  /**
   * By name: the client of the last exclusive request so far, and those of the shared ones after it. [seen]: so far, one of [client]'s own
   * requests for this name was pending.
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
        // What stands between this and a later request of the same client waits for this one, or is compatible with it.
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

/**
 * Who holds the locks that a client waits for.
 * @param {State} state
 * @param {string} client
 * @returns {Set<string>} other clients
 */
export const holdersBefore = ({ held, pending }, client) => {
  const all = new Set();
  const exclusive = new Set();
  for (const request of pending) {
    if (request.client !== client) continue;
    for (const name of request.names) (request.mode === 'exclusive' ? all : exclusive).add(name);
  }
  const blocking = held.filter(({ mode, names }) => names.some((name) => all.has(name) || (mode === 'exclusive' && exclusive.has(name))));
  const holders = new Set(blocking.map((request) => request.client));
  holders.delete(client);
  return holders;
};
