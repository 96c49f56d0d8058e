/** What contexts have said to each other and what is not heard yet. */

/** @param {import('../../simulation/world.js').World} world */
export const createUnderway = (world) => {
  /** By how it is heard, the context that hears it. @type {Map<() => unknown, any>} */
  const underway = new Map();

  return {
    /** @param {any} context hears it @param {number} time when @param {() => unknown} hear */
    send(context, time, hear) {
      const once = () => underway.delete(once) && hear();
      underway.set(once, context);
      world.at(context, time, once);
    },

    /** Every awake context hears everything now. */
    deliverNow: () => underway.forEach((context, hear) => context.alive && !context.isStopped() && hear()),
  };
};
