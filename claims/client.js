/** The client of the library, under the service's name: one lock manager for all machines that reach the service. */
import { createLockManager } from 'lockkeeper';

/**
 * @param {{url: string | URL, ttl?: number, clientId?: string, headers?: Record<string, string>, patience?: number}} options
 * @returns {any}
 */
export const createClaimsLockManager = (options) => createLockManager(/** @type {any} */ (options));
