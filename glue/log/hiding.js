/** How long a hidden context with nothing left to do usually stays a member, in milliseconds. */
const IDLE = 1000;

/**
 * Decides from the page's lifecycle whether its context takes part. A page in the back-forward cache does not (D12). A hidden context
 * leaves when it has nothing left to do (R15): a phone may stop it soon, and a newcomer must not wait for its answer. It stays while
 * another member's lock may depend on it.
 *
 * @param {import('./log.js').Context} context
 */
export const createHiding = (context) => {
  const { place, own } = context;
  /** @type {import('../platform/lifecycle.js').Lifecycle} */
  let lifecycle = 'visible';
  /** Whether a timer of this hidden context will check soon whether it can leave. */
  let isCheckDue = false;
  /** Whether this context would have left if others did not need it. */
  let stays = false;

  const isAway = () => lifecycle === 'away' || lifecycle === 'over';

  const isNeeded = () => context.replica.stateful && context.duties.isNeeded();

  const leaveIfIdle = () => {
    if (lifecycle === 'visible' || context.phase === 'left' || (own.busy() && !isAway())) return;
    stays = !isAway() && isNeeded();
    if (stays) {
      // What it knows of the register may be old.
      void context.duties.look();
      hiding.check();
      return;
    }
    context.resting = true;
    context.membership.leave(isAway());
  };

  const hiding = {
    /** There is something to do: joins, unless the page is in the back-forward cache or ends. */
    join() {
      stays = false;
      if (context.phase === 'left' && !isAway()) context.membership.start();
    },

    /** The page ends, so its listeners are no longer called. */
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
      // After a page has gone away, the browser still reports that it is hidden, and then frozen.
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
