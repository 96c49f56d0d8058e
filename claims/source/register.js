/**
 * All claims, final ones included. The values that lists filter by are in columns of numbers. Open claims are in memory, and final ones in
 * the store, which may keep them on disk. If a whole block of claims is final, its columns go to the store, too: see archive.js.
 */
import { Archive, summarize } from './archive.js';
import { FINAL_CLAIMS } from './budget.js';
import { STATUSES, isFinal } from './claim.js';
import { BLOCK, Block, NONE } from './columns.js';
import { Finals } from './finals.js';
import { Lists } from './lists.js';
import { sizeOf } from './usage.js';
import { hashOf, pack, unpack, unpackHead } from './record.js';

/** @typedef {import('./claim.js').Claim} Claim */
/** @typedef {import('./claim.js').Status} Status */
/** @typedef {import('./operations.js').Transition} Transition */

/** How many blocks are archived by one checkpoint. */
const BLOCKS_AT_ONCE = 1;

export class Register {
  /** By number. Sparse, since a restored copy continues with much greater ids. @type {Map<number, Block>} */
  #blocks = new Map();
  /** @type {Map<number, Claim>} open claims, and final ones that the store lacks */
  #live = new Map();
  /** @type {Map<number, number[]>} hashes of claims with several resources */
  #several = new Map();
  /** @type {Set<number>} claims that have changed since the last checkpoint */
  #dirty = new Set();
  #finals;
  /** @type {number[]} claims to be deleted from the store */
  #forgotten = [];
  #read;
  #lastId = 0;
  /** @type {Archive | undefined} */
  #archive;
  counts = { waiting: 0, active: 0, final: 0 };

