/**
 * Bytes that were made text by build/text.mjs, which says how.
 *
 * The character at place [byte] of ALPHABET stands for that byte. Where a byte has none, an escape and another character stand for it: that
 * one's place, and JUMP more for each step into ESCAPES.
 */
export const ALPHABET = 'ti(=orl|g{});.&3a]Sb+96YkCypdvw1e:,P qXGcBVE!H4K0NjQ<8hx2JWZ-F$?snzU5umfL/D>_R#*I^#TM###[#OA';
export const ESCAPES = '#%7@';
export const JUMP = 96;

/**
 * Without a loop of its own: an engine takes a long one for worth optimizing, and does so on another processor for 13 ms, just when the
 * browser needs that for the databases. The class in the expression is ESCAPES.
 * @param {string} text
 */
export const decode = (text) => new Uint8Array(/** @type {string[]} */ (text.match(/[#%7@]?[^]/g)).map(
  (each) => ALPHABET.indexOf(each[1] || each) + (ESCAPES.indexOf(each[0]) + 1) * JUMP));
