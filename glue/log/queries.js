/**
 * What a query shows: the state at its own place in the log. What its task does after it is not shown.
 *
 * @typedef {import('./types.js').State} State
 * @typedef {import('./own-requests.js').OwnRequests['mark']} Mark
 *
 * @typedef {object} Look
 * @property {string} client which client this context was
 * @property {number} last the number of its last operation before the query's place
 * @property {State | undefined} state undefined if memory was too short for it
 */

/**
 * @param {import('./own-requests.js').OwnRequests} own
 * @param {(callback: () => void) => void} takeTurn see ./turns.js
 * @returns {Mark} which tells its answer like any other outcome
 */
export const createMark = (own, takeTurn) => async (operation, look) => {
  const seen = await own.mark(operation, look);
  await /** @type {Promise<void>} */ (new Promise(takeTurn));
  return seen;
};

/**
 * @param {import('./own-requests.js').OwnRequests} own
 * @param {Mark} mark
 * @param {() => State | undefined} state as it is
 */
export const createLook = (own, mark, state) => ({
  /** Looks as soon as everything that was asked for before has been delivered. @returns {Promise<Look>} */
  look: () => mark(undefined, () => ({ client: own.id(), last: own.lastDelivered(), state: state() })),

  /** Whether a later look would show nothing else of this context. @param {Look} look */
  isLatest: ({ client, last }) => own.id() === client && own.last() === last,
});

/**
 * @param {import('./log.js').Context} context
 * @param {Mark} mark
 * @returns {() => Promise<State>}
 */
export const createQuery = ({ own, replica }, mark) => {
  const { look, isLatest } = createLook(own, mark, replica.state);
  return async () => {
    let seen = await look();
    // The release of a lock may still be on its way, although its holder has told this context of it: see own.asksAgain().
    const looksAgain = seen.state && seen.state.held.some(({ client }) => client !== seen.client) && isLatest(seen);
    if (looksAgain) seen = await look();
    return seen.state || replica.core.state();
  };
};
