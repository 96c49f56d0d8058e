/** How long a hidden context with nothing left to do usually stays a member, in milliseconds. */
const IDLE = 1000;

/**
 * When a page's state lets its context take part. One in the back-forward cache does not (D12). A hidden one leaves when it has nothing
 * left to do (R15): a phone may stop it soon, and a newcomer must not wait for its answer. It stays while another one's lock may depend on
 * it.
 *
 * @param {import('./log.js').Context} context
 */
export const createHiding = (context) => {
  const { place, own } = context;
  /** @type {import('../platform/lifecycle.js').Lifecycle} */
  let lifecycle = 'visible';
  /** Whether this context, which is hidden, will soon look whether it has anything left to do. */
  let isCheckDue = false;
  /** Whether it would have left if it were not needed. */
  let stays = false;

  const isAway = () => lifecycle === 'away' || lifecycle === 'over';

  const isNeeded = () => context.replica.stateful && context.duties.isNeeded();

  const leaveIfIdle = () => {
    if (lifecycle === 'visible' || context.phase === 'left' || (own.busy() && !isAway())) return;
    stays = !isAway() && isNeeded();
    if (stays) {
      // What was read may be old.
      void context.duties.look();
      hiding.check();
      return;
    }
    context.resting = true;
    context.membership.leave(isAway());
  };

  const hiding = {
    /** There is something to do: takes part, if the page's state lets it. */
    join() {
      stays = false;
      if (context.phase === 'left' && !isAway()) context.membership.start();
    },

    /** The page ends: nobody in it is told anything more. */
    isOver: () => lifecycle === 'over',

    /** The register was read. */
    informed() {
      if (stays && !isNeeded()) leaveIfIdle();
    },

    /** Something may have ended. */
    check() {
      if (lifecycle === 'visible' || own.busy() || isCheckDue) return;
      isCheckDue = true;
      place.setTimer(() => {
        isCheckDue = false;
        leaveIfIdle();
      }, place.idle || IDLE);
    },
  };

  if (place.onLifecycle) {
    place.onLifecycle((state) => {
      // After a page has gone away, the browser still tells it that it is hidden, and frozen.
      if (isAway() && state !== 'visible') return;
      lifecycle = state;
      leaveIfIdle();
      if (state === 'visible' && (context.resting || own.busy())) {
        context.resting = false;
        hiding.join();
      }
    });
  }

  return hiding;
};
