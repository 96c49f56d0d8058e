import { IS_PACKAGE } from '#edition';
import { REFUSALS } from './constants.js';

/**
 * What the core refuses, by the header's status. [code] is its name: 'out-of-memory', 'invalid', 'unknown-client', 'duplicate', 'gap',
 * 'bad-snapshot'.
 */
export class CoreError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`lock core: ${REFUSALS[-status]}`);
    this.name = 'CoreError';
    this.status = status;
    this.code = REFUSALS[-status];
  }
}

/**
 * @param {number} status
 * @returns {Error & {status: number}}
 */
export const refusal = (status) => {
  // The script-tag build shows it to nobody.
  if (IS_PACKAGE) return new CoreError(status);
  return Object.assign(new Error(`lock core: ${status}`), { status });
};
