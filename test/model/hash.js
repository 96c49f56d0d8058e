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

/** @param {string} name */
function hashOfName(name) {
  let hash = Math.imul(FACTOR, FACTOR);
  for (let unit = 0; unit < name.length; unit += 1) hash = Math.imul(hash ^ name.charCodeAt(unit), FACTOR);
  return hash >>> 0;
}

/** @param {number[]} terms */
const sum = (terms) => terms.reduce((total, term) => (total + term) >>> 0, 0);

/** @param {State} state */
export function hashOf({ members, held, pending, time, fence }) {
  const handles = new Map(members.map((member) => [member.client, member.handle]));
  /** @param {RequestState} request */
  const term = (request) => {
    const about = [handles.get(request.client) ?? 0, request.number, request.mode === 'shared' ? 1 : 0, request.fence, request.deadline];
    return about.reduce(mix, 2 ^ sum(request.names.map(hashOfName)));
  };
  const terms = [...members.map((member) => mix(mix(1, member.handle), member.last)), ...[...held, ...pending].map(term)];
  return mix(mix(sum(terms), time), fence);
}
