/** What the standard and the drafts say of one request beside others. */

/** @typedef {import('../../glue/core/types.js').RequestState} RequestState */

/** @param {number} value */
export const isNumber = (value) => Number.isInteger(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** @param {number} value */
export const isDuration = (value) => value === Infinity || isNumber(value);

/**
 * Of two requests with a name in common: an exclusive one is in everybody's way, a shared one only in an exclusive one's.
 * @param {RequestState} one
 * @param {RequestState} other
 */
export const exclude = (one, other) => one.mode === 'exclusive' || other.mode === 'exclusive';

/**
 * The names of [request] under which something is in its way: a held lock, or an earlier request of the queue.
 * @param {RequestState} request
 * @param {{held: RequestState[], pending: RequestState[]}} lists where [request] need not be in the queue: then all of it is earlier
 */
export function blockedNames(request, { held, pending }) {
  const place = pending.indexOf(request);
  const earlier = place < 0 ? pending : pending.slice(0, place);
  return request.names.filter((name) =>
    [...held, ...earlier].some((other) => other.names.includes(name) && exclude(other, request)));
}

/**
 * The drafts' "grantable".
 * @param {RequestState} request
 * @param {{held: RequestState[], pending: RequestState[]}} lists
 */
export const grantable = (request, lists) => blockedNames(request, lists).length === 0;
