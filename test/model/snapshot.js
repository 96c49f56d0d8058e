/** The snapshot's bytes: what lk_snapshot() writes and what lk_restore() accepts. csrc/lockkeeper.h has the format. */
import { agree, grantable, isDuration, isNumber } from './rules.js';

/** @typedef {import('../../glue/core/types.js').RequestState} RequestState */
/** @typedef {import('../../glue/core/types.js').State} State */

const FORMAT = 0x32534b4c;

/** @param {State} state */
export function encode(state) {
  const handles = new Map(state.members.map((member) => [member.client, member.handle]));
  /** @type {number[]} */
  const bytes = [];
  const view = new DataView(new ArrayBuffer(8));

  /** @param {number} length */
  const push = (length) => {
    for (let byte = 0; byte < length; byte += 1) bytes.push(view.getUint8(byte));
  };
  /** @param {number} value */
  const u16 = (value) => { view.setUint16(0, value, true); push(2); };
  /** @param {number} value */
  const u32 = (value) => { view.setUint32(0, value, true); push(4); };
  /** @param {number} value */
  const f64 = (value) => { view.setFloat64(0, value, true); push(8); };
  /** @param {string} name */
  const string = (name) => {
    u32(name.length);
    for (let unit = 0; unit < name.length; unit += 1) u16(name.charCodeAt(unit));
  };

  u32(FORMAT);
  u32(state.members.length);
  f64(state.time);
  f64(state.fence);
  u32(state.lastHandle);
  const names = [...new Set([...state.held, ...state.pending].flatMap((request) => request.names))];
  u32(names.length);
  u32(state.held.length);
  u32(state.pending.length);
  for (const member of state.members) {
    f64(member.last);
    u32(member.handle);
    string(member.client);
  }
  names.forEach(string);
  for (const request of [...state.held, ...state.pending]) {
    f64(request.number);
    f64(request.fence);
    f64(request.deadline);
    f64(request.hold);
    u32(handles.get(request.client) ?? 0);
    u32(request.mode === 'shared' ? 1 : 0);
    u32(request.limit);
    u32(request.names.length);
    request.names.forEach((name) => u32(names.indexOf(name)));
  }
  return Uint8Array.from(bytes);
}

/**
 * @param {Uint8Array} bytes
 * @returns {State | undefined} undefined where the bytes are no snapshot of a state that operations can lead to
 */
export function decode(bytes) {
  try {
    const state = parse(bytes);
    return possible(state) ? state : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {State} throws a RangeError where the bytes end too early or late, or name what is not there
 */
function parse(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let place = 0;
  /** @param {number} length */
  const skip = (length) => (place += length) - length;
  const u16 = () => view.getUint16(skip(2), true);
  const u32 = () => view.getUint32(skip(4), true);
  const f64 = () => {
    const value = view.getFloat64(skip(8), true);
    if (Object.is(value, -0)) throw new RangeError('no number is a negative zero');
    return value;
  };
  /**
   * @template Item
   * @param {number} length
   * @param {() => Item} read
   */
  const list = (length, read) => {
    if (length > bytes.length) throw new RangeError('more items than bytes');
    return Array.from({ length }, read);
  };
  const string = () => list(u32(), () => String.fromCharCode(u16())).join('');
  /** @template Value @param {Value | undefined} value */
  const known = (value) => {
    if (value === undefined) throw new RangeError('unknown');
    return value;
  };

  if (u32() !== FORMAT) throw new RangeError('another format');
  const memberCount = u32();
  const time = f64();
  const fence = f64();
  const lastHandle = u32();
  const nameCount = u32();
  const heldCount = u32();
  const pendingCount = u32();
  const members = list(memberCount, () => {
    const last = f64();
    const handle = u32();
    return { client: string(), handle, last };
  });
  const clients = new Map(members.map((member) => [member.handle, member.client]));
  const names = list(nameCount, string);
  /** @returns {RequestState} */
  const request = () => ({
    number: f64(),
    fence: f64(),
    deadline: f64(),
    hold: f64(),
    client: known(clients.get(u32())),
    mode: known(/** @type {const} */ (['exclusive', 'shared'])[u32()]),
    limit: u32(),
    names: list(u32(), () => known(names[u32()])),
  });
  const state = { time, fence, lastHandle, members, held: list(heldCount, request), pending: list(pendingCount, request) };
  if (place !== bytes.length) throw new RangeError('bytes left over');
  const used = new Set([...state.held, ...state.pending].flatMap((each) => each.names));
  if (names.length !== used.size || [...used].some((name, index) => name !== names[index])) {
    throw new RangeError('names that no request has, or in another order');
  }
  return state;
}

/** @param {number[]} values */
const rises = (values) => values.every((value, place) => place === 0 || value > values[place - 1]);

/** @param {unknown[]} values */
const unique = (values) => new Set(values).size === values.length;

/** @param {State} state */
function possible(state) {
  const { time, fence, lastHandle, members, held, pending } = state;
  return isNumber(time) && isNumber(fence) && fence + pending.length <= Number.MAX_SAFE_INTEGER
    && members.every((member) => member.handle > 0 && member.handle <= lastHandle && isNumber(member.last) && member.last > 0)
    && rises(members.map((member) => member.handle))
    && unique(members.map((member) => member.client)) && members.every((member) => member.client !== '')
    && unique([...held, ...pending].map((request) => `${request.number} ${request.client}`))
    && members.every((member) => rises(pending.filter((request) => request.client === member.client).map((request) => request.number)))
    && rises(held.map((lock) => lock.fence))
    && [...held, ...pending].every((request) => possibleRequest(state, request))
    && held.every((lock) => possibleLock(state, lock))
    && held.flatMap((lock) => lock.names).every((name) => agree(held.filter((lock) => lock.names.includes(name))))
    && pending.every((request) => request.fence === 0 && !grantable(request, state));
}

/**
 * Its client's join had number 1 or a greater one.
 * @param {State} state
 * @param {RequestState} request
 */
function possibleRequest(state, { client, number, mode, limit, deadline, hold, names }) {
  const last = state.members.find((member) => member.client === client)?.last ?? 0;
  return isNumber(number) && number > 1 && number <= last
    && isDuration(hold) && isDuration(deadline) && deadline > state.time && names.length > 0 && unique(names)
    && (mode === 'shared' || limit === 0);
}

/**
 * It was granted in the past. A deadline that would never come is none.
 * @param {State} state
 * @param {RequestState} lock
 */
const possibleLock = (state, { fence, deadline, hold }) =>
  isNumber(fence) && fence > 0 && fence <= state.fence && (deadline === Infinity
    ? !isNumber(state.time + hold)
    : deadline >= hold && deadline <= state.time + hold);
