/**
 * Bytes as plain ASCII text, for the Wasm that stands in a script. Nearly every byte becomes one character, so that a compressor still sees
 * where instructions begin; and the bytes that are frequent in the Wasm become the characters that are frequent in JavaScript, since a
 * compressor has one table for both. base64 costs 1.4 KB more after gzip, characters in the order of ASCII 0.3 KB.
 */
import { ESCAPES } from '../glue/core/text.js';

/** What a string holds without a backslash, but for ESCAPES: the most frequent in minified JavaScript first, as counted once. */
const CHARACTERS = 'et()=r,n.olaiscd&p{}: u>hgmfb!|;yw0v1[]k?OESjAxq+LMP2CD-TIWN/4<HFU3B$z68RJ#ZKV*5GX7Y_Q^%9';

/** The character for each of the first bytes. @param {Uint8Array} bytes */
const alphabetFor = (bytes) => {
  const counts = Array.from(CHARACTERS, () => 0);
  for (const byte of bytes) if (byte < counts.length) counts[byte]++;
  const byFrequency = [...counts.keys()].sort((one, other) => counts[other] - counts[one]);
  const alphabet = [...CHARACTERS];
  for (const [rank, byte] of byFrequency.entries()) alphabet[byte] = CHARACTERS[rank];
  return alphabet.join('');
};

/**
 * What glue/core/text.js decodes.
 * @param {Uint8Array} bytes
 */
export const encode = (bytes) => {
  const alphabet = alphabetFor(bytes);
  const characterOf = (/** @type {number} */ byte) => {
    const escape = ESCAPES[Math.floor(byte / alphabet.length) - 1] || '';
    return escape + alphabet[byte % alphabet.length];
  };
  return { text: Array.from(bytes, characterOf).join(''), alphabet };
};
