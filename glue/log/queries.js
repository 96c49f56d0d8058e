/**
 * What a query shows: the state at its own place in the log. What its task does after it is not shown.
 *
 * @typedef {import('./types.js').State} State
 * @typedef {import('../core/types.js').RequestState} RequestState
 * @typedef {import('./own-requests.js').OwnRequests['mark']} Mark
 *
 * @typedef {object} Look
 * @property {string} client which client this context was
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
 * @returns {() => Promise<Look>} looks as soon as everything that was asked for before has been delivered
 */
export const createLook = (own, mark, state) => () => mark(undefined, () => ({ client: own.id(), state: state() }));

/**
 * A later state; but under the names for which this context has requested or dropped something since, what it has seen.
 * @param {State} later
 * @param {Look} look
 */
export const asOf = (later, { client, state }) => {
  if (!state) return later;
  /** The names of this context's requests that only one of the states has, by number. @type {Map<number, string[]>} */
  const single = new Map();
  for (const { client: whose, number, names } of [...state.held, ...state.pending, ...later.held, ...later.pending]) {
    if (whose === client && !single.delete(number)) single.set(number, names);
  }
  /** @type {Set<string>} */
  const changed = new Set();
  single.forEach((names) => names.forEach((name) => changed.add(name)));
  /** @param {RequestState[]} before @param {RequestState[]} after */
  const merge = (before, after) => {
    const isChanged = (/** @type {RequestState} */ { names }) => names.some((name) => changed.has(name));
    return [...before.filter(isChanged), ...after.filter((each) => !isChanged(each))];
  };
  return Object.assign(later, { held: merge(state.held, later.held), pending: merge(state.pending, later.pending) });
};

/**
 * @param {import('./log.js').Context} context
 * @param {Mark} mark
 * @returns {() => Promise<State>}
 */
export const createQuery = ({ own, replica }, mark) => {
  const look = createLook(own, mark, replica.state);
  return async () => {
    const seen = await look();
    if (seen.state && !seen.state.held.some(({ client }) => client !== seen.client)) return seen.state;
    // The release of a lock may still be on its way, although its holder has told this context of it: see own.asksAgain().
    await own.mark();
    return asOf(replica.core.state(), seen);
  };
};
