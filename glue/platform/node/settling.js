/** At the end of a task in which a context has read or written, sets the timers and watches that its requests need now. */

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
 * @param {() => boolean} parts.look reads, and returns whether there was news for this context
 * @param {() => void} parts.deal deals with an attempt that has failed, if nobody could yet
 */
export const createSettling = ({
  surroundings: { bell, afterTask }, own, membership, ringing, ticks, keeping, lookout, notices, look, deal,
}) => {
  /** Whether this context held or waited for anything at the end of its last task. */
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

  /** Runs before the thread waits for anything. */
  const endTask = () => {
    scheduled = false;
    deal();
    if (!membership.isMember()) return;
    settle();
    keeping.update();
    if (ringing.hasRung() && busy) bell.stayAwake(look);
  };

  return {
    isBusy: () => busy,

    /** Call it in each task that reads or writes. */
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
