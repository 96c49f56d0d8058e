import { IS_PACKAGE } from '#edition';
import { STATUSES } from './constants.js';

/** What each code means, for the message. docs/core.md says the same. @type {Record<string, string>} */
const MEANINGS = {
  refused: 'a field of the operation is wrong, such as its mode, a duration, or a name that is there twice.',
  'no-fence': 'no number is left for another fence.',
  'out-of-memory': 'there is no memory for it.',
  invalid: 'the type of the operation, the number of a join, the time of a tick, or a fence is wrong.',
  'unknown-client': 'the client is no member: it has not joined, or it is gone.',
  duplicate: 'the client has used this number already, or has joined already.',
  gap: "the number is more than one above the client's last.",
  'bad-snapshot': 'the bytes are no snapshot.',
  'no-handle': 'the log has had 2^32 - 1 members.',
};

/**
 * The core has refused an operation, a snapshot or a fence. [status] is the number of csrc/lockkeeper.h, [code] its name. 'refused' and
 * 'no-fence' use up the operation's number. All others change nothing. The script-tag build leaves the names out, since it never shows this
 * error.
 */
export class CoreError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`lock core: ${IS_PACKAGE ? `${STATUSES[status]}: ${MEANINGS[STATUSES[status]]}` : status}`);
    this.status = status;
    if (IS_PACKAGE) {
      this.name = 'CoreError';
      this.code = STATUSES[status];
    }
  }
}
