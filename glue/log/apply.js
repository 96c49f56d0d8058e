/**
 * @typedef {import('../core/types.js').LockEvent} LockEvent
 * @typedef {import('../core/types.js').Operation} Operation
 */

/**
 * Lets a drop of nothing stand in the place of an operation that is none.
 * @param {import('../core/types.js').Core} core
 * @param {any} operation
 * @returns {LockEvent[]}
 */
const passOver = (core, { type, client, number }) => {
  try {
    core.apply({ type: 'drop', client, number, request: 0 });
  } catch {
    return [];
  }
  return type === 'request' ? [{ type: 'broken', client, number, fence: 0 }] : [];
};

/**
 * Applies an operation of the log. What the state machine refuses, it refuses in every copy alike, so the log goes on. What it refuses as
 * invalid, or what is no operation at all, has used up its number all the same, if it was its turn: else nothing that its client sends
 * later would ever count. And a request ends as broken then, so that nobody waits for it.
 *
 * @param {import('../core/types.js').Core} core
 * @param {Operation} operation
 * @returns {LockEvent[]}
 * @throws {Error} where this copy cannot go on, for want of memory
 */
export const applyOperation = (core, operation) => {
  try {
    return core.apply(operation);
  } catch (error) {
    const { code } = /** @type {any} */ (error);
    const isRefused = error instanceof TypeError || (code && code !== 'out-of-memory');
    if (!isRefused) throw error;
    return code && code !== 'invalid' ? [] : passOver(core, operation);
  }
};
