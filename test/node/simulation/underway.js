/** What contexts have said to each other and nobody has heard yet. */

/** @param {import('../../simulation/world.js').World} world */
export const createUnderway = (world) => {
  /** By how it is heard, who hears it. @type {Map<() => unknown, any>} */
  const underway = new Map();

  return {
    /** @param {any} context hears it @param {number} time when @param {() => unknown} hear */
    send(context, time, hear) {
      const once = () => underway.delete(once) && hear();
      underway.set(once, context);
      world.at(context, time, once);
    },

    /** Whoever is awake hears everything now. */
    deliverNow: () => underway.forEach((context, hear) => context.alive && !context.isStopped() && hear()),
  };
};
