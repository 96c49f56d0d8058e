/**
 * Blocks of claims that are all final and stored. Their columns are in the store, too; in memory is what says whether a list has to look at
 * them, and the columns that were read last. So a day's claims take a few megabytes.
 */
import { STATUSES } from './claim.js';
import { BLOCK, NONE, createTest } from './columns.js';
import { hashOf } from './record.js';

/** @typedef {import('./columns.js').Block} Block */
/** @typedef {import('./filters.js').Filters} Filters */
/** @typedef {'status' | 'hash' | 'created' | 'waiting' | 'active' | 'several'} Column */
/** @typedef {'created' | 'waiting' | 'active'} Ranged */
/** @typedef {{status: number, ttl: boolean, hash: number | undefined, ranges: [Ranged, number, number][]}} Question */

/** @type {Column[]} */
export const COLUMNS = ['status', 'hash', 'created', 'waiting', 'active', 'several'];
/** @type {Ranged[]} */
const RANGED = ['created', 'waiting', 'active'];
/** Bytes of columns that stay in memory. */
const CACHED = 48 * 2 ** 20;
/** Bits of a block's filter of resources. */
const BITS = 2 ** 19;

/**
 * @typedef {object} Summary
 * @property {number} claims
 * @property {number[]} statuses how many have each
 * @property {Record<Ranged, [number, number, number]>} ranges the least, the greatest, and how many have one
 * @property {Uint8Array} resources a Bloom filter of their hashes
 */

export class Archive {
  /** @type {Map<number, Summary>} by the block's number */
  #blocks = new Map();
  /** @type {Map<string, {column: any, size: number}>} the one that was used last is the last */
  #cache = new Map();
  #cached = 0;
  #read;

  /** @param {(block: number, columns: Column[]) => Promise<(Buffer | undefined)[]>} read from the store */
  constructor(read) {
    this.#read = read;
  }

  clear() {
    this.#blocks.clear();
    this.#cache.clear();
    this.#cached = 0;
  }

  /** @param {number} number */
  has(number) {
    return this.#blocks.has(number);
  }

