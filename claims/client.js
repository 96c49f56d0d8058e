/** The client of the library, under the service's name: one lock manager for all machines that reach the service. */
import { createLockManager } from 'lockkeeper';

/**
 * @param {import('lockkeeper').ClaimsLockManagerOptions} options
 * @returns {import('lockkeeper').ClaimsLockManager}
 */
export const createClaimsLockManager = (options) => createLockManager(options);
