/**
 * Bytes that were made text by build/text.mjs, which says how.
 *
 * The character at place [byte] of ALPHABET stands for that byte. Where a byte has none, an escape and another character stand for it: that
 * one's place, and JUMP more for each step into ESCAPES.
 */
export const ALPHABET = 'ti(=on.u:hc) lS;awd[mqzMvZb{|B+?e},_!IA-0V3>/8LJ1XYPj4&D2fFxOkHQsrNWRgp]<yT6*K#$5G#^U###C#E9';
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
