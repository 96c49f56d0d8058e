/** createLockManager({ url }): a manager whose locks are claims at a service (docs/claims.md). */
import { clearTimeout, randomId, readClock, readWallClock, setTimeout } from '#place';
import { createClaimsLockManager as create } from '../claims/manager.js';
import { printerFor } from './debugging.js';
import { global } from './place.js';

const time = { setTimeout, clearTimeout, readClock, readWallClock };

/** @param {import('../claims/service.js').ClaimsOptions & {debug?: import('./debugging.js').Debug}} options */
export const createClaimsLockManager = (options) => create(global, time, options, randomId, () => printerFor(options.debug));
