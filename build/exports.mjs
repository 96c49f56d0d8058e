/**
 * Gives what a Wasm module exports other names. The script-tag build shortens the properties that nobody else sees, and these are such.
 */

const EXPORTS = 7;

/** @param {number} value @returns {number[]} as LEB128 */
const leb = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);

/** @param {Uint8Array} bytes */
const createReader = (bytes, at = 0) => {
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  return { number, take: (/** @type {number} */ length) => bytes.subarray(at, (at += length)), left: () => at < bytes.length };
};

/**
 * @param {Uint8Array} section the content of the exports' section
 * @param {Map<string, string>} shortOf
 */
const renameSection = (section, shortOf) => {
  const { number, take } = createReader(section);
  const count = number();
  const renamed = leb(count);
  for (let left = count; left; left--) {
    const name = Buffer.from(take(number())).toString();
    const short = Buffer.from(shortOf.get(name) || name);
    renamed.push(...leb(short.length), ...short, ...take(1), ...leb(number()));
  }
  return renamed;
};

/**
 * @param {Uint8Array} bytes a module
 * @param {Map<string, string>} shortOf new names by old ones
 * @returns {Uint8Array}
 */
export const renameExports = (bytes, shortOf) => {
  const { number, take, left } = createReader(bytes, 8);
  const renamed = [...bytes.subarray(0, 8)];
  while (left()) {
    const id = number();
    const section = take(number());
    const content = id === EXPORTS ? renameSection(section, shortOf) : section;
    renamed.push(id, ...leb(content.length), ...content);
  }
  return Uint8Array.from(renamed);
};
