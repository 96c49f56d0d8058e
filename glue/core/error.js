import { IS_PACKAGE } from '#edition';
import { STATUSES } from './constants.js';

/**
 * The core has refused an operation, a snapshot or a fence. [status] is the number of csrc/lockkeeper.h, [code] its name. 'refused' and
 * 'no-fence' use up the operation's number. 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap', 'bad-snapshot' and
 * 'no-handle' change nothing. The script-tag build leaves the names out, since it never shows this error.
 */
export class CoreError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`lock core: ${IS_PACKAGE ? STATUSES[status] : status}`);
    this.status = status;
    if (IS_PACKAGE) {
      this.name = 'CoreError';
      this.code = STATUSES[status];
    }
  }
}
