import { IS_PACKAGE } from '#edition';
import { STATUSES } from './constants.js';

/**
 * An operation, a snapshot or a fence that the core does not take. [status] is the header's, [code] its name: 'refused' and 'no-fence',
 * which use up the operation's number; 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap', 'bad-snapshot', 'no-handle', which
 * change nothing. The script-tag build shows it to nobody, and leaves the names out.
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
