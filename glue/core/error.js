import { REFUSALS } from './constants.js';

/**
 * What the core refuses, by the header's status. [code] is its name: 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap',
 * 'bad-snapshot'.
 */
export class CoreError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`lock core: ${status}`);
    this.status = status;
    // eslint-disable-next-line no-unused-labels -- the script-tag build shows it to nobody: see build/bundle.mjs
    PACKAGE: {
      this.name = 'CoreError';
      this.code = REFUSALS[-status];
      this.message = `lock core: ${this.code}`;
    }
  }
}
