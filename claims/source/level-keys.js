/**
 * The keys of the data folder, and the checksums of what is under them:
 *
 *   format       {format, software}; the first thing written
 *   clock        what log time goes on from, see clock.js
 *   state        the last checkpoint but for what follows: JSON
 *   core         the lock manager's snapshot in it
 *   claim/id     its claims, see record.js
 *   block/n      what is said of a block of claims that are all final, see archive.js
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
