/** For whom a client waits, according to the state. @typedef {import('../../core/types.js').State} State */

/**
 * The holders of the locks for which a client waits.
 * @param {State} state
 * @param {string} client
 * @param {number} after the client's requests up to this number do not count
 * @returns {Set<string>} other clients
 */
export const holdersBefore = ({ held, pending }, client, after) => {
  const all = new Set();
  const exclusive = new Set();
  for (const request of pending) {
    if (request.client !== client || request.number <= after) continue;
    for (const name of request.names) (request.mode === 'exclusive' ? all : exclusive).add(name);
  }
  const blocking = held.filter(({ mode, names }) => names.some((name) => all.has(name) || (mode === 'exclusive' && exclusive.has(name))));
  const holders = new Set(blocking.map((request) => request.client));
  holders.delete(client);
  return holders;
};

/**
 * By client: the numbers of the requests of [blockers] that precede those of [client] for the same names.
 * @param {State} state
 * @param {string} client
 * @param {Set<string>} blockers the other clients that count
 * @returns {Map<string, number[]>}
 */
export const requestsBefore = ({ held, pending }, client, blockers) => {
  const all = [...held, ...pending];
  const names = new Set(pending.flatMap((request) => (request.client === client ? request.names : [])));
  const last = all.length - 1 - [...all].reverse().findIndex((request) => request.client === client && !request.fence);
  /** @type {Map<string, number[]>} */
  const before = new Map();
  for (const request of all.slice(0, last)) {
    if (!blockers.has(request.client) || !request.names.some((name) => names.has(name))) continue;
    const numbers = before.get(request.client);
    if (numbers) numbers.push(request.number);
    else before.set(request.client, [request.number]);
  }
  return before;
};
