/**
 * Looks for damage in LevelDB's own journal. When LevelDB opens it, it drops without a word what it cannot read there, with all that stands
 * behind it in the same block, and then deletes the file. It has options against that, but classic-level does not pass them on.
 *
 * By LevelDB's doc/log_format.md, such a file consists of blocks of 32 KiB, and a block of records and up to six zeros:
 *
 *   u32 checksum, u16 length, u8 type, data
 *
 * Little-endian. The checksum is the masked CRC-32C of type and data. A write is one record (FULL), or FIRST, some MIDDLE, and LAST.
 *
 * Each write is on disk before the next one begins. So a write that a crash has torn is the last one, and a damaged record before the
 * beginning of another write was whole once. A damaged last write cannot be told from a torn one.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from './log.js';

const BLOCK = 32_768;
const HEAD = 7;
const [FULL, FIRST, LAST] = [1, 2, 4];

/** Node has only the CRC-32 of another polynomial. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

/**
 * Throws if acknowledged writes are damaged.
 * @param {string} folder
 */
export async function checkJournal(folder) {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.log'))) {
    const file = join(folder, name);
    // Another server on this folder may have deleted it meanwhile. LevelDB will see that server.
    const place = await readFile(file).then(findDamage, (error) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)));
    if (place === undefined) continue;
    throw new DataError(`The journal is damaged: ${file} is not what was written at byte ${place}, and later writes are there. `
      + 'Nothing was changed; restore the folder from a copy.');
  }
}

/** @param {Buffer} bytes */
function findDamage(bytes) {
  for (let place = 0; place + HEAD <= bytes.length;) {
    const left = BLOCK - place % BLOCK;
    const size = left < HEAD ? left : sizeAt(bytes, place);
    if (size === 0) return hasWriteAfter(bytes, place) ? place : undefined;
    place += size;
  }
  return undefined;
}

/**
 * At any place, since the length of the damaged record may be wrong.
 * @param {Buffer} bytes
 * @param {number} damaged
 */
function hasWriteAfter(bytes, damaged) {
  for (let place = damaged + 1; place + HEAD <= bytes.length; place += 1) {
    if (bytes[place + 6] <= FIRST && sizeAt(bytes, place) > 0) return true;
  }
  return false;
}

/**
 * The size of the record at a place; 0 if there is no whole one.
 * @param {Buffer} bytes
 * @param {number} place
 */
function sizeAt(bytes, place) {
  const size = HEAD + bytes.readUInt16LE(place + 4);
  if (bytes[place + 6] < FULL || bytes[place + 6] > LAST || place + size > bytes.length || place % BLOCK + size > BLOCK) return 0;
  let crc = 0xffffffff;
  for (let each = place + 6; each < place + size; each += 1) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[each]) & 255];
  crc = ~crc;
  return ((crc >>> 15 | crc << 17) + 0xa282ead8) >>> 0 === bytes.readUInt32LE(place) ? size : 0;
}
