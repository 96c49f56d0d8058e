/**
 * Bytes as plain ASCII text that compresses nearly as well as the bytes themselves: nearly every byte becomes one character, so that a
 * compressor still sees where instructions begin; and the bytes that are frequent in Wasm become the characters that are frequent in
 * JavaScript, since a compressor has one table for both. base64 costs 1.7 KB more in a compressed build.
 */
import { ALPHABET, ESCAPES, JUMP } from '../glue/core/text.js';

/** What stands for each byte. */
const texts = Array.from({ length: 256 }, (_, byte) => {
  const plain = ALPHABET[byte];
  if (plain !== undefined && !ESCAPES.includes(plain)) return plain;
  for (const [step, escape] of [...ESCAPES].entries()) {
    const place = (byte - (step + 1) * JUMP) & 255;
    if (place < ALPHABET.length && !ESCAPES.includes(ALPHABET[place])) return escape + ALPHABET[place];
  }
  throw new Error(`No character for byte ${byte}`);
});

/** @param {Uint8Array} bytes */
export const encode = (bytes) => Array.from(bytes, (byte) => texts[byte]).join('');
