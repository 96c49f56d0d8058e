/**
 * The messages on the channel, and what makes one acceptable. Messages are input: another version, another library or garbage may
 * stand in them, and nothing behind this file looks at their shape again.
 */
import { PROTOCOL } from './register.js';

/** @typedef {(value: any) => boolean} Check */

/** @type {Check} */
const isText = (value) => typeof value === 'string';

/** @type {Check} */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** @type {Check} */
const isDuration = (value) => value === undefined || value === Infinity || isCount(value);

/** @type {Check} */
const areNames = (names) => Array.isArray(names) && names.length > 0 && names.every(isText) && new Set(names).size === names.length;

/** @type {Check} whether a client may have made it */
const isClientOperation = ({ type, client, number, names, mode, steal, ifAvailable, wait, hold, request }) =>
  isText(client) && isCount(number) && (
    type === 'join' ||
    (type === 'drop' ? isCount(request) : areNames(names) && (
      type === 'force-release' || (type === 'request' && isDuration(wait) && isDuration(hold) &&
        (mode === 'exclusive' ? !(steal && ifAvailable) : mode === 'shared' && !steal)))));

/** @type {Check} */
const isEntry = (operation) => operation.type === 'gone' ? isText(operation.client)
  : operation.type === 'tick' ? isCount(operation.now) : isClientOperation(operation);

/** What each property must be, in whatever message it stands. @type {Record<string, Check>} */
const checks = {
  operations: (list) => Array.isArray(list) && list.every((each) => each && isEntry(each)),
  bytes: (bytes) => bytes instanceof Uint8Array,
};
for (const key of ['log', 'client', 'leader', 'to']) checks[key] = isText;
for (const key of ['epoch', 'led', 'seq', 'at', 'base', 'hash', 'number', 'attempt']) checks[key] = isCount;

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
 * @type {Record<string, string[]>}
 */
const kinds = {};
for (const line of [
  'hello client attempt', 'snapshot client to log epoch led seq bytes', 'operations log client operations',
  'entries log epoch seq at hash operations', 'want log client number', 'prepare log epoch leader', 'lead log epoch leader base hash',
  'resign log epoch leader', 'goodbye client', 'challenge log epoch client', 'here log epoch', 'present log',
]) {
  const [kind, ...keys] = line.split(' ');
  kinds[kind] = keys;
}

/** @param {Record<string, any>} message @returns {any} ready to post */
export const stamp = (message) => Object.assign({ lockkeeper: PROTOCOL }, message);

/** @type {Check} whether it is ours, of our version, and whole */
export const isMessage = (message) =>
  !!message && message.lockkeeper === PROTOCOL && Object.prototype.hasOwnProperty.call(kinds, message.kind) &&
  kinds[message.kind].every((key) => checks[key](message[key])) &&
  (message.kind !== 'operations' ||
    message.operations.every((/** @type {any} */ operation) => operation.client === message.client && isClientOperation(operation)));
