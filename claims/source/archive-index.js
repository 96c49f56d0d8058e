/**
 * The index of an archived block. For each final status it has the claims in three orders: by their resources' hashes, and by each of the
 * two durations. An order is a run of growing keys, each with its claim's place in the block, divided into pages. Memory holds only the
 * first key of each page. So one or two pages tell how many claims pass a filter, and only the pages between have to be read to find them.
 */
import { STATUSES, isFinal } from './claim.js';
import { BLOCK, NONE } from './columns.js';

/** @typedef {import('./columns.js').Block} Block */
/** @typedef {'hash' | 'waiting' | 'active'} Indexed */
/** @typedef {{count: number, firsts: number[]}} Run [firsts]: the first key of each page */
/** @typedef {{keys: Float64Array, places: Uint16Array}} Page */
/** @typedef {Record<string, Run>} Runs by their names */
/** @typedef {{name: string, from: number, to: number}} Range of a run; [to] is not in it */

/** How many entries a page has. */
export const PAGE = 1024;
/** @type {Indexed[]} */
const INDEXED = ['hash', 'waiting', 'active'];
const FINAL = STATUSES.flatMap((status, number) => (isFinal(status) ? [number] : []));

/**
 * @param {Indexed} column
 * @param {number} status
 */
const nameOf = (column, status) => `${column}/${status}`;

/**
 * @param {string} run
 * @param {number} page
 */
const pageName = (run, page) => `${run}/${page}`;

/**
 * @param {Block} block with only final claims
 * @param {Map<number, number[]>} several hashes of its claims that have several resources, by id
 * @returns {{runs: Runs, pages: [string, Buffer][]}}
 */
export function makeIndex(block, several) {
  /** @type {Runs} */
  const runs = {};
  /** @type {[string, Buffer][]} */
  const pages = [];
  const hashes = new Map([...several].map(([id, all]) => [id % BLOCK, all]));
  for (const status of FINAL) {
    for (const column of INDEXED) {
      /** @type {number[]} */
      const keys = [];
      /** @type {number[]} */
      const places = [];
      for (let place = 0; place < BLOCK; place += 1) {
        if (block.status[place] !== status || Number.isNaN(block[column][place])) continue;
        const all = column === 'hash' ? hashes.get(place) : undefined;
        for (const key of all ? new Set(all) : [block[column][place]]) {
          keys.push(key);
          places.push(place);
        }
      }
      if (keys.length === 0) continue;
      const name = nameOf(column, status);
      const sorted = sort(keys, places);
      runs[name] = { count: keys.length, firsts: [] };
      for (let start = 0; start < keys.length; start += PAGE) {
        runs[name].firsts.push(sorted.keys[start]);
        const part = { keys: sorted.keys.slice(start, start + PAGE), places: sorted.places.slice(start, start + PAGE) };
        pages.push([pageName(name, start / PAGE), packPage(part)]);
      }
    }
  }
  return { runs, pages };
}

/**
 * Sorts by key. Sorting plain numbers takes a fraction of the time that pairs take.
 * @param {number[]} keys
 * @param {number[]} places of the same length
 * @returns {Page}
 */
function sort(keys, places) {
  const sorted = Float64Array.from(keys).sort();
  const taken = new Uint32Array(keys.length);
  const result = new Uint16Array(keys.length);
  keys.forEach((key, index) => {
    const first = lowerBound(sorted, key);
    result[first + taken[first]] = places[index];
    taken[first] += 1;
  });
  return { keys: sorted, places: result };
}

/**
 * Counts the leading entries for which [isBefore] holds.
 * @param {ArrayLike<number>} sorted
 * @param {(key: number) => boolean} isBefore
 */
function countBefore(sorted, isBefore) {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(sorted[middle])) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Counts the keys that are less than [key].
 * @param {ArrayLike<number>} sorted
 * @param {number} key
 */
const lowerBound = (sorted, key) => countBefore(sorted, (each) => each < key);

/**
 * Counts the keys that are not greater than [key].
 * @param {ArrayLike<number>} sorted
 * @param {number} key
 */
const upperBound = (sorted, key) => countBefore(sorted, (each) => each <= key);

/** @param {Page} page */
const packPage = ({ keys, places }) => Buffer.concat([
  new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength), new Uint8Array(places.buffer, places.byteOffset, places.byteLength)]);

/**
 * @param {Buffer} bytes
 * @returns {Page}
 */
export function unpackPage(bytes) {
  const count = bytes.length / 10;
  // Copies, since typed arrays need aligned memory.
  const { buffer } = new Uint8Array(bytes);
  return { keys: new Float64Array(buffer, 0, count), places: new Uint16Array(buffer, 8 * count, count) };
}

/**
 * The ranges of the entries with keys between [least] and [most], inclusive.
 * @param {Runs} runs
 * @param {Indexed} column
 * @param {number} status NONE: any
 * @param {[number, number]} bounds
 * @param {(name: string) => Promise<Page>} read a page
 * @returns {Promise<Range[]>}
 */
export async function findRanges(runs, column, status, [least, most], read) {
  const names = (status === NONE ? FINAL : [status]).map((each) => nameOf(column, each)).filter((name) => runs[name]);
  return Promise.all(names.map(async (name) => {
    const from = await position(name, runs[name], least, lowerBound, read);
    return { name, from, to: Math.max(from, await position(name, runs[name], most, upperBound, read)) };
  }));
}

/**
 * How many keys of a run are below a bound.
 * @param {string} name
 * @param {Run} run
 * @param {number} key
 * @param {typeof lowerBound} bound
 * @param {(name: string) => Promise<Page>} read
 */
async function position(name, { count, firsts }, key, bound, read) {
  // The bound is in the last page that has its first key below it.
  const page = bound(firsts, key) - 1;
  if (page < 0) return 0;
  if (key === Infinity) return count;
  return page * PAGE + bound((await read(pageName(name, page))).keys, key);
}

/**
 * @param {Range[]} ranges
 * @param {(name: string) => Promise<Page>} read
 * @returns {Promise<number[]>} places in the block, in order
 */
export async function placesIn(ranges, read) {
  const places = [];
  for (const { name, from, to } of ranges) {
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page += 1) {
      const part = (await read(pageName(name, page))).places;
      places.push(...part.subarray(Math.max(0, from - page * PAGE), Math.min(PAGE, to - page * PAGE)));
    }
  }
  return places.sort((one, other) => one - other);
}
