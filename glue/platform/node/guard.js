/**
 * Watches the lives of others for one context. It needs to learn of two kinds of deaths: of clients that block its requests, and of
 * clients that have announced an entry and may die before anybody has been told of that entry.
 *
 * @param {(client: string, onDeath: () => void) => () => void} watch calls [onDeath] once, when the client has died, and never from
 *   inside this call; returns what stops the watch
 * @param {(client: string) => void} died told once of each death that was watched for
 */
export const createGuard = (watch, died) => {
  /** This many watches stay although nobody needs them now: contexts that take turns need each other again and again. */
  const KEEP = 8;
  /** @type {Map<string, () => void>} by client, what stops the watch */
  const watches = new Map();
  /** @type {Map<string, number>} by client, the number of the operation that it has announced */
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
  };

  return {
    /**
     * Watches [blockers], and no longer most of those watched before.
     * @param {Set<string>} blockers who blocks this context's requests now: see ./blockers.js
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
    stop() {
      [...watches.keys()].forEach(remove);
      announced.clear();
    },
  };
};
