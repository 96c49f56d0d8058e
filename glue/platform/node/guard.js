/**
 * The deaths that this context must learn of: of those who are in its way, and of those who have announced an entry that may concern
 * it and might end between writing it and ringing.
 *
 * @param {(client: string, onDeath: () => void) => () => void} watch
 * @param {(client: string) => void} died
 */
export const createGuard = (watch, died) => {
  /** Some that are not needed just now are kept: those who take turns need each other again and again. */
  const KEEP = 8;
  /** @type {Map<string, () => void>} how to stop each watch */
  const watches = new Map();
  /** @type {Map<string, number>} by client, the operation that it has announced */
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
    /** @param {Set<string>} blockers those in the way now @param {(client: string) => number} last each client's last operation */
    turnTo(blockers, last) {
      for (const [client, number] of announced) if (last(client) >= number) announced.delete(client);
      for (const client of watches.keys()) {
        if (watches.size > KEEP && !blockers.has(client) && !announced.has(client)) remove(client);
      }
      blockers.forEach(add);
    },

    /** @param {string} client @param {number} number */
    expect(client, number) {
      announced.set(client, number);
      add(client);
    },

    remove,

    stop() {
      [...watches.keys()].forEach(remove);
      announced.clear();
    },
  };
};
