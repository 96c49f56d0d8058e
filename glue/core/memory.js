/**
 * Reads and writes values in a core's memory, or in a snapshot, one after the other, beginning where seek() points. Values are
 * little-endian and unaligned. All cores of a realm share one view, so call seek() first and finish in the same task.
 */
import { MODES } from './constants.js';

/** A view of the buffer that was used last. When a core's memory grows, it gets another buffer. @type {DataView} */
let view;
let at = 0;

/**
 * @param {ArrayBufferLike} buffer
 * @param {number} place of the next value
 */
export const seek = (buffer, place) => {
  if (!view || view.buffer !== buffer) view = new DataView(buffer);
  at = place;
};

export const readWord = () => view.getUint32((at += 4) - 4, true);

export const readNumber = () => view.getFloat64((at += 8) - 8, true);

export const readName = () => {
  let name = '';
  for (let left = readWord(); left; left--) name += String.fromCharCode(view.getUint16((at += 2) - 2, true));
  return name;
};

/**
 * @template T
 * @param {number} count
 * @param {() => T} read
 */
export const readList = (count, read) => {
  const all = [];
  while (count-- > 0) all.push(read());
  return all;
};

/**
 * @param {Map<number, string>} clients by handle
 * @param {() => string} nextName returns the request's next name
 * @returns {import('./types.js').RequestState}
 */
export const readRequest = (clients, nextName) => ({
  number: readNumber(),
  fence: readNumber(),
  deadline: readNumber(),
  hold: readNumber(),
  client: /** @type {string} */ (clients.get(readWord())),
  mode: MODES[readWord()],
  limit: readWord(),
  names: readList(readWord(), nextName),
});

/** @param {string} name */
export const writeName = (name) => {
  view.setUint32((at += 4) - 4, name.length, true);
  for (let i = 0; i < name.length; i++) view.setUint16((at += 2) - 2, name.charCodeAt(i), true);
};
