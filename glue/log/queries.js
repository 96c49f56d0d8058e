/**
 * What a query shows: the state at its own place in the log. What its task asks for after it is not shown.
 *
 * @typedef {import('./types.js').State} State
 *
 * @typedef {object} Look
 * @property {string} client which client this context was
 * @property {number} last the number of its last operation before the query
 * @property {State | undefined} state undefined if memory was too short for it
 */

/**
 * @param {import('./own-requests.js').OwnRequests} own
 * @param {() => State | undefined} state as it is
 * @param {(callback: () => void) => void} takeTurn see ./turns.js
 * @returns {() => Promise<Look>} looks as soon as everything that was asked for before has been delivered
 */
export const createLook = (own, state, takeTurn) => async () => {
  const look = await own.mark(undefined, () => ({ client: own.id(), last: own.lastDelivered(), state: state() }));
  // The answer is told as any other outcome.
  await /** @type {Promise<void>} */ (new Promise(takeTurn));
  return look;
};

/** A later state, without what this context has asked for since. @param {State} state @param {Look} look */
export const asOf = (state, { client, last }) => {
  const isEarlier = (/** @type {{client: string, number: number}} */ each) => each.client !== client || each.number <= last;
  return Object.assign(state, { held: state.held.filter(isEarlier), pending: state.pending.filter(isEarlier) });
};

/**
 * @param {import('./log.js').Context} context
 * @param {(callback: () => void) => void} takeTurn see ./turns.js
 * @returns {() => Promise<State>}
 */
export const createQuery = ({ own, replica }, takeTurn) => {
  const look = createLook(own, replica.state, takeTurn);
  return async () => {
    const seen = await look();
    if (seen.state && !seen.state.held.some(({ client }) => client !== seen.client)) return seen.state;
    // The release of a lock may still be on its way, although its holder has told this context of it: see own.asksAgain().
    await own.mark();
    return asOf(replica.core.state(), seen);
  };
};
