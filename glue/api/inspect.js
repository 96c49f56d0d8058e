/**
 * inspect(): the state by member, with suspected deadlocks, for people and tools.
 *
 * @typedef {import('../core/types.js').RequestState} RequestState
 * @typedef {import('../log/types.js').Inspection} Inspection
 *
 * @typedef {object} MemberReport
 * @property {string} client
 * @property {{names: string[], mode: 'exclusive' | 'shared', fence: number, since: number}[]} held
 * @property {{names: string[], mode: 'exclusive' | 'shared', since: number}[]} pending
 *
 * @typedef {object} Report
 * @property {string} client this context
 * @property {string} leader the eldest member; empty in Node and over a claims service
 * @property {number} entries of the log that this context has applied; in Node the bytes of the journal's file
 * @property {MemberReport[]} members in the order of joining
 * @property {string[][]} deadlocks groups of members. In a group, each waits for every other, directly or through others
 * @property {string[]} waitsForItself members with a request that waits for a lock of their own
 */

/**
 * Which clients each client waits for: those that hold one of its names, or requested it earlier, in a mode that blocks it.
 * @param {RequestState[]} held
 * @param {RequestState[]} pending
 */
const waitsFor = (held, pending) => {
  /** @type {Map<string, {all: Set<string>, exclusive: Set<string>}>} by name, the clients ahead */
  const ahead = new Map();
  /** @type {Map<string, Set<string>>} */
  const edges = new Map();
  // Held locks come first. They do not block each other, so among themselves they add no edge.
  for (const { client, mode, names } of [...held, ...pending]) {
    const targets = edges.get(client) || new Set();
    edges.set(client, targets);
    for (const name of names) {
      const clients = ahead.get(name) || { all: new Set(), exclusive: new Set() };
      ahead.set(name, clients);
      (mode === 'shared' ? clients.exclusive : clients.all).forEach((each) => targets.add(each));
      clients.all.add(client);
      if (mode === 'exclusive') clients.exclusive.add(client);
    }
  }
  return edges;
};

/**
 * Members that wait for each other. A member that waits only for itself is left out: that may be a queue, and no deadlock.
 * @param {Map<string, Set<string>>} edges
 */
const findDeadlocks = (edges) => {
  /** @param {string} start */
  const reach = (start) => {
    const found = new Set();
    const open = [start];
    for (let client = open.pop(); client !== undefined; client = open.pop()) {
      for (const next of edges.get(client) || []) {
        if (!found.has(next)) open.push(next);
        found.add(next);
      }
    }
    return found;
  };
  const clients = [...edges.keys()];
  const reached = new Map(clients.map((client) => [client, reach(client)]));
  /** @param {string} one @param {string} other */
  const wait = (one, other) => /** @type {Set<string>} */ (reached.get(one)).has(other);
  const groups = clients.map((one) => clients.filter((other) => one === other || (wait(one, other) && wait(other, one))));
  return groups.filter((group, index) => group.length > 1 && group[0] === clients[index]);
};

/**
 * Members with a request that waits for a lock of their own. Often that is only a queue. It is a deadlock if the callback that holds the
 * lock waits for the request. That cannot be seen from outside.
 * @param {RequestState[]} held
 * @param {RequestState[]} pending
 */
const findWaitingForThemselves = (held, pending) => {
  /** @param {RequestState} request */
  const keyOf = ({ client, mode }, /** @type {string} */ name) => JSON.stringify([client, mode, name]);
  const holds = new Set();
  for (const request of held) for (const name of request.names) holds.add(keyOf(request, name));
  /** @param {RequestState} request */
  const isBlockedByOwn = (request) => request.names.some((name) => holds.has(keyOf({ ...request, mode: 'exclusive' }, name))
    || (request.mode === 'exclusive' && holds.has(keyOf({ ...request, mode: 'shared' }, name))));
  return [...new Set(pending.filter(isBlockedByOwn).map(({ client }) => client))];
};

/**
 * @param {Inspection} inspection
 * @param {(client: string, number: number) => number} sinceOf when the request began to wait or to be held, by this context's clock
 * @returns {Report}
 */
export const reportOf = ({ client, leader, count, state }, sinceOf) => {
  /** @param {string} member @param {RequestState[]} requests */
  const of = (member, requests) => requests.filter((request) => request.client === member);
  /** @param {RequestState} request */
  const asked = ({ client: owner, number, names, mode }) => ({ names, mode, since: sinceOf(owner, number) });
  return {
    client,
    leader,
    entries: count,
    members: state.members.map((member) => ({
      client: member.client,
      held: of(member.client, state.held).map((request) => ({ ...asked(request), fence: request.fence })),
      pending: of(member.client, state.pending).map(asked),
    })),
    deadlocks: findDeadlocks(waitsFor(state.held, state.pending)),
    waitsForItself: findWaitingForThemselves(state.held, state.pending),
  };
};
