/**
 * What a context looks after while it holds or waits: the deaths of those who block it. Contexts that neither hold nor wait look after
 * nothing.
 */
import { blockersOf, holdersBefore } from '../../log/blockers.js';
import { createGuard } from './guard.js';

/** Milliseconds after which a context that still waits looks whom it waits for: most requests have been granted by then. */
const SETTLE = 1;
/** So much later for each request there is, since it takes a while to look at a large state. */
const SETTLE_PER_REQUEST = 0.01;
/** And no sooner after the last time: contexts that take turns all the time would look all the time. */
const LOOK_AGAIN = 8;

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'bell' | 'life' | 'now' | 'setTimer'>} parts.surroundings
 * @param {import('./types.js').Journal} parts.journal
 * @param {import('./copy.js').Core} parts.core
 * @param {() => Set<string>} parts.members
 * @param {() => string} parts.client this context's
 * @param {() => boolean} parts.isNeeded whether this context holds or waits
 * @param {(client: string) => void} parts.died
 * @param {(error: Error) => void} parts.failed nobody's death can be seen any more
 */
export const createLookout = ({ surroundings, journal, core, members, client, isNeeded, died, failed }) => {
  const { bell, life, now, setTimer } = surroundings;
  const guard = createGuard((each, onDeath) => life.watch(each, onDeath, failed), died);
  let scheduled = false;
  /** The place in the journal that was looked at last, and when that was. */
  let lookedAt = '';
  let lookedWhen = -Infinity;

  /** @param {number} milliseconds */
  const lookAfter = (milliseconds) => {
    if (scheduled) return;
    scheduled = true;
    setTimer(look, milliseconds);
  };

  const look = () => {
    scheduled = false;
    if (!isNeeded()) return;
    const at = `${journal.path()} ${journal.position()}`;
    if (at === lookedAt) return;
    const time = now();
    if (time < lookedWhen + LOOK_AGAIN) {
      lookAfter(lookedWhen + LOOK_AGAIN - time);
      return;
    }
    lookedAt = at;
    lookedWhen = time;
    if (members().size < 2) return;
    const state = core.state();
    lookout.lookAt(state);
    // Nobody else tells a holder that somebody waits for it, and it may want to know.
    holdersBefore(state, client()).forEach((holder) => bell.ring(holder));
  };

  const lookout = {
    /** Watches those who block this context. @param {import('../../core/types.js').State} state */
    lookAt: (state) => guard.turnTo(blockersOf(state, client()), core.last),

    /** This context holds or waits, and has just acted. Processes look when ./notices.js says so. */
    settle: () => lookAfter(SETTLE + core.requestCount() * SETTLE_PER_REQUEST),

    /** What this context had to do about a death may have failed: it looks anew, even if nothing was written since. */
    doubt() {
      lookedAt = '';
    },

    /** Somebody is about to write something that may concern this context, and might end in between. */
    expect: guard.expect,

    /** @param {string} gone */
    forget(gone) {
      bell.forget(gone);
      guard.remove(gone);
    },

    stop() {
      guard.stop();
      lookedAt = '';
    },
  };
  return lookout;
};
