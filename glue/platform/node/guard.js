/**
 * Watches other clients for one context. Two kinds of deaths matter: of clients that block its requests, and of clients that have
 * announced an entry and may die before they have told anybody of it.
 *
 * @param {(client: string, onDeath: () => void) => () => void} watch calls [onDeath] once, when the client has died, and never from
 *   inside this call; returns what stops the watch
 * @param {(client: string) => void} died called once for each death that was watched for
 */
export const createGuard = (watch, died) => {
  /** This many watches stay open although they are not needed now: contexts that take turns need them again soon. */
  const KEEP = 8;
  /** By client, the function that stops the watch. @type {Map<string, () => void>} */
  const watches = new Map();
  /** By client, the number of the operation that it has announced. @type {Map<string, number>} */
  const announced = new Map();

  /** @param {string} client */
  const add = (client) => {
    if (watches.has(client)) return;
    watches.set(client, watch(client, () => {
      watches.delete(client);
      announced.delete(client);
      died(client);
    }));
  };

  /** @param {string} client */
  const remove = (client) => {
    watches.get(client)?.();
    watches.delete(client);
    announced.delete(client);
  };

  return {
    /**
     * Watches [blockers], and stops most other watches.
     * @param {Set<string>} blockers who blocks this context's requests now: see ../../log/blockers.js
     * @param {(client: string) => number} last the number of a client's last operation in the state
     */
    turnTo(blockers, last) {
      for (const [client, number] of announced) if (last(client) >= number) announced.delete(client);
      for (const client of watches.keys()) {
        if (watches.size > KEEP && !blockers.has(client) && !announced.has(client)) remove(client);
      }
      blockers.forEach(add);
    },

    /**
     * Watches [client] until the state has its operation [number]: it has said that it is about to write it.
     * @param {string} client
     * @param {number} number
     */
    expect(client, number) {
      announced.set(client, number);
      add(client);
    },

    /** Stops watching [client]: it has gone. @param {string} client */
    remove,

    /** Stops watching everybody. */
    stop: () => [...watches.keys()].forEach(remove),
  };
};
