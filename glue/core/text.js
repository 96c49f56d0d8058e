/**
 * Bytes that were made text by build/text.mjs, which says how.
 *
 * The character at place [byte] of ALPHABET stands for that byte. Where a byte has none, an escape and another character stand for it: that
 * one's place, and JUMP more for each step into ESCAPES.
 */
export const ALPHABET = 'ti(=orlc:]})&. <ayvhkX5J;/fp0Uwbeu,A{*L8|WHN+qIjd$E4MT!6Q>GB3-9Ksn2xRgm[S?DOCP#z_Y#^Z###1#VF';
export const ESCAPES = '#%7@';
export const JUMP = 96;

/** @param {string} text */
export const decode = (text) => {
  const bytes = [];
  for (let i = 0; i < text.length; i++) {
    const escape = ESCAPES.indexOf(text[i]) + 1;
    bytes.push(ALPHABET.indexOf(text[escape ? ++i : i]) + escape * JUMP);
  }
  return new Uint8Array(bytes);
};
