import { OUT_OF_MEMORY, REFUSED } from '../core/constants.js';

/**
 * @typedef {import('../core/types.js').LockEvent} LockEvent
 * @typedef {import('../core/types.js').Operation} Operation
 */

/**
 * Applies an operation of the log. Every replica refuses the same operations, so the log goes on after a refusal. A refused request ends as
 * broken, so that nobody waits for it.
 *
 * @param {import('../core/types.js').Core} core
 * @param {Operation} operation
 * @returns {LockEvent[]}
 * @throws {Error} if this replica is out of memory and cannot go on
 */
export const applyOperation = (core, operation) => {
  try {
    return core.apply(operation);
  } catch (error) {
    const { status = OUT_OF_MEMORY } = /** @type {{status?: number}} */ (error);
    if (status === OUT_OF_MEMORY) throw error;
    if (status < REFUSED || operation.type !== 'request') return [];
    return [{ type: 'broken', client: operation.client, number: operation.number, fence: 0 }];
  }
};
