/** The state's hash, as the core defines it, worked out from nothing each time. */

/** @typedef {import('../../glue/core/types.js').RequestState} RequestState */
/** @typedef {import('../../glue/core/types.js').State} State */

const FACTOR = 0x9E3779B1;
const halves = new DataView(new ArrayBuffer(8));

/**
 * @param {number} hash
 * @param {number} value taken as the bits of a double
 */
function mix(hash, value) {
  halves.setFloat64(0, value, true);
  hash = Math.imul(hash ^ halves.getUint32(0, true), FACTOR);
  hash ^= hash >>> 15;
  hash = Math.imul(hash ^ halves.getUint32(4, true), 0x85EBCA77);
  return (hash ^ hash >>> 13) >>> 0;
}

const PRIME = 2 ** 31 - 1;
const POINT = FACTOR >>> 1;

/** In two parts, so that nothing is above 2^53. @param {number} hash */
const timesPoint = (hash) => ((hash * (POINT >>> 16)) % PRIME * 2 ** 16 + hash * (POINT & 0xFFFF)) % PRIME;

/** @param {string} name */
function hashOfName(name) {
  let hash = 1;
  for (let unit = 0; unit < name.length; unit += 1) hash = (timesPoint(hash) + name.charCodeAt(unit)) % PRIME;
  return hash;
}

/** @param {number[]} terms */
const sum = (terms) => terms.reduce((total, term) => (total + term) >>> 0, 0);

/**
 * That one comes right after the other.
 * @param {number} term
 * @param {number} next
 */
function follows(term, next) {
  let hash = Math.imul(term, FACTOR) ^ next;
  hash = Math.imul(hash ^ hash >>> 15, 0x85EBCA77);
  return (hash ^ hash >>> 13) >>> 0;
}

/** A list in its order. @param {number[]} terms */
const chain = (terms) => sum([...terms, 0].map((term, place) => follows(terms[place - 1] ?? 0, term)));

/** @param {State} state */
export function hashOf({ members, held, pending, time, fence, lastHandle }) {
  const handles = new Map(members.map((member) => [member.client, member.handle]));
  /** @param {RequestState} request */
  const term = ({ client, number, hold, mode, limit, names, fence: own, deadline }) =>
    [number, hold, mode === 'shared' ? 1 : 0, limit, ...names.map(hashOfName), own, deadline].reduce(mix, handles.get(client) ?? 0);
  const people = members.map(({ client, handle, last }) => mix(mix(hashOfName(client), handle), last));
  return [time, fence, lastHandle].reduce(mix, sum([...people, chain(held.map(term)), chain(pending.map(term))]));
}
