/** Wraps one instance of csrc/wasm.c in typed functions. */
import { IS_PACKAGE } from '#edition';
import { EVENTS, IF_AVAILABLE, MODES, OK, OPERATIONS, OUT_OF_MEMORY, STALE, STEAL, USES } from './constants.js';
import { CoreError } from './error.js';
import { readName, readNumber, readRequest, readWord, seek, writeName } from './memory.js';
import { ownMember } from './own-member.js';
import { decodeSnapshot } from './snapshot.js';

/**
 * @typedef {import('./types.js').Core} Core
 * @typedef {import('./types.js').LockEvent} LockEvent
 *
 * @typedef {object} Exports what csrc/wasm.c exports, compiled either way; pointers are numbers
 * @property {{readonly buffer: ArrayBuffer}} memory
 * @property {(fence: number, seed: number) => number} reset
 * @property {(size: number) => number} scratch
 * @property {(type: number, client: number, number: number, request: number, wait: number, hold: number, now: number,
 *   mode: number, limit: number, flags: number, nameCount: number, namesLength: number) => number} apply
 * @property {() => number} eventCount
 * @property {() => number} events
 * @property {() => number} snapshot
 * @property {(size: number) => number} restore
 * @property {() => number} fork
 * @property {() => void} rejoin
 * @property {(previous: number) => number} nextRequest
 * @property {(request: number, place: number) => number} requestName
 * @property {(client: number) => number} last
 * @property {(above: number) => number} raise
 * @property {() => number} time
 * @property {() => number} nextDeadline
 * @property {() => number} requestCount
 * @property {(client: number, number: number) => number} isUndisputed
 * @property {(client: number, namesLength: number) => number} useByOthers
 * @property {() => number} hash
 *
 * @typedef {object} Fields the fields of an operation. They are not checked yet: other contexts may have sent them
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

/** No buffer can have this many bytes, and the core's sizes cannot express them. */
const TOO_LARGE = 2 ** 31;

/** The offset of a request's fields in its memory: see csrc/wasm.c. */
const REQUEST_FIELDS = 64;

/** @param {number} result of a call: if below 0, the status of an error */
const check = (result) => {
  if (result < 0) throw new CoreError(result);
  return result;
};

/** Shows a value that is not a snapshot, briefly: a list could have millions of bytes. @param {unknown} value */
const brief = (value) => (Object(value) === value ? Object.prototype.toString.call(value) : String(value).slice(0, 60));

/** Anything but a number becomes NaN, which the core refuses. @param {unknown} value */
const numberOf = (value) => (typeof value === 'number' ? value : NaN);

/** Anything but a list of strings becomes an empty list, which the core refuses. @param {unknown} list @returns {string[]} */
const namesOf = (list) => (Array.isArray(list) && list.every((name) => typeof name === 'string') ? list : []);

/** @param {WebAssembly.Instance} instance of the Wasm @returns {Exports} */
export const exportsOf = ({ exports }) => /** @type {Exports} */ (/** @type {unknown} */ (exports));

/**
 * @param {Exports} exports of an instance that is not used elsewhere
 * @param {number} [fence] fences start above it
 * @param {number} [seed] 32 secret bits for the hash tables
 * @returns {Core}
 */
