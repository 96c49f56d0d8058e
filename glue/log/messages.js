/**
 * The messages on the channel, and what makes one acceptable. Messages are input: another version, another library or garbage may
 * stand in them. Behind this file, only the core looks at their shape again, at that of an operation. The other files name no fields:
 * there a message is its kind and its values, in the order in which the fields stand here.
 */
import { OPERATIONS } from '../core/constants.js';
import { PROTOCOL } from './register.js';

/**
 * What each kind of message carries.
 * - hello: a context without (usable) state asks for it; from the third [attempt] on any replica answers, not the leader alone
 * - snapshot: the answer, for [to]; and where the channel has no one order, a member's answer to prepare
 * - operations: a client's numbered operations, to the leader
 * - entries: operations with their places, [seq] the first one's; [hash] is the leader's state at place [at]
 * - want: the leader misses [client]'s operation [number]
 * - prepare: [leader] has won [epoch]; its delivery is the cut (rule R9)
 * - lead: the new epoch goes on from place [base]
 * - resign: the leader would have another one lead (rule R13); one that is hidden too, where it is [urgent]
 * - present: to a joiner's first hello, of a member that does not lead: [log] goes on
 * - goodbye: [client] leaves, and acts no more
 * - challenge, here: is the leader awake (rule R12)?
 * [urgent] is 1 or 0.
 * @type {Map<string, string[]>}
 */
const fieldsOf = new Map();
for (const line of [
  'hello client attempt', 'snapshot client to log epoch led seq bytes', 'operations log client operations',
  'entries log epoch seq at hash operations', 'want log client number', 'prepare log epoch leader', 'lead log epoch leader base hash',
  'resign log epoch leader urgent', 'goodbye client', 'challenge log epoch client', 'here log epoch', 'present log',
]) {
  const [kind, ...fields] = line.split(' ');
  fieldsOf.set(kind, fields);
}

/** @param {any} value */
const isText = (value) => typeof value === 'string';

/**
 * Whether [value] is what [field] must be, in whatever [message] it stands. The core looks at all else in an operation, and refuses what
 * is wrong there: in each replica alike.
 * @param {string} field
 * @param {any} value
 * @param {any} message
 */
const isRight = (field, value, message) =>
  field === 'operations' ? Array.isArray(value) && value.every((operation) => operation && OPERATIONS.indexOf(operation.type) > 0 &&
    (message.kind === 'entries'
      ? operation.type === 'tick' || isText(operation.client)
      : operation.type !== 'gone' && operation.client === message.client))
    : field === 'bytes' ? value instanceof Uint8Array
      : /^(log|client|leader|to)$/.test(field) ? isText(value) : Number.isSafeInteger(value) && value >= 0;

/**
 * @param {string} kind
 * @param {any[]} values its fields', in their order
 * @returns {any} ready to post
 */
export const toMessage = (kind, ...values) => {
  /** @type {Record<string, any>} */
  const message = { lockkeeper: PROTOCOL, kind };
  /** @type {string[]} */ (fieldsOf.get(kind)).forEach((field, place) => {
    message[field] = values[place];
  });
  return message;
};

/**
 * @param {any} message
 * @returns {any[] | undefined | false} its fields' values, in their order, where it is ours, of our version, and whole
 */
export const valuesOf = (message) => {
  const fields = message && message.lockkeeper === PROTOCOL && fieldsOf.get(message.kind);
  return fields && fields.every((/** @type {string} */ field) => isRight(field, message[field], message)) &&
    fields.map((/** @type {string} */ field) => message[field]);
};
