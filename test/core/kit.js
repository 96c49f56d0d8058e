/** What the tests of the core share: requests of one client, and a check of refusals. */
import { CoreError } from '../../glue/core/index.js';

/**
 * @param {number} number
 * @param {string[]} names
 * @returns {import('../../glue/core/types.js').Operation}
 */
export const request = (number, ...names) => ({ type: 'request', client: 'tab', number, names, mode: 'exclusive' });

/** @param {string} code */
export const refused = (code) => (/** @type {unknown} */ error) => error instanceof CoreError && error.code === code;
