/**
 * Observes the log in this context: each operation when it is applied to the local copy of the state, and since when each request waits or
 * is held. It watches the core instead of the log, since every kind of log has a core.
 *
 * @typedef {import('../core/types.js').Core} Core
 * @typedef {import('../core/types.js').Operation} Operation
 * @typedef {import('../core/types.js').LockEvent} LockEvent
 *
 * @typedef {(operation?: Operation, events?: LockEvent[]) => void} Listener called with an operation and its events; with nothing if
 *   the whole state was replaced. It must not call the log.
 *
 * @typedef {object} Observation
 * @property {<Given extends unknown[], Opened extends Core | Promise<Core>>(open: (...given: Given) => Opened) => (...given: Given) =>
 *   Opened} watch [open] returns a core, or a promise of one. The returned function returns the same core, watched.
 * @property {() => import('../core/types.js').State} state of the core in use
 * @property {(client: string, number: number) => number} sinceOf when the request began to wait or, if it is held, was granted, in
 *   milliseconds since 1970; if that was before this context had the state, when it got the state
 * @property {(listener: Listener) => () => void} listen returns a function that ends the listening
 */

/**
 * @param {() => number} now
 * @returns {Observation}
 */
export const createObservation = (now) => {
  /** @type {Core} */
  let current;
  let replacedAt = 0;
  const origin = now();
  /** @type {Map<string, Map<number, number>>} by client and number */
  const times = new Map();
  /** @type {Set<Listener>} */
  const listeners = new Set();

  /** @param {string} client */
  const timesOf = (client) => {
    let known = times.get(client);
    if (!known) times.set(client, (known = new Map()));
    return known;
  };

  /** @param {Operation} operation @param {LockEvent[]} events */
  const applied = (operation, events) => {
    let waits = operation.type === 'request';
    // Milliseconds since [origin], as a small whole number: engines store it in place, which saves memory with very many requests.
    const time = waits || events.length ? Math.floor(now() - origin) : 0;
    for (const { type, client, number } of events) {
      if (type === 'granted') timesOf(client).set(number, time);
      else timesOf(client).delete(number);
      if (operation.type === 'request' && number === operation.number && client === operation.client) waits = false;
    }
    if (operation.type === 'request' && waits) timesOf(operation.client).set(operation.number, time);
    if (operation.type === 'gone') times.delete(operation.client);
    if (listeners.size) listeners.forEach((listener) => listener(operation, events));
  };

  const replaced = () => {
    times.clear();
    replacedAt = now();
    for (const listener of listeners) listener();
  };

  /** @param {Core} core @returns {Core} */
  const wrap = (core) => Object.assign({}, core, /** @type {Partial<Core>} */ ({
    apply(operation) {
      current = core;
      const events = core.apply(operation);
      applied(operation, events);
      return events;
    },
    restore(bytes) {
      core.restore(bytes);
      current = core;
      replaced();
    },
    reset(fence) {
      core.reset(fence);
      current = core;
      replaced();
    },
  }));

  return {
    watch: (open) => (...given) => {
      const core = open(...given);
      return /** @type {typeof core} */ ('then' in core ? core.then(wrap) : wrap(core));
    },
    state: () => current.state(),
    sinceOf(client, number) {
      const known = times.get(client);
      const time = known && known.get(number);
      return time === undefined ? replacedAt : origin + time;
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
