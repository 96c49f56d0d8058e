/** How often a context that waits for a lock checks whether it has missed messages, in milliseconds. */
const LOOK = 1000;

/**
 * Detects missed messages that nothing reports (D10). The missed message may release the lock that this context waits for, and no other
 * message may follow for a long time.
 *
 * @param {import('./log.js').Context} context
 */
export const createLosses = (context) => {
  /** The connection whose timer checks. @type {import('./connection.js').Connection | undefined} */
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
