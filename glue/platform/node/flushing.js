import { useByOthers } from '../../log/uses.js';

/** Decides when a context writes: once for the operations of a task, but at once for a request for a lock that others hold. */

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'defer'>} parts.surroundings
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {import('../../core/types.js').Core} parts.core
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {ReturnType<typeof import('./solitude.js').createSolitude>} parts.solitude
 * @param {() => boolean} parts.isBusy whether this context held or waited for anything at the end of its last task
 * @param {(action: () => void) => void} parts.attempt
 * @param {() => void} parts.read reads the journal
 * @param {(operations: import('../../core/types.js').ClientOperation[]) => void} parts.write
 * @param {() => void} parts.tell tells the listeners
 */
export const createFlushing = ({ surroundings: { defer }, own, core, membership, solitude, isBusy, attempt, read, write, tell }) => {
  let scheduled = false;

  /** Writes all outstanding operations. Operations written after the end of a file are written again, into the next one. */
  const writeAll = () => {
    scheduled = false;
    for (let written = false; membership.isMember(); written = !written) {
      const operations = own.outstanding();
      if (!operations.length) return;
      // If written operations were not read back, the file was closed before them, or has been truncated.
      if (written) membership.look();
      else write(operations);
    }
  };

  const flush = () => {
    // A release may have written everything already.
    const wanted = scheduled;
    scheduled = false;
    if (wanted) attempt(writeAll);
    tell();
  };

  /** @param {import('../../log/types.js').LogRequest} request */
  const isHeldByOthers = ({ description: { names } }) => {
    if (!membership.isMember() || solitude.lasts()) return false;
    const isHeldBesides = (/** @type {string} */ client) => useByOthers(core, client, names) === 'held';
    // If this context holds the lock, nobody else can have got it meanwhile, so it need not read.
    if (!isHeldBesides('')) attempt(read);
    return isHeldBesides(membership.client());
  };

  return {
    /** Writes at once, before other code runs. */
    now: () => attempt(writeAll),

    /**
     * Writes in a promise job. If this context is busy, it waits some more jobs for a release to write along: a callback may request its
     * next turn and then end.
     * @param {import('../../log/types.js').LogRequest} [request] a request that was just made. If others hold its lock, it is written at
     *   once: this task may go on to ask the holder to release it, and the holder's next request must then come after this one
     */
    soon(request) {
      if (!scheduled) {
        if (isBusy()) defer(() => defer(() => defer(() => defer(flush))));
        else defer(flush);
        // Not before: the stack may have ended there.
        scheduled = true;
      }
      if (request && isHeldByOthers(request)) attempt(writeAll);
    },
  };
};
