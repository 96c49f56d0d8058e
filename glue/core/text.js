/** Bytes that build/text.mjs made text. */

/** A character behind the first of these stands for a byte that is greater by the alphabet's length, behind the second by twice that. */
export const ESCAPES = '@~';

/**
 * Without a loop of its own: an engine takes a long one for worth optimizing, and does so on another processor for 13 ms, just when the
 * browser needs that for the databases. The class in the expression is ESCAPES.
 * @param {string} text
 * @param {string} alphabet the character at each place stands for the byte of that number
 */
export const decode = (text, alphabet) => new Uint8Array(/** @type {string[]} */ (text.match(/[@~]?[^]/g)).map(
  (each) => alphabet.indexOf(each[1] || each) + (ESCAPES.indexOf(each[0]) + 1) * alphabet.length));
