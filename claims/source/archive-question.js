/** Which of an archived block's claims a list needs, as far as the block's summary can tell. */
import { STATUSES } from './claim.js';
import { NONE } from './columns.js';
import { hashOf, unpackHead } from './record.js';

/** @typedef {import('./filters.js').Filters} Filters */
/** @typedef {'created' | 'waiting' | 'active'} Ranged */
/** @typedef {{status: number, ttl: boolean, hash: number | undefined, ranges: [Ranged, number, number][]}} Question */

/** @type {Ranged[]} */
export const RANGED = ['created', 'waiting', 'active'];
/** Bits of a block's filter of resources. */
export const BITS = 2 ** 19;

/**
 * @typedef {object} Summary
 * @property {number} claims
 * @property {number[]} statuses how many claims have each status
 * @property {Record<Ranged, [number, number, number]>} ranges the least value, the greatest, and how many claims have a value
 * @property {Uint8Array} resources a Bloom filter of their hashes
 * @property {import('./archive-index.js').Runs} [runs] of the index; absent in blocks that were archived by a version without an index
 */

/**
 * @param {Filters} filters
 * @returns {Question}
 */
export function ask(filters) {
  const { status, resource, minimum_ttl: leastTtl, maximum_ttl: mostTtl } = filters;
  /** @type {Question['ranges']} */
  const ranges = [];
  const given = /** @type {Record<string, any>} */ (filters);
  for (const name of RANGED) {
    const filter = name === 'created' ? name : `${name}_duration`;
    const { [`minimum_${filter}`]: least = -Infinity, [`maximum_${filter}`]: most = Infinity } = given;
    if (least !== -Infinity || most !== Infinity) ranges.push([name, least, most]);
  }
  return {
    status: status === undefined ? NONE : STATUSES.indexOf(status), ttl: (leastTtl ?? mostTtl) !== undefined,
    hash: resource === undefined ? undefined : hashOf(resource), ranges,
  };
}

/**
 * How many claims pass, if the summary alone can tell.
 * @param {Summary} summary
 * @param {Question} question
 */
export function foresee({ claims, statuses, ranges, resources }, { status, ttl, hash, ranges: asked }) {
  if (ttl || (status !== NONE && statuses[status] === 0)) return 0;
  if (hash !== undefined && !bitsOf(hash).every((bit) => resources[bit >> 3] & (1 << (bit & 7)))) return 0;
  let all = hash === undefined;
  for (const [name, least, most] of asked) {
    const [smallest, greatest, count] = ranges[name];
    if (count === 0 || greatest < least || smallest > most) return 0;
    all &&= passAll(ranges[name], claims, least, most);
  }
  return all ? (status === NONE ? claims : statuses[status]) : undefined;
}

/**
 * @param {[number, number, number]} range of a column
 * @param {number} claims
 * @param {number} least
 * @param {number} most
 */
const passAll = ([smallest, greatest, count], claims, least, most) => count === claims && smallest >= least && greatest <= most;

/**
 * The columns that still have to be read, each with the least and the greatest value that pass.
 * @param {Summary} summary
 * @param {Question} question
 * @returns {[Ranged | 'hash', number, number][]}
 */
export function conditionsOf({ claims, ranges }, { hash, ranges: asked }) {
  /** @type {[Ranged | 'hash', number, number][]} */
  const conditions = asked.filter(([name, least, most]) => !passAll(ranges[name], claims, least, most));
  return hash === undefined ? conditions : [...conditions, ['hash', hash, hash]];
}

/**
 * @param {Buffer} bytes of a final claim
 * @param {ReturnType<typeof conditionsOf>} conditions
 */
export function passes(bytes, conditions) {
  const head = unpackHead(bytes);
  return conditions.every(([name, least, most]) => (
    name === 'hash' ? head.hashes.includes(least) : head[name] >= least && head[name] <= most));
}

/** @param {number} hash */
export const bitsOf = (hash) => [hash % BITS, Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 13];
