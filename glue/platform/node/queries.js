import { createLook, createMark } from '../../log/queries.js';
import { createTurns } from '../../log/turns.js';

/**
 * Queries of the whole state, and force-releases. Each waits until all earlier operations of this context are in the journal.
 *
 * @param {object} parts
 * @param {import('./types.js').Surroundings} parts.surroundings
 * @param {import('../../log/own-requests.js').OwnRequests} parts.own
 * @param {ReturnType<typeof import('./copy.js').createCopy>} parts.copy
 * @param {import('./types.js').Journal} parts.journal
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {ReturnType<typeof import('./burials.js').createBurials>} parts.burials
 */
export const createQueries = ({ surroundings, own, copy: { core, members }, journal, membership, burials }) => {
  const markInTurn = createMark(own, createTurns(surroundings.defer, surroundings.afterTask));

  /** @type {import('../../log/queries.js').Mark} */
  const mark = async (operation, look) => {
    const seen = await markInTurn(operation, look);
    if (membership.reason()) throw membership.reason();
    return seen;
  };

  const { look, isLatest } = createLook(own, mark, () => {
    try {
      return core.state();
    } catch {
      // Memory is short, or this context has failed.
      return undefined;
    }
  });

  return {
    /** @param {string[]} names */
    forceRelease: (names) => mark({ type: 'force-release', names }),

    async query() {
      const seen = await look();
      const hasFoundDead = await burials.visit(burials.withRequests());
      if (!seen.state || (hasFoundDead && isLatest(seen))) return core.state();
      // Do not show locks of the dead as held.
      const lives = (/** @type {{client: string}} */ { client }) => client === seen.client || members().has(client);
      return { ...seen.state, held: seen.state.held.filter(lives), pending: seen.state.pending.filter(lives) };
    },

    async inspect() {
      await mark();
      await burials.visit(members());
      const [log, count] = [String(journal.number()), journal.position()];
      return { client: membership.client(), leader: '', log, count, state: core.state() };
    },
  };
};
