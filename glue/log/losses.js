/** How often a context that waits for a lock looks whether messages to it were lost, in milliseconds. */
const LOOK = 1000;

/**
 * Finds out that messages were lost where nothing tells (D10): what frees a lock may have been the last one for long.
 *
 * @param {import('./log.js').Context} context
 */
export const createLosses = (context) => {
  /** The connection whose timer looks. @type {import('./connection.js').Connection | undefined} */
  let timer;

  const losses = {
    /** This context may have begun to wait. */
    check() {
      const { connection } = context;
      if (timer === connection || context.alone || !context.own.waits()) return;
      timer = connection;
      connection.later(() => {
        timer = undefined;
        context.order.look();
        losses.check();
      }, LOOK);
    },
  };
  return losses;
};
