/**
 * The messages in the order, and how they are checked. Messages are untrusted input: they may come from another version, another library or
 * a hostile frame. Later code trusts what passes here, except that the core checks the contents of operations.
 *
 * A message is a list: the protocol's version, the kind, the client that posts it, and its values in the order of KINDS. It travels as
 * JSON, which browsers copy faster than objects. A `state` travels as the list itself, because of its bytes.
 */
import { OPERATIONS } from '../core/constants.js';
import { hasOwn } from '../core/own-member.js';
import { toJson } from './json.js';
import { GREATEST_GENERATION, PROTOCOL } from './register.js';

/**
 * @typedef {{kind: string, from: string, values: any[]}} Message
 * @typedef {[nonce: string, attempt: number, reached: number, heard: string[]]} Hello the values of a `hello`
 */

/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === 'string';

/** A client's id. Records are looked up by it, so it is no name that every object has. @param {unknown} value @returns {value is string} */
const isClient = (value) => isText(value) && !(value in Object.prototype);

/** A whole number, 0 or more, however large: a forged one must not make later messages malformed. @param {unknown} value */
const isCount = (value) => Number.isInteger(value) && Number(value) >= 0;

/** A time in milliseconds that leaves room for fences above it (see ./replica.js). @param {unknown} value */
const isGeneration = (value) => isCount(value) && Number(value) <= GREATEST_GENERATION && Number(value) > 0;

/** @param {unknown} value */
const areTexts = (value) => Array.isArray(value) && value.every(isText);

/** @param {unknown} value */
const isBytes = (value) => value instanceof Uint8Array;

/**
 * Operations of the client that posts them. The core checks their contents, and refuses the same ones in every replica.
 * @param {unknown} value
 */
const areOwnOperations = (value) => Array.isArray(value) && value.every((operation) => operation
  && OPERATIONS.indexOf(operation.type) > 0 && operation.type !== 'gone' && operation.type !== 'tick');

/**
 * The values of each kind of message.
 * - hello (nonce, attempt, reached, heard): asks for the state. [reached] is 0 if the sender has none, else one more than the entries that
 *   it has applied. [heard] names the last hello of each other context in doubt that the sender has received. Attempt 0 asks only whether
 *   anybody is there.
 * - here (log): the answer to attempt 0: this log lives
 * - state (to, nonce, log, count, now, generation, epoch, bytes): the answer to other attempts: the state when that hello was delivered,
 *   after [count] entries, at log time [now]; [epoch] is what the sender has last read in the register
 * - begin (log, generation, over): the sender has written a fresh log into the register. It replaces the log [over], whose members are all
 *   dead; empty if it replaces none
 * - anew (log, generation, epoch): the sender has written the register anew, or found it incomplete (D11)
 * - back (log): the sender has come back after a wipe, under a new alive name
 * - resume (log, generation): nobody has the current state, and the sender has got farthest (D10); fences go on at that generation
 * - operations (log, count, hash, now, generation, operations): the sender's numbered operations, without its id. When it posted them, it
 *   had applied [count] entries, with that [hash], at log time [now]. A join is refused if its [generation] is lower than the log's
 * - gone (log, client, now): [client] has ended; [now] is the log time, 0 if the sender has no state
 * - tick (log, now): the log's time
 * @type {Record<string, ((value: unknown) => boolean)[]>}
 */
const KINDS = {
  hello: [isText, isCount, isCount, areTexts],
  here: [isText],
  state: [isText, isText, isText, isCount, isCount, isGeneration, isText, isBytes],
  begin: [isText, isCount, isText],
  anew: [isText, isGeneration, isText],
  back: [isText],
  resume: [isText, isGeneration],
  operations: [isText, isCount, isCount, isCount, isCount, areOwnOperations],
  gone: [isText, isClient, isCount],
  tick: [isText, isCount],
};

/**
 * @param {string} kind
 * @param {string} from
 * @param {unknown[]} values in their order
 * @returns {string | unknown[]} ready to append
 */
export const toMessage = (kind, from, values) => {
  const message = [PROTOCOL, kind, from, ...values];
  return kind === 'state' ? message : toJson(message);
};

/** Identifies an own message on delivery. A `state` is delivered as a copy, so its nonce identifies it. @param {any} message */
export const identityOf = (message) => isText(message) ? message : message[4];

/**
 * Every version shares the first three parts of a message, `hello` with its nonce and attempt, and `here`.
 * @param {unknown} message
 * @returns {{protocol: number, message: Message} | undefined} undefined if it is not Lockkeeper's
 */
const partsOf = (message) => {
  try {
    const [protocol, kind, from, ...values] = isText(message) ? JSON.parse(message) : /** @type {any} */ (message);
    // Only parsed JSON is certain to consist of plain lists throughout.
    const isPlain = isText(message) === (kind !== 'state');
    return isPlain && isCount(protocol) && isText(kind) && isClient(from) ? { protocol, message: { kind, from, values } } : undefined;
  } catch {
    return undefined;
  }
};

/**
 * @param {unknown} message
 * @returns {Message | undefined} undefined if it is not Lockkeeper's, is of another version, or is malformed
 */
export const fromMessage = (message) => {
  const parts = partsOf(message);
  if (!parts || parts.protocol !== PROTOCOL || !hasOwn(KINDS, parts.message.kind)) return undefined;
  const { kind, values } = parts.message;
  const checks = KINDS[kind];
  return checks.length === values.length && checks.every((check, at) => check(values[at])) ? parts.message : undefined;
};

/** @param {unknown} message @returns {Message | undefined} a message of another version; its values are unchecked */
export const fromOtherVersion = (message) => {
  const parts = partsOf(message);
  return parts && parts.protocol !== PROTOCOL ? parts.message : undefined;
};
