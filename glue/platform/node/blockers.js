/** @typedef {import('../../core/types.js').State} State */

/**
 * Whose deaths a waiting client must learn of by itself. Only the nearest requests in its way count: who stands behind those waits for
 * them in any case, so each death is watched by the first who waits for it, and the number of watches grows with the number of clients.
 *
 * @param {State} state
 * @param {string} client
 * @returns {Set<string>} other clients
 */
export const blockersOf = ({ held, pending }, client) => {
  /**
   * By name: the nearest exclusive one, and the shared ones behind it.
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
 * Who holds what a waiting client waits for.
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
  const inTheWay = held.filter(({ mode, names }) => names.some((name) => all.has(name) || (mode === 'exclusive' && exclusive.has(name))));
  const holders = new Set(inTheWay.map((request) => request.client));
  holders.delete(client);
  return holders;
};
