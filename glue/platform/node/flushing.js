import { useByOthers } from '../../log/uses.js';

/** Decides when a context writes. What one task asks for becomes one record, but for what others hold: that is written at once. */

/**
 * @param {object} parts
 * @param {Pick<import('./types.js').Surroundings, 'defer'>} parts.surroundings
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {import('../../core/types.js').Core} parts.core
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {ReturnType<typeof import('./solitude.js').createSolitude>} parts.solitude
 * @param {() => boolean} parts.isBusy whether this context holds or waits for anything, as of the end of its last task
 * @param {(action: () => void) => void} parts.attempt
 * @param {() => void} parts.read reads the journal
 * @param {(operations: import('../../core/types.js').ClientOperation[]) => void} parts.write
 * @param {() => void} parts.tell tells the listeners
 */
export const createFlushing = ({ surroundings: { defer }, own, core, membership, solitude, isBusy, attempt, read, write, tell }) => {
  let scheduled = false;

  /** Writes all outstanding operations. Those that were written after the end of a file are written again, into the next one. */
  const writeAll = () => {
    scheduled = false;
    for (let written = false; membership.isMember(); written = !written) {
      const operations = own.outstanding();
      if (!operations.length) return;
      // If what was written was not read back, the file was closed before it, or somebody has truncated the file.
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
    // What this context itself holds, nobody else has got meanwhile.
    if (!isHeldBesides('')) attempt(read);
    return isHeldBesides(membership.client());
  };

  return {
    /** Writes now, before other code runs. */
    now: () => attempt(writeAll),

    /**
     * Writes in a promise job. If this context is busy, it waits some more jobs for a release to write along with it: a callback that
     * requests its next turn and then ends causes one.
     * @param {import('../../log/types.js').LogRequest} [request] it was just made. If others hold its lock, it is written at once: what
     *   runs next in this task may ask the holder to release it. The holder's next request must then come behind this one
     */
    soon(request) {
      if (request && isHeldByOthers(request)) attempt(writeAll);
      if (scheduled) return;
      scheduled = true;
      if (isBusy()) defer(() => defer(() => defer(() => defer(flush))));
      else defer(flush);
    },
  };
};
