/**
 * A log without a network: all contexts share one model of the core, and it applies their operations in order, in microtasks of its
 * own. It stands in for glue/log in tests of the face alone.
 */

/** @param {import('../../glue/core/types.js').Core} model */
export const createMemoryLog = (model) => {
  /** @type {Map<string, Map<number, any>>} open requests by number, by client */
  const clients = new Map();
  /** @type {(() => void)[]} */
  const queue = [];

  const enqueue = (/** @type {() => void} */ step) => {
    queue.push(step);
    if (queue.length === 1) queueMicrotask(deliver);
  };
  const deliver = () => {
    queue[0]();
    queue.shift();
    if (queue.length) queueMicrotask(deliver);
  };

  /** @param {any} event */
  const tell = ({ type, client, number, fence }) => {
    const requests = clients.get(client);
    const request = requests && requests.get(number);
    if (!requests || !request) return;
    if (type !== 'granted') requests.delete(number);
    if (type !== 'removed') request.listener(type, fence);
  };
  const apply = (/** @type {any} */ operation) => model.apply(operation).forEach(tell);

  return {
    /** Moves log time. @param {number} now */
    tick: (now) => enqueue(() => apply({ type: 'tick', now })),

    /** One more context. @returns {import('../../glue/log/types.js').LockLog} */
    open() {
      const client = `client-${clients.size + 1}`;
      const requests = new Map();
      let last = 1;
      clients.set(client, requests);
      apply({ type: 'join', client, number: 1 });
      const send = (/** @type {any} */ operation) => {
        const number = ++last;
        enqueue(() => apply({ ...operation, client, number }));
        return number;
      };

      return {
        clientId: () => client,
        request(description, listener) {
          const number = send({ type: 'request', ...description });
          const request = /** @type {any} */ ({ number, description, listener });
          requests.set(number, request);
          return request;
        },
        drop({ number }) {
          if (requests.delete(number)) send({ type: 'drop', request: number });
        },
        join() {},
        forceRelease: (names) => new Promise((resolve) => {
          send({ type: 'force-release', names });
          enqueue(resolve);
        }),
        query: () => new Promise((resolve) => enqueue(() => resolve(model.state()))),
        inspect: () => new Promise((resolve) => enqueue(() => resolve({
          client, leader: 'client-1', log: 'memory', count: 1, state: model.state(),
        }))),
        leave: () => enqueue(() => {
          const lost = [...requests.values()];
          requests.clear();
          apply({ type: 'gone', client });
          lost.forEach(({ listener }) => listener('lost', 0));
        }),
      };
    },
  };
};
