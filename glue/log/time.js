import { LONGEST_TIMER } from './clock.js';

/** How much later than the eldest another context posts the time when a deadline is due, in milliseconds. The eldest may sleep. */
const DEPUTY = 200;

/**
 * Posts the time when a deadline is due (D5). The eldest does so, and any context that holds or waits for something.
 *
 * @param {import('./log.js').Context} context
 */
export const createTime = (context) => {
  const { replica, own, clock } = context;
  let cancel = () => {};
  /** The time that this context has posted last. */
  let told = 0;

  const tick = () => {
    const now = told = clock.now();
    if (context.alone) context.applyAtOnce([{ type: 'tick', now }]);
    else if (context.mayAct()) context.post('tick', replica.log, now);
  };

  const time = {
    /** A new connection, or another life. */
    reset() {
      cancel();
      told = 0;
    },

    /** A deadline may have been added or removed. */
    check() {
      cancel();
      const due = replica.core.nextDeadline();
      const isEldest = replica.eldest() === own.id();
      if (due === Infinity || !(isEldest || own.busy())) return;
      // Retry after DEPUTY: a context in doubt posts nothing, and a tick that was posted may still be on its way.
      const delay = Math.max(due - clock.now(), context.mayAct() && told < due ? 1 : DEPUTY) + (isEldest ? 0 : DEPUTY);
      cancel = context.connection.later(() => {
        tick();
        time.check();
      }, Math.min(delay, LONGEST_TIMER));
    },
  };
  return time;
};
