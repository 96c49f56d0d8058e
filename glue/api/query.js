/**
 * @typedef {import('../core/types.js').State} State
 * @typedef {import('../core/types.js').RequestState} RequestState
 * @typedef {{clientId: string, mode: 'exclusive' | 'shared', name: string}} LockInfo WebIDL fixes the order of the keys
 * @typedef {{held: LockInfo[], pending: LockInfo[]}} LockManagerSnapshot
 */

/** One LockInfo for each name of a request. @param {RequestState[]} requests */
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
