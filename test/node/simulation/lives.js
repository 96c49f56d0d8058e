/** Which contexts live, simulated. */

/** @param {import('./simulation.js').NodeSimulation} simulation */
export const createLives = (simulation) => {
  const { world } = simulation;
  /** By client, its context. @type {Map<string, any>} */
  const living = new Map();
  /** The watchers of a death, by client. @type {Map<string, Set<() => void>>} */
  const watchers = new Map();

  /** @param {string} client */
  const end = (client) => {
    living.delete(client);
    simulation.bells.gone(client);
    watchers.get(client)?.forEach((tell) => tell());
    watchers.delete(client);
  };

  return {
    has: (/** @type {string} */ client) => living.has(client),

    /** @param {string} client @param {any} context */
    begin: (client, context) => void living.set(client, context),

    /** Its sign of life is removed. Its watchers are not told, since it lives. @param {string} client */
    remove: (client) => void living.delete(client),

    /** @param {any} context */
    died(context) {
      for (const [client, owner] of living) if (owner === context) end(client);
    },

    /** @param {any} context @returns {import('../../../glue/platform/node/types.js').Life} */
    lifeFor: (context) => ({
      hold: async (client) => {
        await new Promise((resolve) => world.after(context, 0.1, 2, () => resolve(undefined)));
        if (simulation.lacksDescriptors && world.random() < 0.5) {
          throw Object.assign(new Error('no descriptor'), { code: 'EMFILE', syscall: 'listen' });
        }
        living.set(client, context);
        return { ref() {}, unref() {}, close: () => simulation.bySender(context, () => end(client)) };
      },
      watch: (client, onDeath) => {
        let wanted = true;
        // It connects, and learns nothing where it cannot.
        const tell = () => world.after(context, 0.1, 10, () => {
          if (wanted && simulation.lacksDescriptors) world.after(context, 50, 100, tell);
          else if (wanted) onDeath();
        });
        if (!living.has(client)) tell();
        else watchers.set(client, (watchers.get(client) || new Set()).add(tell));
        return () => {
          wanted = false;
        };
      },
      isAlive: (client) => new Promise((resolve) => {
        const answer = living.has(client) || simulation.lacksDescriptors;
        world.after(context, 0.1, 5, () => resolve(answer));
      }),
      bury: () => {},
      touch: (client) => void (context.touched = client),
      hasOthers(client) {
        const result = [...living.keys()].some((each) => each !== client);
        context.afterLook?.();
        return result;
      },
      hasStrangers: async () => false,
      sweep: async () => {},
    }),
  };
};
