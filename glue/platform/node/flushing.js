/** When a context writes what it has been asked for: what one task asks for is one record. */

/** How often a context that writes looks whether the journal was removed, in milliseconds. */
const LOOK = 1000;

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'now' | 'defer'>} parts.surroundings
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {() => boolean} parts.isBusy whether this context holds or waits for anything, as of the end of its last task
 * @param {(action: () => void) => void} parts.attempt
 * @param {(operations: import('../../core/types.js').ClientOperation[]) => void} parts.write
 * @param {() => void} parts.tell tells the listeners
 */
export const createFlushing = ({ surroundings: { now, defer }, own, membership, isBusy, attempt, write, tell }) => {
  let scheduled = false;
  let lookedAt = 0;

  /** Writes what has not been written yet, and once more what came behind the end of a file. */
  const writeAll = () => {
    scheduled = false;
    if (now() - lookedAt >= LOOK) {
      lookedAt = now();
      membership.look();
    }
    while (membership.isMember()) {
      const operations = own.outstanding();
      if (!operations.length) return;
      write(operations);
    }
  };

  const flush = () => {
    // A release may have taken along what was to be written.
    const wanted = scheduled;
    scheduled = false;
    if (wanted) attempt(writeAll);
    tell();
  };

  return {
    /** This context has just opened the journal. */
    begin() {
      lookedAt = now();
    },

    /** Before other code runs. */
    now: () => attempt(writeAll),

    /**
     * In a promise job; so many jobs later where a release may come that takes it along, as it does from a callback that asks for its
     * next turn and ends.
     */
    soon() {
      if (scheduled) return;
      scheduled = true;
      if (isBusy()) defer(() => defer(() => defer(() => defer(flush))));
      else defer(flush);
    },
  };
};
