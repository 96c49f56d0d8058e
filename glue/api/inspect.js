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
 * Groups the items into lists, by the result of [keyOf].
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => string} keyOf
 */
const listsBy = (items, keyOf) => {
  /** @type {Map<string, Item[]>} */
  const lists = new Map();
  for (const item of items) {
    const list = lists.get(keyOf(item));
    if (list) list.push(item);
    else lists.set(keyOf(item), [item]);
  }
  return lists;
};

/**
 * The clients for which each client waits: those that hold one of its names, or requested it earlier, in a mode that blocks it.
 * @param {RequestState[]} held
 * @param {RequestState[]} pending
 */
const waitsFor = (held, pending) => {
  /** @type {Map<string, {all: Set<string>, exclusive: Set<string>}>} by name, the clients ahead */
  const ahead = new Map();
  /** @type {Map<string, Set<string>>} */
  const edges = new Map();
  // Held locks come first. They do not block each other, so they add no edges among themselves.
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
 * Lists every client that is reachable from [start] and not yet in [seen], each after the clients first reached through it. It uses no
 * recursion, since there may be more clients than fit on the stack.
 * @param {Map<string, Set<string>>} edges
 * @param {string} start
 * @param {Set<string>} seen
 * @param {string[]} list
 */
const walk = (edges, start, seen, list) => {
  /** @type {[string, Iterator<string>][]} */
  const path = [];
  /** @param {string} client */
  const enter = (client) => {
    if (seen.has(client)) return;
    seen.add(client);
    path.push([client, /** @type {Set<string>} */ (edges.get(client)).values()]);
  };
  enter(start);
  while (path.length) {
    const [client, targets] = path[path.length - 1];
    const { done, value } = targets.next();
    if (done) {
      list.push(client);
      path.pop();
    } else enter(value);
  }
};

/**
 * Groups of members that wait for each other. A member that waits only for itself is left out: that may be a queue, and no deadlock. The
 * groups are the strongly connected components, found by Kosaraju's algorithm, since a queue of n members has n * n edges: it walks along
 * the edges, and then against them, beginning with the members listed last.
 * @param {Map<string, Set<string>>} edges
 */
const findDeadlocks = (edges) => {
  const clients = [...edges.keys()];
  /** @type {Map<string, Set<string>>} */
  const reversed = new Map(clients.map((client) => [client, new Set()]));
  edges.forEach((targets, client) => targets.forEach((target) => /** @type {Set<string>} */ (reversed.get(target)).add(client)));
  /** @type {string[]} */
  const left = [];
  const seen = new Set();
  for (const client of clients) walk(edges, client, seen, left);
  /** For each client, the member that represents its group. @type {Map<string, string>} */
  const groupOf = new Map();
  seen.clear();
  for (const client of left.reverse()) {
    /** @type {string[]} */
    const group = [];
    walk(reversed, client, seen, group);
    for (const member of group) groupOf.set(member, client);
  }
  return [...listsBy(clients, (client) => /** @type {string} */ (groupOf.get(client))).values()].filter((group) => group.length > 1);
};

/**
 * Members with a request that waits for a lock of their own. Often that is only a queue. It is a deadlock if the callback that holds the
 * lock waits for the request, which cannot be seen from outside.
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
  /** @param {RequestState[]} requests */
  const byClient = (requests) => listsBy(requests, (request) => request.client);
  const [held, pending] = [byClient(state.held), byClient(state.pending)];
  /** @param {RequestState} request */
  const asked = ({ client: owner, number, names, mode }) => ({ names, mode, since: sinceOf(owner, number) });
  return {
    client,
    leader,
    entries: count,
    members: state.members.map((member) => ({
      client: member.client,
      held: (held.get(member.client) || []).map((request) => ({ ...asked(request), fence: request.fence })),
      pending: (pending.get(member.client) || []).map(asked),
    })),
    deadlocks: findDeadlocks(waitsFor(state.held, state.pending)),
    waitsForItself: findWaitingForThemselves(state.held, state.pending),
  };
};
