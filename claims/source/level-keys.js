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
 */
import { crc32 } from 'node:zlib';

/** @param {string} text */
export const checksum = (text) => crc32(text).toString(16).padStart(8, '0');

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
