/**
 * Queries of the whole state, and force-releases. Each waits until all earlier operations of this context are in the journal.
 *
 * @param {object} parts
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {ReturnType<typeof import('./copy.js').createCopy>} parts.copy
 * @param {import('./types.js').Journal} parts.journal
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {ReturnType<typeof import('./burials.js').createBurials>} parts.burials
 */
export const createQueries = ({ own, copy: { core, members }, journal, membership, burials }) => {
  /** @param {Parameters<typeof own.mark>[0]} [operation] */
  const mark = async (operation) => {
    await own.mark(operation);
    if (membership.reason()) throw membership.reason();
  };

  return {
    /** @param {string[]} names */
    forceRelease: (names) => mark({ type: 'force-release', names }),

    async query() {
      await mark();
      // Do not show locks of the dead as held.
      await burials.visit(burials.withRequests());
      return core.state();
    },

    async inspect() {
      await mark();
      await burials.visit(members());
      const [log, count] = [String(journal.number()), journal.position()];
      return { client: membership.client(), leader: '', log, count, state: core.state() };
    },
  };
};
