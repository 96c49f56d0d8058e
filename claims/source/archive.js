/**
 * Blocks of claims that are all final and stored. Their columns are in the store, too, with an index (archive-index.js). Memory holds a
 * summary of each block, which tells whether a list has to read it, and what was read last. So a day's claims take a few megabytes.
 */
import { findRanges, makeIndex, placesIn, unpackPage } from './archive-index.js';
import { BITS, RANGED, ask, bitsOf, conditionsOf, foresee, passes } from './archive-question.js';
import { STATUSES } from './claim.js';
import { BLOCK, NONE, createTest } from './columns.js';

/** @typedef {import('./columns.js').Block} Block */
/** @typedef {import('./archive-question.js').Summary} Summary */
/** @typedef {import('./filters.js').Filters} Filters */
/** @typedef {'status' | 'hash' | 'created' | 'waiting' | 'active' | 'several'} Column */
/** @typedef {import('./archive-question.js').Question} Question */
/** @typedef {(block: number, names: string[]) => Promise<(Buffer | undefined)[]>} ReadColumns also reads pages of the index */
/** @typedef {(ids: number[]) => Promise<(Buffer | undefined)[]>} ReadClaims */

/** Up to this many claims are read themselves instead of their columns. */
const FEW = 500;
/** Bytes of columns that stay in memory. */
const CACHED = 48 * 2 ** 20;

export class Archive {
  /** @type {Map<number, Summary>} by the block's number */
  #blocks = new Map();
  /** @type {Map<string, {column: any, size: number}>} least recently used first */
  #cache = new Map();
  #cached = 0;
  #read;
  #readClaims;

  /**
   * @param {ReadColumns} read from the store
   * @param {ReadClaims} readClaims likewise
   */
  constructor(read, readClaims) {
    this.#read = read;
    this.#readClaims = readClaims;
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
   * @returns how many claims the block has
   */
  add(number, bytes) {
    const length = bytes.readUInt32LE(0);
    const { claims, statuses, ranges, runs } = JSON.parse(bytes.toString('utf8', 4, 4 + length));
    this.#blocks.set(number, { claims, statuses, ranges, runs, resources: new Uint8Array(bytes.subarray(4 + length)) });
    return claims;
  }

  /**
   * How many claims of a block pass, and which ones.
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
    const indexed = await this.#lookUp(number, summary, question);
    if (indexed) return indexed;
    const found = await find();
    return { total: found.length, ids: async () => found };
  }

  /**
   * The same by the index alone; undefined if the index is not enough.
   * @param {number} number
   * @param {Summary} summary
   * @param {Question} question
   * @returns {Promise<{total: number, ids: () => Promise<number[]>} | undefined>}
   */
  async #lookUp(number, summary, question) {
    const { runs } = summary;
    if (!runs) return undefined;
    const conditions = conditionsOf(summary, question);
    const read = (/** @type {string} */ name) => this.#page(number, name);
    const found = await Promise.all(conditions.map(async ([name, least, most]) => {
      if (name === 'created') return { total: Infinity, found: [] };
      const parts = await findRanges(runs, name, question.status, [least, most], read);
      return { total: parts.reduce((sum, { from, to }) => sum + to - from, 0), found: parts };
    }));
    const best = found.reduce((one, other) => (other.total < one.total ? other : one));
    const idsOf = async () => (await placesIn(best.found, read)).map((place) => number * BLOCK + place);
    if (conditions.length === 1 && best.total < Infinity) return { total: best.total, ids: idsOf };
    if (best.total > FEW) return undefined;
    const ids = await idsOf();
    const claimsRead = await this.#readClaims(ids);
    const passing = ids.filter((id, place) => passes(/** @type {Buffer} */ (claimsRead[place]), conditions));
    return { total: passing.length, ids: async () => passing };
  }

  /**
   * @param {number} number
   * @param {string} name of a page of the index
   */
  async #page(number, name) {
    return (await this.#columns(number, [name]))[name];
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
   * @param {string[]} names
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
      // Now it is the most recently used.
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
 * What the store keeps for a block: its summary and its columns.
 * @param {Block} block
 * @param {Map<number, number[]>} several hashes of its claims that have several resources
 * @returns {{summary: Buffer, columns: Record<string, Buffer>}} with the pages of its index
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
  const { runs, pages } = makeIndex(block, several);
  const text = Buffer.from(JSON.stringify({ claims: block.claims, statuses, ranges, runs }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const raw = (/** @type {Uint8Array | Uint32Array | Float64Array} */ { buffer }) => Buffer.from(buffer);
  return {
    summary: Buffer.concat([length, text, resources]),
    columns: {
      status: raw(block.status), hash: raw(block.hash), created: raw(block.created), waiting: raw(block.waiting), active: raw(block.active),
      several: Buffer.from(JSON.stringify([...several])), ...Object.fromEntries(pages),
    },
  };
}

/**
 * @param {string} name
 * @param {Buffer} bytes
 */
function unpackColumn(name, bytes) {
  if (name.includes('/')) return unpackPage(bytes);
  if (name === 'several') return new Map(JSON.parse(bytes.toString()));
  if (name === 'status') return new Uint8Array(bytes);
  // A copy, since typed arrays need aligned memory.
  const { buffer } = new Uint8Array(bytes);
  return name === 'hash' ? new Uint32Array(buffer) : new Float64Array(buffer);
}
