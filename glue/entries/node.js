/** '#place' in Node: see ./place.js. */
import { createCore } from '#core';
import { createNodeLog } from '../platform/node.js';

export const isNode = true;

/**
 * @param {string} name
 * @param {import('../platform/node.js').NodeOptions} [options]
 * @param {import('../api/observation.js').Observation['watch']} [watch]
 * @returns {import('../log/types.js').LockLog}
 */
export const createLog = (name, options = {}, watch) => createNodeLog(name, options, watch ? watch(createCore) : createCore);
