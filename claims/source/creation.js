import { timestamp } from './representation.js';

/**
 * Whether a claim or session may be the one that a client means, where the client says when that was created. A service that has lost its
 * data gives the same ids again, to others.
 * @param {unknown} created what the client says; undefined if it says nothing
 * @param {() => number | undefined} known when it was created, if this server knows. That never changes, so the log need not be read
 * @param {() => Promise<number | undefined>} read the same, from the log
 */
export async function isMeant(created, known, read) {
  if (created === undefined) return true;
  const isIt = (/** @type {number | undefined} */ at) => at !== undefined && timestamp(at) === created;
  return isIt(known()) || isIt(await read());
}
