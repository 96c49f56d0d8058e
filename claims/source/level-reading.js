/** Reads the data folder at start: the checkpoint, its claims, and the entries after it. */
import { crc32 } from 'node:zlib';
import { BLOCK } from './columns.js';
import { blockKey, checksum, claimKey, entryKey, numberOf } from './level-keys.js';
import { each, readJson, write } from './level-folder.js';
import { DataError } from './log.js';

/** @typedef {import('./level-folder.js').Level} Level */

/** @param {Level} level */
export async function readCheckpoint(level) {
  const state = await readJson(level, 'state');
  if (!state) return undefined;
  const core = await level.get('core');
  const { place, checksum: expected, ...machine } = state;
  if (!core || crc32(core) !== expected) {
    throw new DataError('The last checkpoint is damaged. Nothing was changed; restore the folder from a copy.');
  }
  return { place, machine: { ...machine, core } };
}

/**
 * @param {Level} level
 * @param {import('./log.js').Receiver} receiver
 */
export async function readClaims(level, { block, record }) {
  /** @type {number[]} */
  const blocks = [];
  await each(level, blockKey(0), 'block0', (key, bytes) => {
    blocks.push(numberOf(key));
    block?.(numberOf(key), bytes);
  });
  // Claims will be forgotten one by one, and then a block's summary would be wrong.
  if (!block && blocks.length > 0) {
    await level.clear({ gte: 'block/', lt: 'block0' });
    await level.clear({ gte: 'page/', lt: 'page0' });
  }
  let from = claimKey(0);
  for (const number of block ? blocks : []) {
    await each(level, from, claimKey(number * BLOCK), (key, bytes) => record(numberOf(key), bytes));
    from = claimKey((number + 1) * BLOCK);
  }
  await each(level, from, 'claim0', (key, bytes) => record(numberOf(key), bytes));
}

/**
 * @param {Level} level
 * @param {number} first the place after the checkpoint
 * @param {import('./log.js').Receiver} receiver
 * @param {(message: string) => void} warn
 * @returns {Promise<number>} the place of the last entry
 */
export async function readEntries(level, first, receiver, warn) {
  let place = first;
  /** @type {number | undefined} */
  let damaged;
  await each(level, entryKey(first), 'entry0', (key, bytes) => {
    if (damaged !== undefined) throw damage(`entry ${damaged} is not what was written`);
    if (numberOf(key) !== place) throw damage(`entry ${place} is missing`);
    const text = bytes.toString('utf8', 9);
    if (bytes.toString('latin1', 0, 9) === `${checksum(text)} `) receiver.replay({ place, batch: JSON.parse(text), size: bytes.length });
    else damaged = place;
    place += 1;
  });
  if (damaged === undefined) return place - 1;
  warn(`the last entry of the journal, ${damaged}, was not written to its end and is dropped; it was never acknowledged`);
  await write(() => level.del(entryKey(/** @type {number} */ (damaged)), { sync: true }));
  return damaged - 1;
}

/** @param {string} what */
const damage = (what) =>
  new DataError(`The journal is damaged: ${what}, and later ones are there. Nothing was changed; restore the folder from a copy.`);
