import { IS_PACKAGE } from '#edition';
import { OPERATIONS, STATUSES } from './constants.js';

/** What was wrong, by the name of the status. */
const REASONS = {
  refused: 'a field is wrong, such as a mode, a duration, or a name that is there twice',
  'no-fence': 'no number is left for another fence',
  'out-of-memory': 'there is no memory for it',
  invalid: 'the type, number, time or fence is wrong',
  'unknown-client': 'the client has not joined, or is gone',
  duplicate: 'the client has used that number, or has joined already',
  gap: "the client's next operation has a lower number",
  'bad-snapshot': 'the bytes are no snapshot',
  'no-handle': 'there have been 2^32 - 1 members',
};

/** How many characters of a client's id are shown at most. */
const LONGEST = 60;

/**
 * Describes an operation, which may be malformed.
 * @param {import('./core.js').Fields} operation
 */
const titleOf = ({ type, client, number }) => {
  const title = typeof type === 'string' && /** @type {readonly string[]} */ (OPERATIONS).includes(type) ? type : 'operation';
  const id = typeof client === 'string' ? JSON.stringify(client.length > LONGEST ? `${client.slice(0, LONGEST)}…` : client) : '';
  return `${title}${typeof number === 'number' ? ` ${number}` : ''}${id && ` of ${id}`}`;
};

/**
 * The core has refused an operation, a snapshot or a fence. [status] is the number in csrc/lockkeeper.h, [code] its name. 'refused' and
 * 'no-fence' use up the operation's number. 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap', 'bad-snapshot' and
 * 'no-handle' change nothing. The script-tag build leaves the names out, since it never shows this error.
 */
export class CoreError extends Error {
  /** @param {number} status @param {import('./core.js').Fields} [operation] that was refused */
  constructor(status, operation) {
    const code = /** @type {keyof typeof REASONS} */ (STATUSES[status]);
    super(`lock core: ${IS_PACKAGE ? `${operation ? `cannot apply ${titleOf(operation)}: ` : ''}${REASONS[code]}` : status}`);
    this.status = status;
    if (IS_PACKAGE) {
      this.name = 'CoreError';
      this.code = code;
    }
  }
}
