import { readList, readName, readNumber, readRequest, readWord, seek } from './memory.js';

/**
 * Decodes a snapshot. csrc/lockkeeper.h describes the bytes, at lk_snapshot(). They must come from a core, since this function checks
 * nothing.
 * @param {Uint8Array} bytes
 * @returns {import('./types.js').State}
 */
export const decodeSnapshot = (bytes) => {
  seek(bytes.buffer, bytes.byteOffset + 4);
  const memberCount = readWord();
  const time = readNumber();
  const fence = readNumber();
  const lastHandle = readWord();
  const nameCount = readWord();
  const heldCount = readWord();
  const pendingCount = readWord();
  /** @type {Map<number, string>} */
  const clients = new Map();
  const members = readList(memberCount, () => {
    const last = readNumber();
    const handle = readWord();
    const client = readName();
    clients.set(handle, client);
    return { client, handle, last };
  });
  const names = readList(nameCount, readName);
  const nextRequest = () => readRequest(clients, () => names[readWord()]);
  return { members, held: readList(heldCount, nextRequest), pending: readList(pendingCount, nextRequest), time, fence, lastHandle };
};
