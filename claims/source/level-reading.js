/** Reads the data folder at start: the checkpoint, its claims, and the entries after it. */
import { crc32 } from 'node:zlib';
import { BLOCK } from './columns.js';
import { blockKey, checksum, claimKey, entryKey, numberOf, unseal } from './level-keys.js';
import { each, readJson, readSealed } from './level-folder.js';
import { DataError } from './log.js';

/** @typedef {import('./level-folder.js').Level} Level */

const CHECKPOINT = 'The last checkpoint is damaged';

/**
 * @param {Level} level
 * @returns {Promise<(import('./log.js').Checkpoint & {claims?: number}) | undefined>} [claims]: how many there are; absent if an
 *   earlier version has written it
 */
export async function readCheckpoint(level) {
  const state = await readJson(level, 'state');
  const [core] = await readSealed(level, ['core']);
  if (!state && !core) return undefined;
  const { place, checksum: expected, claims, ...machine } = state ?? {};
  if (!core || crc32(core) !== expected) throw damage(CHECKPOINT);
  return { place, claims, machine: { ...machine, core } };
}

/**
 * @param {Level} level
 * @param {import('./log.js').Receiver} receiver
 * @param {number} [expected] how many claims there are
 */
export async function readClaims(level, { block, record }, expected) {
  let found = 0;
  /** @type {number[]} */
  const blocks = [];
  await each(level, blockKey(0), 'block0', (key, bytes) => {
    blocks.push(numberOf(key));
    found += block?.(numberOf(key), unseal(key, bytes)) ?? 0;
  });
  const visit = (/** @type {string} */ key, /** @type {Buffer} */ bytes) => {
    found += 1;
    record(numberOf(key), unseal(key, bytes));
  };
  let from = claimKey(0);
  for (const number of block ? blocks : []) {
    await each(level, from, claimKey(number * BLOCK), visit);
    from = claimKey((number + 1) * BLOCK);
  }
  await each(level, from, 'claim0', visit);
  // If a key is damaged, its record may be at another place, and all behind it.
  if (expected !== undefined && found !== expected) throw damage(`${CHECKPOINT}: it has ${expected} claims, and ${found} are there`);
  // Claims will be forgotten one by one, and then a block's summary would be wrong.
  if (!block && blocks.length > 0) {
    await level.clear({ gte: 'block/', lt: 'block0' });
    await level.clear({ gte: 'page/', lt: 'page0' });
  }
}

/**
 * @param {Level} level
 * @param {number} first the place after the checkpoint
 * @param {import('./log.js').Receiver} receiver
 * @returns {Promise<number>} the place of the last entry
 */
export async function readEntries(level, first, receiver) {
  let place = first;
  await each(level, entryKey(first), 'entry0', (key, bytes) => {
    if (numberOf(key) !== place) throw damage(`The journal is damaged: entry ${place} is missing, and later ones are there`);
    const text = bytes.toString('utf8', 9);
    const isWhole = bytes.toString('latin1', 0, 9) === `${checksum(text)} `;
    if (!isWhole) throw damage(`The journal is damaged: entry ${place} is not what was written`);
    receiver.replay({ place, batch: JSON.parse(text), size: bytes.length });
    place += 1;
  });
  return place - 1;
}

/** @param {string} what */
const damage = (what) => new DataError(`${what}. Nothing was changed; restore the folder from a copy.`);
