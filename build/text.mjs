/**
 * Encodes bytes as plain ASCII text, for the Wasm embedded in a script. Nearly every byte becomes one character, so that a compressor still
 * sees where instructions begin. Frequent bytes of the Wasm become frequent characters of JavaScript, since a compressor has one table for
 * both. base64 costs 1.4 KB more after gzip, characters in the order of ASCII 0.3 KB.
 */
import { ESCAPES } from '../glue/core/text.js';

/** The characters that need no backslash in a string, except ESCAPES, sorted by their frequency in minified JavaScript, counted once. */
const CHARACTERS = 'et()=r,n.olaiscd&p{}: u>hgmfb!|;yw0v1[]k?OESjAxq+LMP2CD-TIWN/4<HFU3B$z68RJ#ZKV*5GX7Y_Q^%9';

/** The characters for the byte values below their number, in the order of these values. @param {Uint8Array} bytes */
const alphabetFor = (bytes) => {
  const counts = Array.from(CHARACTERS, () => 0);
  for (const byte of bytes) if (byte < counts.length) counts[byte]++;
  const byFrequency = [...counts.keys()].sort((one, other) => counts[other] - counts[one]);
  const alphabet = [...CHARACTERS];
  for (const [rank, byte] of byFrequency.entries()) alphabet[byte] = CHARACTERS[rank];
  return alphabet.join('');
};

/**
 * Encodes [bytes] for glue/core/text.js, which decodes them.
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
