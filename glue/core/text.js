/** Decodes the text that build/text.mjs makes of bytes. */

/** A character after the first of these stands for a byte greater by the alphabet's length; after the second, by twice that length. */
export const ESCAPES = '@~';

/**
 * There is no loop here on purpose: V8 would optimise a long loop for 13 ms on another thread, just when the browser needs the processor
 * for the databases (docs/browsers.md). The class in the regular expression is ESCAPES.
 * @param {string} text
 * @param {string} alphabet the character at each place stands for the byte of that number
 */
export const decode = (text, alphabet) => new Uint8Array(/** @type {string[]} */ (text.match(/[@~]?[^]/g)).map(
  (each) => alphabet.indexOf(each[1] || each) + (ESCAPES.indexOf(each[0]) + 1) * alphabet.length));
