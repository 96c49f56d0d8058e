import { IS_PACKAGE } from '#edition';
import { MODES } from './constants.js';

/**
 * Reads what the core has written, one value after the other.
 * @param {ArrayBufferLike} buffer
 * @param {number} at
 */
export const createReader = (buffer, at) => {
  const view = new DataView(buffer);
  const word = () => view.getUint32((at += 4) - 4, true);
  return {
    word,
    number: () => view.getFloat64((at += 8) - 8, true),
    name() {
      let text = '';
      for (let left = word(); left; left--) text += String.fromCharCode(view.getUint16((at += 2) - 2, true));
      return text;
    },
    /**
     * @template T
     * @param {number} count
     * @param {() => T} read
     */
    list: (count, read) => Array.from({ length: count }, read),
  };
};

/**
 * What a snapshot says. csrc/lockkeeper.h describes the bytes, at lk_snapshot(); they must be a core's own.
 * @param {Uint8Array} bytes
 * @returns {import('./types.js').State}
 */
export const decodeSnapshot = (bytes) => {
  const { word, number, name, list } = createReader(bytes.buffer, bytes.byteOffset + 4);
  const memberCount = word();
  const time = number();
  const fence = number();
  const lastHandle = word();
  const heldCount = word();
  const pendingCount = word();
  /** @type {Map<number, string>} */
  const ids = new Map();
  const members = list(memberCount, () => {
    const last = number();
    const handle = word();
    const client = name();
    ids.set(handle, client);
    return { client, handle, last };
  });
  const request = () => ({
    number: number(),
    fence: number(),
    deadline: number(),
    hold: number(),
    client: /** @type {string} */ (ids.get(word())),
    mode: /** @type {import('./types.js').Mode} */ (MODES[word()]),
    names: list(word(), name)
  });
  /** @type {any} */
  const state = { members, held: list(heldCount, request), pending: list(pendingCount, request) };
  if (IS_PACKAGE) Object.assign(state, { time, fence, lastHandle });
  return state;
};
