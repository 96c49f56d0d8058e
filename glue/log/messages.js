/**
 * The messages on the channel, and what makes one acceptable. Messages are input: another version, another library or garbage may
 * stand in them. Behind this file, only the core looks at their shape again, at that of an operation.
 *
 * A message is a list: the protocol's version, the kind, and its values in the order of the table below. It travels as JSON, which browsers
 * copy faster than objects; but a snapshot, for its bytes, as it is.
 */
import { OPERATIONS } from '../core/constants.js';
import { PROTOCOL } from './register.js';

/**
 * What stands in each kind of message, a letter for each value: *t*ext, a whole *n*umber from 0 on, *b*ytes, or *o*perations.
 * - hello (client, attempt): a context without (usable) state asks for it; from the third attempt on any replica answers, not the
 *   leader alone
 * - snapshot (client, to, log, epoch, led, seq, bytes): the answer; and where the channel has no one order, a member's answer to prepare
 * - operations (log, client, operations): a client's numbered operations, to the leader
 * - entries (log, epoch, seq, at, hash, operations): operations with their places, [seq] the first one's; [hash] is the leader's state at
 *   place [at]
 * - want (log, client, number): the leader misses that operation of the client's
 * - prepare (log, epoch, leader): [leader] has won [epoch]; its delivery is the cut (rule R9)
 * - lead (log, epoch, leader, base, hash): the new epoch goes on from place [base]
 * - resign (log, epoch, leader, urgent): the leader would have another one lead (rule R13); one that is hidden too, where it is [urgent],
 *   1 or 0
 * - goodbye (client): it leaves, and acts no more
 * - challenge (log, epoch, client), here (log, epoch): is the leader awake (rule R12)? With epoch 0, here is what a member that does not
 *   lead says to a joiner's first hello: [log] goes on
 * @type {Map<any, string>}
 */
const lettersOf = new Map(/** @type {any} */ (('hello tn,snapshot tttnnnb,operations tto,entries tnnnno,want ttn,prepare tnt,lead tntnn,' +
  'resign tntn,goodbye t,challenge tnt,here tn').split(',').map((line) => line.split(' '))));

/** @param {any} value */
const isText = (value) => typeof value === 'string';

/**
 * Whether a value is what its letter says. The core looks at all else in an operation, and refuses what is wrong there: in each replica
 * alike.
 * @param {string} letter
 * @param {any} value
 * @param {any} client whose operations they must be, where they are not the leader's
 */
const isRight = (letter, value, client) =>
  letter === 'o' ? Array.isArray(value) && value.every((operation) => operation && OPERATIONS.indexOf(operation.type) > 0 &&
    (isText(client)
      ? operation.type !== 'gone' && operation.client === client
      : operation.type === 'tick' || isText(operation.client)))
    : letter === 'b' ? value instanceof Uint8Array
      : letter === 't' ? isText(value) : Number.isSafeInteger(value) && value >= 0;

/**
 * @param {string} kind
 * @param {any[]} values in their order
 * @returns {any} ready to post
 */
export const toMessage = (kind, ...values) => {
  const message = [PROTOCOL, kind, ...values];
  return kind === 'snapshot' ? message : JSON.stringify(message);
};

/**
 * @param {any} message
 * @returns {[kind: string, values: any[]] | [kind?: undefined, values?: undefined]} nothing where it is not ours, not of our version, or
 *   not whole
 */
export const fromMessage = (message) => {
  try {
    const [protocol, kind, ...values] = isText(message) ? JSON.parse(message) : message;
    const isWhole = [.../** @type {string} */ (lettersOf.get(kind))].every((letter, place) => isRight(letter, values[place], values[1]));
    if (isWhole && protocol === PROTOCOL) return [kind, values];
  } catch {
    // Then it has no such form.
  }
  return [];
};
