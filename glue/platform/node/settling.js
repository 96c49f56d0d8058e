/** The end of a task in which a context has read or written: it sets timers and watches for what it waits for now. */

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'bell' | 'afterTask'>} parts.surroundings
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {ReturnType<typeof import('./ringing.js').createRinging>} parts.ringing
 * @param {ReturnType<typeof import('./ticks.js').createTicks>} parts.ticks
 * @param {ReturnType<typeof import('./keeping.js').createKeeping>} parts.keeping
 * @param {ReturnType<typeof import('./lookout.js').createLookout>} parts.lookout
 * @param {ReturnType<typeof import('./notices.js').createNotices>} [parts.notices] where processes share the journal
 * @param {() => boolean} parts.look reads, and returns whether there was something for this context
 */
export const createSettling = ({ surroundings: { bell, afterTask }, own, membership, ringing, ticks, keeping, lookout, notices, look }) => {
  /** Whether this context holds or waits for anything, as of the end of its last task. */
  let busy = false;
  let scheduled = false;

  const settle = () => {
    ticks.stop();
    if (own.busy() !== busy) {
      busy = !busy;
      membership.keep(busy);
      if (!busy) notices?.rest();
    }
    if (!busy) return;
    ticks.settle();
    (notices || lookout).settle();
  };

  /** Before the thread waits for anything. */
  const endTask = () => {
    scheduled = false;
    if (!membership.isMember()) return;
    settle();
    keeping.update();
    if (ringing.hasRung() && busy) bell.stayAwake(look);
  };

  return {
    isBusy: () => busy,

    /** Call it in each such task. */
    soon() {
      if (!scheduled) afterTask(endTask);
      scheduled = true;
    },

    /** This context is no longer a member. */
    leave() {
      busy = false;
      ticks.stop();
    },
  };
};
