/**
 * Runs what reads or writes the journal, and deals with what fails there.
 *
 * @param {object} parts
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {import('./types.js').Journal} parts.journal
 * @param {ReturnType<typeof import('./solitude.js').createSolitude>} parts.solitude
 * @param {ReturnType<typeof import('./ringing.js').createRinging>} parts.ringing
 * @param {ReturnType<typeof import('./settling.js').createSettling>} parts.settling
 * @param {() => void} parts.read reads the journal
 * @param {() => void} parts.compare compares the requests with the state if that was replaced
 * @param {() => void} parts.doubt others may have rung for this context meanwhile
 */
export const createAttempts = ({ own, membership, journal, solitude, ringing, settling, read, compare, doubt }) => {
  /**
   * What has ended an attempt, until that is dealt with. If the stack has ended, dealing with it may fail, too.
   * @type {{error: unknown} | undefined}
   */
  let failure;

  /** Until then this context must not read on: its copy of the state may lack an entry. */
  const deal = () => {
    if (!failure) return;
    solitude.doubt();
    membership.failed(failure.error);
    failure = undefined;
  };

  /** Ends a failure. It is over only if this context can read and has nothing left to write: reading may work earlier than writing. */
  const recover = () => {
    read();
    if (own.outstanding().length) return;
    doubt();
    membership.works();
  };

  return {
    deal,

    /** @param {() => void} action reads or writes @returns {boolean} whether it has worked */
    attempt(action) {
      deal();
      if (!membership.isMember()) {
        // It may have to retry for long before it is a member.
        if (!membership.isIdle()) membership.keep(own.busy());
        return false;
      }
      let works = true;
      // It deals with a failure that this function itself cannot deal with.
      settling.soon();
      try {
        if (membership.lookSometimes()) solitude.doubt();
        if (membership.isMember()) action();
        if (!membership.isMember()) return true;
        journal.tidy();
        compare();
        if (membership.pause()) recover();
        solitude.consider();
      } catch (error) {
        works = false;
        // No call comes before this: the stack may have ended.
        failure = { error };
        deal();
      }
      ringing.ring();
      return works;
    },
  };
};
