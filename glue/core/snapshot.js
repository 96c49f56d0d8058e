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
    list(count, read) {
      const all = [];
      for (let left = count; left > 0; left--) all.push(read());
      return all;
    },
  };
};

/** Where the highest fence so far stands in a snapshot. */
export const FENCE_AT = 16;

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
  const nameCount = word();
  const heldCount = word();
  const pendingCount = word();
  /** @type {Map<number, string>} */
  const clients = new Map();
  const members = list(memberCount, () => {
    const last = number();
    const handle = word();
    const client = name();
    clients.set(handle, client);
    return { client, handle, last };
  });
  const names = list(nameCount, name);
  const request = () => ({
    number: number(),
    fence: number(),
    deadline: number(),
    hold: number(),
    client: /** @type {string} */ (clients.get(word())),
    mode: MODES[word()],
    limit: word(),
    names: list(word(), () => names[word()])
  });
  return { members, held: list(heldCount, request), pending: list(pendingCount, request), time, fence, lastHandle };
};
