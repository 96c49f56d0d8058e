/** createLockManager({ url }): a manager whose locks are claims at a service (docs/claims.md). */
import { randomId } from '#place';
import { createClaimsLockManager as create } from '../claims/manager.js';
import { printerFor } from './debugging.js';
import { global } from './place.js';

/** @param {import('../claims/service.js').ClaimsOptions & {debug?: import('./debugging.js').Debug}} options */
export const createClaimsLockManager = (options) => create(global, options, randomId, () => printerFor(options.debug));
