/** What the standard and the drafts say of one request beside others. */

/** @typedef {import('../../glue/core/types.js').RequestState} RequestState */

/** @param {number} value */
export const isNumber = (value) => Number.isInteger(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** @param {number} value */
export const isDuration = (value) => value === Infinity || isNumber(value);

/**
 * How many may hold a name together with it, itself included.
 * @param {RequestState} request
 */
const limitOf = ({ mode, limit }) => (mode === 'exclusive' ? 1 : limit || 2 ** 32 - 1);

/**
 * Whether all of these, which have a name in common, may hold it together: they have one limit, and are no more than that.
 * @param {RequestState[]} requests
 */
export const agree = (requests) =>
  requests.every((request) => limitOf(request) === limitOf(requests[0]) && requests.length <= limitOf(request));

/**
 * The names of [request] under which it does not agree with all that is held or stands before it in the queue.
 * @param {RequestState} request
 * @param {{held: RequestState[], pending: RequestState[]}} lists where [request] need not be in the queue: then all of it is earlier
 */
export function blockedNames(request, { held, pending }) {
  const place = pending.indexOf(request);
  const earlier = place < 0 ? pending : pending.slice(0, place);
  return request.names.filter((name) => !agree([...[...held, ...earlier].filter((other) => other.names.includes(name)), request]));
}

/**
 * The drafts' "grantable".
 * @param {RequestState} request
 * @param {{held: RequestState[], pending: RequestState[]}} lists
 */
export const grantable = (request, lists) => blockedNames(request, lists).length === 0;
