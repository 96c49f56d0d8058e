/** The typed face of a core: one instance of csrc/wasm.c. */
import { EVENTS, IF_AVAILABLE, MODES, OPERATIONS, STEAL } from './constants.js';
import { refusal } from './error.js';
import { createReader, decodeSnapshot } from './snapshot.js';

/**
 * @typedef {object} Exports what csrc/wasm.c exports, compiled either way; pointers are numbers
 * @property {{readonly buffer: ArrayBuffer}} memory
 * @property {(fence: number) => number} reset
 * @property {(size: number) => number} scratch
 * @property {(...operation: any[]) => number} apply
 * @property {() => number} events
 * @property {() => number} snapshot
 * @property {(size: number) => number} restore
 * @property {(client?: number) => number} last
 * @property {() => number} time
 * @property {() => number} nextDeadline
 * @property {() => number} requestCount
 * @property {() => number} hash
 */

/** @param {number} result of a call; below 0 where that was refused */
const check = (result) => {
  if (result < 0) throw refusal(result);
  return result;
};

/**
 * @param {Exports} exports of an instance that nobody else uses
 * @param {number} [fence] fences start above it
 * @returns {import('./types.js').Core}
 */
export const wrapCore = (exports, fence = 0) => {
  /** Each client's handle by its id, and its id by its handle. @type {Map<any, any>} */
  const handles = new Map();

  /** @param {string} client @param {number} handle */
  const remember = (client, handle) => {
    handles.set(client, handle);
    handles.set(handle, client);
  };

  /**
   * Writes [names] to the scratch buffer, each behind its length, and returns how many code units that takes.
   * @param {string[]} names
   */
  const writeNames = (names) => {
    const text = names.map((name) => String.fromCharCode(name.length, name.length >>> 16) + name).join('');
    const at = check(exports.scratch(text.length * 2 + 1));
    const units = new Uint16Array(exports.memory.buffer, at, text.length);
    for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
    return text.length;
  };

  /**
   * Whatever is missing or wrong becomes a value that the core refuses, or a TypeError before it is asked.
   * @param {any} operation
   * @returns {number} how many events it caused
   */
  const perform = ({ type, client, number, request, now, mode, ifAvailable, steal, wait = Infinity, hold = Infinity, names = [] }) => {
    const list = type === 'join' ? [client] : names;
    const length = writeNames(list);
    return check(exports.apply(OPERATIONS.indexOf(type), handles.get(client), number, request, wait, hold, now,
      MODES.indexOf(mode), (ifAvailable ? IF_AVAILABLE : 0) | (steal ? STEAL : 0), list.length, length));
  };

  const snapshot = () => {
    const size = check(exports.snapshot());
    const at = exports.scratch(0);
    return new Uint8Array(exports.memory.buffer.slice(at, at + size));
  };

  /** @param {number} above fences start above it */
  const reset = (above) => {
    check(exports.reset(above));
    handles.clear();
  };

  /** @param {Uint8Array} bytes */
  const restore = (bytes) => {
    const at = check(exports.scratch(bytes.length + 1));
    new Uint8Array(exports.memory.buffer).set(bytes, at);
    check(exports.restore(bytes.length));
    handles.clear();
    for (const { client, handle } of decodeSnapshot(bytes).members) remember(client, handle);
  };

  reset(fence);

  /** @type {import('./types.js').Core} */
  const core = {
    apply(operation) {
      const count = perform(operation);
      // Most of what waits in a queue causes nothing yet.
      if (!count && operation.type !== 'gone') return [];
      const { client } = /** @type {any} */ (operation);
      const { word, number, list } = createReader(exports.memory.buffer, exports.events());
      const events = list(count, () => {
        const type = EVENTS[word()];
        const handle = word();
        if (type === 'joined') remember(client, handle);
        return { type, client: handles.get(handle), number: number(), fence: number() };
      });
      if (operation.type === 'gone') {
        handles.delete(handles.get(client));
        handles.delete(client);
      }
      return events;
    },
    foresee(operations) {
      const bytes = snapshot();
      try {
        return /** @type {any[]} */ ([]).concat(...operations.map(core.apply));
      } catch {
        return [];
      } finally {
        restore(bytes);
      }
    },
    reset,
    snapshot,
    restore,
    state: () => decodeSnapshot(snapshot()),
    hash: exports.hash,
    time: exports.time,
    nextDeadline: exports.nextDeadline,
    requestCount: exports.requestCount,
    last: (client) => exports.last(handles.get(client)),
  };
  return core;
};
