/**
 * @typedef {import('../core/types.js').State} State
 * @typedef {import('../core/types.js').RequestState} RequestState
 * @typedef {{clientId: string, mode: 'exclusive' | 'shared', name: string}} LockInfo keys in the order in which WebIDL makes a dictionary
 * @typedef {{held: LockInfo[], pending: LockInfo[]}} LockManagerSnapshot
 */

/** A request of several names stands once for each of them. @param {RequestState[]} requests */
const lockInfos = (requests) => {
  /** @type {LockInfo[]} */
  const infos = [];
  for (const { client, mode, names } of requests) {
    for (const name of names) infos.push({ clientId: client, mode, name });
  }
  return infos;
};

/**
 * The standard's "snapshot the lock state".
 * @param {State} state
 * @returns {LockManagerSnapshot}
 */
export const snapshotOf = ({ held, pending }) => ({ held: lockInfos(held), pending: lockInfos(pending) });
