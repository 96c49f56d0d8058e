/** Finds the claims that pass the filters, by columns and by the archive, and gets them from memory or from the store. */
import { describe } from './claim.js';
import { BLOCK, NONE, createTest } from './columns.js';
import { unpack } from './record.js';

/** @typedef {import('./claim.js').Claim} Claim */
/** @typedef {import('./claim.js').View} View */
/** @typedef {import('./filters.js').Filters} Filters */
/** @typedef {import('./archive.js').Archive} Archive */

/** How many claims are read from the store at once. */
const CHUNK = 50;
/** How many archived blocks are examined together. */
const AT_ONCE = 8;

export class Lists {
  #blocks;
  #live;
  #several;
  #archive;
  #read;
  #has;

  /**
   * @param {object} register
   * @param {Map<number, import('./columns.js').Block>} register.blocks
   * @param {Map<number, Claim>} register.live
   * @param {Map<number, number[]>} register.several
   * @param {Archive | undefined} register.archive
   * @param {import('./archive.js').ReadClaims | undefined} register.read
   * @param {(id: number) => boolean} register.has
   */
  constructor({ blocks, live, several, archive, read, has }) {
    this.#blocks = blocks;
    this.#live = live;
    this.#several = several;
    this.#archive = archive;
    this.#read = read;
    this.#has = has;
  }

  /**
   * @param {number} id
   * @param {number} now log time
   * @returns {Promise<View | undefined>}
   */
  async get(id, now) {
    for await (const view of this.#views([id], this.#describe([id], now, new Map()), now)) return view;
    return undefined;
  }

  /**
   * The claims that pass, in the order of their creation. All are shown at one moment, however long reading takes.
   * @param {Filters} filters
   * @param {() => number} clock log time
   * @param {number} offset how many are skipped
   * @param {number} limit the most that are wanted
   * @returns {Promise<{total: number, views: AsyncIterable<View>}>} [total]: how many pass
   */
  async find(filters, clock, offset, limit) {
    /** @type {Map<number, {total: number, ids: () => number[] | Promise<number[]>}>} by block */
    const found = new Map();
    // Archived claims do not change any more. More may be archived meanwhile.
    for (let missing; (missing = this.#archive?.numbers.filter((number) => !found.has(number))) && missing.length > 0;) {
      const some = missing.slice(0, AT_ONCE);
      const answers = await Promise.all(some.map((number) => /** @type {Archive} */ (this.#archive).select(number, filters)));
      some.forEach((number, place) => found.set(number, answers[place]));
    }
    const now = clock();
    const passes = createTest(filters, now, { live: this.#live, several: this.#several });
    for (const [number, block] of this.#blocks) {
      /** @type {number[]} */
      const ids = [];
      for (let place = 0; place < BLOCK; place += 1) {
        if (block.status[place] !== NONE && passes(block, place, number * BLOCK + place)) ids.push(number * BLOCK + place);
      }
      found.set(number, { total: ids.length, ids: () => ids });
    }
    const order = [...found].sort(([one], [other]) => one - other);
    let total = 0;
    /** @type {{ids: () => number[] | Promise<number[]>, from: number, to: number}[]} */
    const parts = [];
    /** @type {Map<number, View>} */
    const live = new Map();
    for (const [number, { total: count, ids }] of order) {
      const [from, to] = [offset - total, offset + limit - total].map((place) => Math.min(Math.max(0, place), count));
      total += count;
      if (from === to) continue;
      parts.push({ ids, from, to });
      if (this.#blocks.has(number)) this.#describe(/** @type {number[]} */ (ids()).slice(from, to), now, live);
    }
    return { total, views: this.#parts(parts, live, now, filters.resource) };
  }

  /**
   * @param {{ids: () => number[] | Promise<number[]>, from: number, to: number}[]} parts
   * @param {Map<number, View>} live
   * @param {number} now
   * @param {string} [resource]
   */
  async *#parts(parts, live, now, resource) {
    for (const { ids, from, to } of parts) yield* this.#views((await ids()).slice(from, to), live, now, resource);
  }

  /**
   * The claims that may still change, as they are now.
   * @param {number[]} ids
   * @param {number} now
   * @param {Map<number, View>} live
   */
  #describe(ids, now, live) {
    for (const id of ids) {
      const claim = this.#live.get(id);
      if (claim) live.set(id, describe(claim, now));
    }
    return live;
  }

  /**
   * @param {number[]} ids
   * @param {Map<number, View>} live the claims that may still change; the others are final and in the store
   * @param {number} now
   * @param {string} [resource]
   */
  async *#views(ids, live, now, resource) {
    for (let start = 0; start < ids.length; start += CHUNK) {
      const chunk = ids.slice(start, start + CHUNK);
      const stored = chunk.filter((id) => !live.has(id) && this.#has(id));
      const read = stored.length > 0 && this.#read ? await this.#read(stored) : [];
      const bytes = new Map(stored.map((id, place) => [id, read[place]]));
      for (const id of chunk) {
        const packed = bytes.get(id);
        const view = live.get(id) ?? (packed && describe(unpack(packed), now));
        if (view && (resource === undefined || view.resources.includes(resource))) yield view;
      }
    }
  }
}