  get numbers() {
    return [...this.#blocks.keys()];
  }

  /**
   * @param {number} number
   * @param {Buffer} bytes as summarize() made them
   * @returns how many claims it has
   */
  add(number, bytes) {
    const length = bytes.readUInt32LE(0);
    const { claims, statuses, ranges } = JSON.parse(bytes.toString('utf8', 4, 4 + length));
    this.#blocks.set(number, { claims, statuses, ranges, resources: new Uint8Array(bytes.subarray(4 + length)) });
    return claims;
  }

  /**
   * How many claims of a block pass, and which.
   * @param {number} number
   * @param {Filters} filters
   * @returns {Promise<{total: number, ids: () => Promise<number[]>}>}
   */
  async select(number, filters) {
    const summary = /** @type {Summary} */ (this.#blocks.get(number));
    const question = ask(filters);
    const known = foresee(summary, question);
    if (known === 0) return { total: 0, ids: async () => [] };
    const find = () => this.#find(number, filters, question);
    if (known !== undefined) return { total: known, ids: find };
    const found = await find();
    return { total: found.length, ids: async () => found };
  }

  /**
   * @param {number} number
   * @param {Filters} filters
   * @param {Question} question
   */
  async #find(number, filters, { hash, ranges }) {
    /** @type {Column[]} */
    const needed = ['status', ...ranges.map(([name]) => name)];
    if (hash !== undefined) needed.push('hash', 'several');
    const columns = await this.#columns(number, needed);
    const block = /** @type {Block} */ (columns);
    const passes = createTest(filters, 0, { live: new Map(), several: columns.several ?? new Map() });
    const ids = [];
    for (let place = 0; place < BLOCK; place += 1) {
      if (block.status[place] !== NONE && passes(block, place, number * BLOCK + place)) ids.push(number * BLOCK + place);
    }
    return ids;
  }

  /**
   * @param {number} number
   * @param {Column[]} names
   * @returns {Promise<Record<string, any>>}
   */
  async #columns(number, names) {
    const missing = names.filter((name) => !this.#cache.has(`${number} ${name}`));
    const read = missing.length > 0 ? await this.#read(number, missing) : [];
    missing.forEach((name, place) => {
      const bytes = read[place];
      if (!bytes) throw new Error(`column ${name} of block ${number} is missing in the store`);
      this.#keep(`${number} ${name}`, { column: unpackColumn(name, bytes), size: bytes.length });
    });
    /** @type {Record<string, any>} */
    const columns = {};
    for (const name of names) {
      const key = `${number} ${name}`;
      const found = /** @type {{column: any, size: number}} */ (this.#cache.get(key));
      // The one that was used last goes last.
      this.#cache.delete(key);
      this.#cache.set(key, found);
      columns[name] = found.column;
    }
    this.#shrink();
    return columns;
  }

  /**
   * @param {string} key
   * @param {{column: any, size: number}} entry
   */
  #keep(key, entry) {
    if (this.#cache.has(key)) return;
    this.#cache.set(key, entry);
    this.#cached += entry.size;
  }

  #shrink() {
    for (const [key, { size }] of this.#cache) {
      if (this.#cached <= CACHED) return;
      this.#cache.delete(key);
      this.#cached -= size;
    }
  }
}

/**
 * @param {Filters} filters
 * @returns {Question}
 */
function ask(filters) {
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
 * How many claims pass, where that can be said without a look at them.
 * @param {Summary} summary
 * @param {Question} question
 */
function foresee({ claims, statuses, ranges, resources }, { status, ttl, hash, ranges: asked }) {
  if (ttl || (status !== NONE && statuses[status] === 0)) return 0;
  if (hash !== undefined && !bitsOf(hash).every((bit) => resources[bit >> 3] & (1 << (bit & 7)))) return 0;
  let all = hash === undefined;
  for (const [name, least, most] of asked) {
    const [smallest, greatest, count] = ranges[name];
    if (count === 0 || greatest < least || smallest > most) return 0;
    all &&= count === claims && smallest >= least && greatest <= most;
  }
  return all ? (status === NONE ? claims : statuses[status]) : undefined;
}

/**
 * What the store keeps of a block: its summary, and its columns.
 * @param {Block} block
 * @param {Map<number, number[]>} several hashes of its claims that have several resources
 * @returns {{summary: Buffer, columns: Record<Column, Buffer>}}
 */
export function summarize(block, several) {
  const statuses = STATUSES.map(() => 0);
  const resources = new Uint8Array(BITS / 8);
  const note = (/** @type {number} */ hash) => bitsOf(hash).forEach((bit) => (resources[bit >> 3] |= 1 << (bit & 7)));
  /** @type {Summary['ranges']} */
  const ranges = { created: [Infinity, -Infinity, 0], waiting: [Infinity, -Infinity, 0], active: [Infinity, -Infinity, 0] };
  for (let place = 0; place < BLOCK; place += 1) {
    if (block.status[place] === NONE) continue;
    statuses[block.status[place]] += 1;
    note(block.hash[place]);
    for (const name of RANGED) {
      const value = block[name][place];
      const range = ranges[name];
      if (Number.isNaN(value)) continue;
      ranges[name] = [Math.min(range[0], value), Math.max(range[1], value), range[2] + 1];
    }
  }
  for (const hashes of several.values()) hashes.forEach(note);
  const text = Buffer.from(JSON.stringify({ claims: block.claims, statuses, ranges }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const raw = (/** @type {Uint8Array | Uint32Array | Float64Array} */ { buffer }) => Buffer.from(buffer);
  return {
    summary: Buffer.concat([length, text, resources]),
    columns: {
      status: raw(block.status), hash: raw(block.hash), created: raw(block.created), waiting: raw(block.waiting), active: raw(block.active),
      several: Buffer.from(JSON.stringify([...several])),
    },
  };
}

/**
 * @param {Column} name
 * @param {Buffer} bytes
 */
function unpackColumn(name, bytes) {
  if (name === 'several') return new Map(JSON.parse(bytes.toString()));
  if (name === 'status') return new Uint8Array(bytes);
  // A copy of its own, for it must lie at a whole place.
  const { buffer } = new Uint8Array(bytes);
  return name === 'hash' ? new Uint32Array(buffer) : new Float64Array(buffer);
}

/** @param {number} hash */
const bitsOf = (hash) => [hash % BITS, Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 13];