  /**
   * @param {object} options
   * @param {(ids: number[]) => Promise<(Buffer | undefined)[]>} [options.read] from the store; without it final claims stay in memory
   * @param {import('./archive.js').ReadColumns} [options.readColumns] likewise
   * @param {number} [options.keep] how many final claims are remembered
   * @param {number} [options.keepBytes] how many bytes they may take, without [read]
   */
  constructor({ read, readColumns, keep = Infinity, keepBytes = FINAL_CLAIMS } = {}) {
    this.#read = read;
    this.#finals = new Finals(keep, read ? Infinity : keepBytes);
    // If claims were forgotten, blocks would have to be written again.
    if (read && readColumns && keep === Infinity) this.#archive = new Archive(readColumns, read);
    const [blocks, live, several, archive] = [this.#blocks, this.#live, this.#several, this.#archive];
    this.lists = new Lists({ blocks, live, several, archive, read, has: (id) => this.has(id) });
  }

  /** Whether it uses blocks. */
  get archives() {
    return this.#archive !== undefined;
  }

  /** How many claims are remembered. */
  get size() {
    return this.counts.waiting + this.counts.active + this.counts.final;
  }

  /** Forgets everything, so that it can be filled again. */
  clear() {
    for (const map of [this.#blocks, this.#live, this.#several, this.#dirty]) map.clear();
    this.#finals.clear();
    this.#forgotten = [];
    this.#lastId = 0;
    this.counts = { waiting: 0, active: 0, final: 0 };
    this.#archive?.clear();
  }

  /**
   * Adds claims that are all final, and in the store.
   * @param {number} number
   * @param {Buffer} summary
   * @returns {number} how many
   */
  loadBlock(number, summary) {
    const claims = /** @type {Archive} */ (this.#archive).add(number, summary);
    this.counts.final += claims;
    this.#lastId = Math.max(this.#lastId, (number + 1) * BLOCK - 1);
    return claims;
  }

  /**
   * Adds a claim that is in the store.
   * @param {number} id
   * @param {Buffer} bytes
   * @returns {Claim | undefined} the claim, if it is open
   */
  load(id, bytes) {
    const { status, created, waiting, active, hashes } = unpackHead(bytes);
    this.#place(id, created, hashes);
    this.#count(id, status);
    if (isFinal(status)) {
      if (!this.#read) this.#live.set(id, unpack(bytes));
      this.#finish(id, waiting, active);
      return undefined;
    }
    const claim = unpack(bytes);
    this.#live.set(id, claim);
    return claim;
  }

  /** @param {Transition} transition */
  record({ claim, view }) {
    const { id } = claim;
    this.#dirty.add(id);
    if (view.status === 'waiting') {
      this.#live.set(id, claim);
      this.#place(id, view.history[0].at, claim.resources.map(hashOf));
    }
    this.#count(id, view.status);
    if (isFinal(view.status)) this.#finish(id, view.waitingDuration, view.activeDuration ?? NaN);
  }

  /**
   * A claim has changed, but not its status.
   * @param {number} id
   */
  touch(id) {
    this.#dirty.add(id);
  }

  /** @param {number} id */
  has(id) {
    return this.#archive?.has(Math.floor(id / BLOCK)) || this.#statusOf(id) !== NONE;
  }

  /** What the store has to write and to delete, as of now. Call [done] when it has. */
  checkpoint() {
    const written = [...this.#dirty].filter((id) => this.#live.has(id));
    const records = written.map((id) => /** @type {[number, Buffer]} */ ([id, pack(/** @type {Claim} */ (this.#live.get(id)))]));
    const forgotten = this.#forgotten.splice(0);
    this.#dirty.clear();
    const blocks = this.#overBlocks();
    const done = () => {
      for (const id of this.#read ? written : []) {
        const claim = this.#live.get(id);
        if (claim && isFinal(claim.status) && !this.#dirty.has(id)) this.#live.delete(id);
      }
      for (const { number, summary, several } of blocks) {
        this.#archive?.add(number, summary);
        this.#blocks.delete(number);
        for (const id of several.keys()) this.#several.delete(id);
      }
    };
    const failed = () => {
      for (const id of written) this.#dirty.add(id);
      this.#forgotten.push(...forgotten);
    };
    return { records, forgotten, blocks, done, failed };
  }

  /** Blocks with only final claims. They no longer change. */
  #overBlocks() {
    const over = [];
    for (const [number, block] of this.#archive ? this.#blocks : []) {
      if (block.open > 0 || number >= Math.floor(this.#lastId / BLOCK) || over.length === BLOCKS_AT_ONCE) continue;
      const several = new Map([...this.#several].filter(([id]) => Math.floor(id / BLOCK) === number));
      over.push({ number, several, ...summarize(block, several) });
    }
    return over;
  }

  /**
   * All remembered claims, as of now, for a store that keeps nothing between checkpoints. Each is packed when it is read, since packing all
   * at once would delay everything else.
   * @returns {Iterable<{id: number, bytes: Buffer}>}
   */
  all() {
    const claims = [...this.#live.values()].sort((one, other) => one.id - other.id)
      .map((claim) => (isFinal(claim.status) ? claim : { ...claim, history: [...claim.history] }));
    return (function* () {
      for (const claim of claims) yield { id: claim.id, bytes: pack(claim) };
    })();
  }

  /**
   * @param {number} id
   * @param {number} created
   * @param {number[]} hashes
   */
  #place(id, created, hashes) {
    const number = Math.floor(id / BLOCK);
    const block = this.#blocks.get(number) ?? new Block();
    // Ids grow, so blocks are in the order of their numbers.
    this.#blocks.set(number, block);
    const place = id % BLOCK;
    this.#lastId = Math.max(this.#lastId, id);
    block.claims += 1;
    block.created[place] = created;
    block.hash[place] = hashes[0];
    block.waiting[place] = block.active[place] = NaN;
    if (hashes.length > 1) this.#several.set(id, hashes);
  }

  /**
   * @param {number} id
   * @param {Status} status
   */
  #count(id, status) {
    const block = this.#blockOf(id);
    const before = STATUSES[block.status[id % BLOCK]];
    if (before) this.counts[kind(before)] -= 1;
    this.counts[kind(status)] += 1;
    block.open += Number(!isFinal(status)) - Number(before !== undefined && !isFinal(before));
    block.status[id % BLOCK] = STATUSES.indexOf(status);
  }

  /**
   * @param {number} id
   * @param {number} waiting
   * @param {number} active
   */
  #finish(id, waiting, active) {
    const block = this.#blockOf(id);
    block.waiting[id % BLOCK] = waiting;
    block.active[id % BLOCK] = active;
    if (!this.#finals.isBounded) return;
    const claim = this.#read ? undefined : this.#live.get(id);
    this.#finals.add(id, claim ? sizeOf(claim) : 0);
    for (const over of this.#finals.takeExcess()) this.#forget(over);
  }

  /** Forgets final claims if there is no space for them. */
  forgetFinals() {
    for (const id of this.#finals.takeAll()) this.#forget(id);
  }

  /** @param {number} id */
  #forget(id) {
    const block = this.#blockOf(id);
    block.status[id % BLOCK] = NONE;
    block.claims -= 1;
    // The newest block may still get claims.
    if (block.claims === 0 && id + BLOCK < this.#lastId) this.#blocks.delete(Math.floor(id / BLOCK));
    this.#live.delete(id);
    this.#dirty.delete(id);
    this.#several.delete(id);
    if (this.#read) this.#forgotten.push(id);
    this.counts.final -= 1;
  }

  /** @param {number} id of an existing claim */
  #blockOf(id) {
    return /** @type {Block} */ (this.#blocks.get(Math.floor(id / BLOCK)));
  }

  /** @param {number} id */
  #statusOf(id) {
    return this.#blocks.get(Math.floor(id / BLOCK))?.status[id % BLOCK] ?? NONE;
  }
}

/** @param {Status} status */
const kind = (status) => (status === 'waiting' || status === 'active' ? status : 'final');
