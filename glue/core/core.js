/** The typed face of a core: one instance of csrc/wasm.c. */
import { EVENTS, IF_AVAILABLE, MODES, OPERATIONS, STALE, STEAL } from './constants.js';
import { CoreError } from './error.js';
import { createReader, decodeSnapshot, FENCE_AT } from './snapshot.js';

/**
 * @typedef {import('./types.js').Core} Core
 * @typedef {import('./types.js').LockEvent} LockEvent
 *
 * @typedef {object} Exports what csrc/wasm.c exports, compiled either way; pointers are numbers
 * @property {{readonly buffer: ArrayBuffer}} memory
 * @property {(word: number) => void} seed
 * @property {(fence: number) => number} reset
 * @property {(size: number) => number} scratch
 * @property {(type: number, client: number, number: number, request: number, wait: number, hold: number, now: number,
 *   mode: number, limit: number, flags: number, nameCount: number, namesLength: number) => number} apply
 * @property {() => number} eventCount
 * @property {() => number} events
 * @property {() => number} snapshot
 * @property {(size: number) => number} restore
 * @property {() => number} fork
 * @property {() => void} rejoin
 * @property {(client: number) => number} last
 * @property {() => number} time
 * @property {() => number} nextDeadline
 * @property {() => number} requestCount
 * @property {() => number} hash
 *
 * @typedef {object} Fields what stands in an operation, which may come from anybody
 * @property {unknown} [type]
 * @property {unknown} [client]
 * @property {unknown} [number]
 * @property {unknown} [request]
 * @property {unknown} [limit]
 * @property {unknown} [wait]
 * @property {unknown} [hold]
 * @property {unknown} [now]
 * @property {unknown} [mode]
 * @property {unknown} [ifAvailable]
 * @property {unknown} [steal]
 * @property {unknown} [names]
 */

/** @param {number} result of a call: a status, or what is no status where it is above 0 */
const check = (result) => {
  if (result < 0) throw new CoreError(result);
  return result;
};

/** What is no number becomes one that the core refuses. @param {unknown} value */
const numberOf = (value) => (typeof value === 'number' ? value : NaN);

/** The same for what is no list of names. @param {unknown} list @returns {string[]} */
const namesOf = (list) => (Array.isArray(list) && list.every((name) => typeof name === 'string') ? list : []);

/**
 * @param {Exports} exports of an instance that nobody else uses
 * @param {number} [fence] fences start above it
 * @param {number} [seed] 32 bits that nobody else should know
 * @returns {Core}
 */
export const wrapCore = (exports, fence = 0, seed = Math.random() * 2 ** 32) => {
  /** The members' handles by their ids. @type {Map<unknown, number>} */
  let handles = new Map();
  /** And their ids by their handles. @type {Map<number, string>} */
  let clients = new Map();

  const forgetMembers = () => {
    handles = new Map();
    clients = new Map();
  };

  /** @param {string} client @param {number} handle */
  const addMember = (client, handle) => {
    handles.set(client, handle);
    clients.set(handle, client);
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

  /** @param {Fields} operation @returns {number} its status */
  const perform = ({
    type, client, number, request, mode, limit = 0, ifAvailable, steal, wait = Infinity, hold = Infinity, names, now,
  }) => {
    const list = namesOf(type === 'join' ? [client] : names);
    const length = writeNames(list);
    // What is no limit is refused like a mode that is none.
    const count = typeof limit === 'number' && limit >>> 0 === limit ? limit : -1;
    return exports.apply(
      /** @type {readonly unknown[]} */ (OPERATIONS).indexOf(type), handles.get(client) || 0, numberOf(number), numberOf(request),
      numberOf(wait), numberOf(hold), numberOf(now), count < 0 ? -1 : /** @type {readonly unknown[]} */ (MODES).indexOf(mode),
      count, (ifAvailable ? IF_AVAILABLE : 0) | (steal ? STEAL : 0), list.length, length);
  };

  const snapshot = () => {
    const size = check(exports.snapshot());
    const at = exports.scratch(0);
    return new Uint8Array(exports.memory.buffer.slice(at, at + size));
  };

  /** @param {number} above fences start above it */
  const reset = (above) => {
    check(exports.reset(above));
    forgetMembers();
  };

  /** @param {Uint8Array} bytes */
  const restore = (bytes) => {
    const at = check(exports.scratch(bytes.length + 1));
    new Uint8Array(exports.memory.buffer).set(bytes, at);
    check(exports.restore(bytes.length));
    forgetMembers();
    for (const { client, handle } of decodeSnapshot(bytes).members) addMember(client, handle);
  };

  /** @type {Core['apply']} */
  const apply = (operation) => {
    const status = check(perform(operation));
    if (status > STALE) throw new CoreError(status);
    const count = exports.eventCount();
    // Most of what waits in a queue causes nothing yet.
    if (!count && operation.type !== 'gone') return [];
    const { word, number, list } = createReader(exports.memory.buffer, exports.events());
    const events = list(count, () => {
      const type = /** @type {LockEvent['type']} */ (EVENTS[word()]);
      const handle = word();
      if (operation.type === 'join' && type === 'joined') addMember(operation.client, handle);
      return { type, client: /** @type {string} */ (clients.get(handle)), number: number(), fence: number() };
    });
    if (operation.type === 'gone') {
      clients.delete(/** @type {number} */ (handles.get(operation.client)));
      handles.delete(operation.client);
    }
    return events;
  };

  exports.seed(seed);
  reset(fence);

  return {
    apply,
    foresee(operations) {
      if (exports.fork() < 0) return [];
      const [handlesBefore, clientsBefore] = [new Map(handles), new Map(clients)];
      try {
        return /** @type {LockEvent[]} */ ([]).concat(...operations.map(apply));
      } catch {
        return [];
      } finally {
        exports.rejoin();
        handles = handlesBefore;
        clients = clientsBefore;
      }
    },
    raise(above) {
      const bytes = snapshot();
      const view = new DataView(bytes.buffer);
      view.setFloat64(FENCE_AT, Math.max(above, view.getFloat64(FENCE_AT, true)), true);
      restore(bytes);
    },
    reset,
    snapshot,
    restore,
    state: () => decodeSnapshot(snapshot()),
    hash: exports.hash,
    time: exports.time,
    nextDeadline: exports.nextDeadline,
    requestCount: exports.requestCount,
    last: (client) => exports.last(handles.get(client) || 0),
  };
};
