/**
 * Watches other clients for one context. It watches clients that block its requests, and clients that have announced an entry and may die
 * before they ring for it.
 *
 * @param {(client: string, onDeath: () => void) => () => void} watch calls [onDeath] once, when the client has died, never from inside this
 *   call; returns a function that stops the watch
 * @param {(client: string) => void} died called once for each watched client that dies
 */
export const createGuard = (watch, died) => {
  /** This many watches stay open even if not needed now: contexts that take turns need them again soon. */
  const KEEP = 8;
  /** By client, the function that stops the watch. @type {Map<string, () => void>} */
  const watches = new Map();
  /** By client, the number of its announced operation. @type {Map<string, number>} */
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
     * @param {Set<string>} blockers the clients that block this context's requests now: see ../../log/blockers.js
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
     * Watches [client] until the state contains its operation [number], which it has announced.
     * @param {string} client
     * @param {number} number
     */
    expect(client, number) {
      announced.set(client, number);
      add(client);
    },

    /** Stops watching [client], which has ended. @param {string} client */
    remove,

    /** Stops all watches. */
    stop: () => [...watches.keys()].forEach(remove),
  };
};
