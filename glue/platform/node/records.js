/**
 * The format of a record in the journal: one line of JSON, with arrays instead of objects, since all waiting threads parse it.
 *
 * [by, number, ...operations]. [by] is the client. Its operations are numbered from [number], and do not name the client again.
 *
 * @typedef {import('../../core/types.js').Operation} Operation
 * @typedef {import('./copy.js').Record} Record
 */

import { hasOwn, ownMember } from '../../core/own-member.js';

/** The first element of an operation. */
const REQUEST = 0;
const DROP = 1;
const FORCE_RELEASE = 2;
const JOIN = 3;
const GONE = 4;
const TICK = 5;

/**
 * An operation in a line. If LIMITED is set, a request has its limit before its names. null means Infinity.
 *
 * @typedef {[type: typeof REQUEST, flags: number, wait: number | null, hold: number | null, ...rest: (number | string)[]]} RequestFields
 * @typedef {RequestFields | [type: typeof DROP, request: number] | [type: typeof FORCE_RELEASE, ...names: string[]] | [type: typeof JOIN]
 *   | [type: typeof GONE, client: string] | [type: typeof TICK, now: number]} Fields
 * @typedef {[by: string, number: number, ...operations: Fields[]]} Line
 */

const EXCLUSIVE = 1;
const IF_AVAILABLE = 2;
const STEAL = 4;
const LIMITED = 8;

/** Text that needs no escape in JSON, like most names. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** @param {string} text */
const quote = (text) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** @param {string[]} names */
const listOf = (names) => (names.length === 1 ? quote(names[0]) : names.map(quote).join());

/** JSON has no Infinity, so null stands for it and for an absent duration. @param {unknown} duration */
const durationOf = (duration) => (Number(duration) < Infinity ? duration : 'null');

/** @param {Operation} operation */
const encodeOperation = (operation) => {
  switch (operation.type) {
    case 'request': {
      const own = (/** @type {keyof typeof operation} */ key) => ownMember(operation, key);
      const limit = own('limit');
      const flags = (operation.mode === 'exclusive' ? EXCLUSIVE : 0) + (own('ifAvailable') ? IF_AVAILABLE : 0)
        + (own('steal') ? STEAL : 0) + (limit ? LIMITED : 0);
      const start = `[${REQUEST},${flags},${durationOf(own('wait'))},${durationOf(own('hold'))},`;
      return `${start}${limit ? `${limit},` : ''}${listOf(operation.names)}]`;
    }
    case 'drop':
      return `[${DROP},${operation.request}]`;
    case 'force-release':
      return `[${FORCE_RELEASE},${listOf(operation.names)}]`;
    case 'join':
      return `[${JOIN}]`;
    case 'gone':
      return `[${GONE},${JSON.stringify(operation.client)}]`;
    default:
      return `[${TICK},${operation.now}]`;
  }
};

/** @param {Record} record @returns {string} */
export const encode = ({ by, operations }) => {
  let first = 0;
  let text = '';
  for (const operation of operations) {
    if (!first && hasOwn(operation, 'number')) first = operation.number;
    text += `,${encodeOperation(operation)}`;
  }
  return `[${quote(by)},${first}${text}]`;
};

/** @param {string} client @param {number} number @param {Fields} fields @returns {Operation} */
const decodeOperation = (client, number, fields) => {
  switch (fields[0]) {
    case REQUEST: {
      const [, flags, wait, hold, ...rest] = fields;
      const limit = flags & LIMITED ? /** @type {number} */ (rest.shift()) : 0;
      const names = /** @type {string[]} */ (rest);
      /** @type {import('../../core/types.js').RequestOperation} */
      const operation = { type: 'request', client, number, names, mode: flags & EXCLUSIVE ? 'exclusive' : 'shared' };
      if (limit) operation.limit = limit;
      if (flags & IF_AVAILABLE) operation.ifAvailable = true;
      if (flags & STEAL) operation.steal = true;
      if (wait !== null) operation.wait = wait;
      if (hold !== null) operation.hold = hold;
      return operation;
    }
    case DROP:
      return { type: 'drop', client, number, request: fields[1] };
    case FORCE_RELEASE:
      return { type: 'force-release', client, number, names: /** @type {string[]} */ (fields.slice(1)) };
    case JOIN:
      return { type: 'join', client, number };
    case GONE:
      return { type: 'gone', client: fields[1] };
    default:
      return { type: 'tick', now: fields[1] };
  }
};

/** @param {Line} line as parsed @returns {Record | undefined} undefined if the line is not a record */
const decode = ([by, first, ...fields]) => {
  let number = first;
  const operations = [];
  for (const each of fields) {
    if (!Array.isArray(each)) return undefined;
    operations.push(decodeOperation(by, each[0] < GONE ? number++ : 0, each));
  }
  return { by, operations };
};

/**
 * The entry in a line of the journal; undefined if no context has written it. All contexts ignore such a line.
 * @param {any} line as parsed; undefined if it is not JSON
 * @returns {import('./beginning.js').Entry | undefined}
 */
export const entryOf = (line) => {
  if (Array.isArray(line)) return decode(/** @type {Line} */ (line));
  if (typeof line !== 'object' || line === null) return undefined;
  const [head, close, mark, state] = ['head', 'close', 'mark', 'state'].map((key) => ownMember(line, key));
  if (head !== undefined) return typeof head === 'number' ? line : undefined;
  return typeof close === 'string' || (typeof mark === 'number' && typeof state === 'string') ? line : undefined;
};
