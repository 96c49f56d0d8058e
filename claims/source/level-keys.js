/**
 * The keys of the data folder, and the checksums of their values:
 *
 *   format       {format, software}; written first
 *   clock        from which log time continues, see clock.js
 *   state        the last checkpoint without the following: JSON
 *   core         the lock manager's snapshot in it
 *   claim/id     its claims, see record.js
 *   block/n      the summary of a block of final claims, see archive.js
 *   page/n/name  its columns
 *   entry/place  an entry after it: checksum, space, text
 *
 * All values but the format and the entries are sealed, since LevelDB verifies its own checksums only by an option that classic-level does
 * not pass on:
 *
 *   u8 0x53, u32 checksum of key and value, value
 */
import { crc32 } from 'node:zlib';
import { DataError } from './log.js';

/** No value of the former format begins with this byte. */
const SEAL = 0x53;
const HEAD = 5;

/** @param {string} text */
export const checksum = (text) => crc32(text).toString(16).padStart(8, '0');

/** The checksum that an entry begins with. @param {Buffer} entry */
export const checksumIn = (entry) => entry.toString('latin1', 0, 8);

/**
 * @param {string} key
 * @param {Buffer} bytes
 */
export function seal(key, bytes) {
  const head = Buffer.alloc(HEAD);
  head[0] = SEAL;
  head.writeUInt32LE(crc32(bytes, crc32(key)), 1);
  return Buffer.concat([head, bytes]);
}

/**
 * @param {string} key
 * @param {Buffer} bytes
 */
export function isSealed(key, bytes) {
  return bytes.length >= HEAD && bytes[0] === SEAL && crc32(bytes.subarray(HEAD), crc32(key)) === bytes.readUInt32LE(1);
}

/**
 * @param {string} key
 * @param {Buffer} bytes
 */
export function unseal(key, bytes) {
  if (isSealed(key, bytes)) return bytes.subarray(HEAD);
  throw damaged(key);
}

/**
 * @param {string} key
 * @param {unknown} [cause]
 */
export const damaged = (key, cause) =>
  new DataError(`The record "${key}" of the data folder is damaged. Nothing was changed; restore the folder from a copy.`, cause);

/** @param {string} key */
export const isUnsealed = (key) => key === 'format' || key.startsWith('entry/');

/** @param {number} place */
export const entryKey = (place) => `entry/${place.toString(36).padStart(11, '0')}`;

/** @param {number} id */
export const claimKey = (id) => `claim/${id.toString(36).padStart(11, '0')}`;

/** @param {number} number */
export const blockKey = (number) => `block/${number.toString(36).padStart(11, '0')}`;

/**
 * @param {number} number
 * @param {string} name
 */
export const pageKey = (number, name) => `page/${number.toString(36).padStart(11, '0')}/${name}`;

/** @param {string} key */
export const numberOf = (key) => parseInt(key.slice(6), 36);