export const wrapCore = (exports, fence = 0, seed = Math.random() * 2 ** 32) => {
  /** The members' handles by their ids. @type {Map<unknown, number>} */
  let handles;
  /** The members' ids by their handles. @type {Map<number, string>} */
  let clients;
  /** Counts the calls that may have changed the state. */
  let changes = 0;

  const forgetMembers = () => {
    handles = new Map();
    clients = new Map();
  };

  /** @param {string} client @param {number} handle */
  const addMember = (client, handle) => {
    handles.set(client, handle);
    clients.set(handle, client);
  };

  /** @param {number} place in the memory where the next value is read or written */
  const go = (place) => seek(exports.memory.buffer, place);

  /** 0, which no member has, if [client] is not a member. @param {unknown} client */
  const handleOf = (client) => handles.get(client) || 0;

  /** @param {number} size @returns {number} the address of a buffer of that many bytes */
  const scratch = (size) => check(size < TOO_LARGE ? exports.scratch(size) : OUT_OF_MEMORY);

  /**
   * Writes [names] to the scratch buffer, each after its length, and returns how many code units that takes.
   * @param {string[]} names
   */
  const writeNames = (names) => {
    let length = 0;
    for (const name of names) length += name.length + 2;
    if (length) go(scratch(length * 2));
    for (const name of names) writeName(name);
    return length;
  };

  /** @param {Fields} operation @returns {number} its status */
  const perform = (operation) => {
    const { type, client, number, request, mode, names, now } = operation;
    changes++;
    const all = namesOf(type === 'join' ? [client] : names);
    const length = writeNames(all);
    // Read optional fields only from the operation itself, so that the page's scripts cannot add them through a prototype.
    const limit = ownMember(operation, 'limit', 0);
    const wait = ownMember(operation, 'wait', Infinity);
    const hold = ownMember(operation, 'hold', Infinity);
    const flags = (ownMember(operation, 'ifAvailable') ? IF_AVAILABLE : 0) | (ownMember(operation, 'steal') ? STEAL : 0);
    // With a wrong limit, the mode is passed as -1, which the core refuses.
    const count = typeof limit === 'number' && limit >>> 0 === limit ? limit : -1;
    return exports.apply(
      /** @type {readonly unknown[]} */ (OPERATIONS).indexOf(type), handleOf(client), numberOf(number), numberOf(request),
      numberOf(wait), numberOf(hold), numberOf(now), count < 0 ? -1 : /** @type {readonly unknown[]} */ (MODES).indexOf(mode),
      count, flags, all.length, length);
  };

  const snapshot = () => {
    const size = check(exports.snapshot());
    return new Uint8Array(exports.memory.buffer, exports.scratch(0), size).slice();
  };

  /** @param {number} above fences start above it */
  const reset = (above) => {
    check(exports.reset(above, seed));
    changes++;
    forgetMembers();
  };

  /** @param {Uint8Array} bytes */
  const restore = (bytes) => {
    if (IS_PACKAGE && !(ArrayBuffer.isView(bytes) && bytes.BYTES_PER_ELEMENT === 1)) {
      throw new TypeError(`restore() needs the bytes of a snapshot: a Uint8Array, not ${brief(bytes)}.`);
    }
    const at = scratch(bytes.length + 1);
    new Uint8Array(exports.memory.buffer, at).set(bytes);
    check(exports.restore(bytes.length));
    changes++;
    forgetMembers();
    for (const { client, handle } of decodeSnapshot(bytes).members) addMember(client, handle);
  };

  /** @type {Core['apply']} */
  const apply = (operation) => {
    if (IS_PACKAGE && !operation) throw new TypeError(`apply() needs an operation: an object, not ${String(operation)}.`);
    const status = perform(operation);
    if (status < OK || status > STALE) throw new CoreError(status, operation);
    const count = exports.eventCount();
    /** @type {LockEvent[]} */
    const events = [];
    if (count) go(exports.events());
    for (let left = count; left; left--) {
      const type = /** @type {LockEvent['type']} */ (EVENTS[readWord()]);
      const handle = readWord();
      if (operation.type === 'join') addMember(operation.client, handle);
      events.push({ type, client: /** @type {string} */ (clients.get(handle)), number: readNumber(), fence: readNumber() });
    }
    if (operation.type === 'gone') {
      clients.delete(/** @type {number} */ (handles.get(operation.client)));
      handles.delete(operation.client);
    }
    return events;
  };

  /** @type {Core['requests']} */
  const requests = function* () {
    /** The names read so far, by their address: many requests may share one. @type {Map<number, string>} */
    const names = new Map();
    const began = changes;
    for (let at = 0; (at = exports.nextRequest(at));) {
      let place = 0;
      const nextName = () => {
        const nameAt = exports.requestName(at, place++);
        if (!names.has(nameAt)) {
          go(nameAt);
          names.set(nameAt, readName());
        }
        return /** @type {string} */ (names.get(nameAt));
      };
      go(at + REQUEST_FIELDS);
      yield readRequest(clients, nextName);
      if (changes !== began) throw new Error('The state was changed before the iteration over it had ended.');
    }
  };

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
    raise: (above) => void check(exports.raise(above)),
    reset,
    snapshot,
    restore,
    // The script-tag build does not use it.
    requests: /** @type {Core['requests']} */ (IS_PACKAGE && requests),
    state: () => decodeSnapshot(snapshot()),
    hash: exports.hash,
    time: exports.time,
    nextDeadline: exports.nextDeadline,
    requestCount: exports.requestCount,
    isUndisputed: (client, number) => !!exports.isUndisputed(handleOf(client), number),
    useByOthers: (client, names) => USES[exports.useByOthers(handleOf(client), writeNames(names))],
    last: (client) => exports.last(handleOf(client)),
  };
};
