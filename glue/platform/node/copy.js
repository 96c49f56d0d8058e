/**
 * This context's copy of the state. Every context applies the same records in the same order.
 *
 * @typedef {import('../../core/types.js').Core} Core
 * @typedef {import('../../core/types.js').LockEvent} LockEvent
 * @typedef {import('../../core/types.js').Operation} Operation
 * @typedef {{by: string, operations: Operation[]}} Record what one context has written in one line
 *
 * @typedef {object} Hooks
 * @property {(operation: Operation, events: LockEvent[], by: string) => void} applied
 * @property {() => void} replaced the whole state was replaced, so some events were not reported
 */
import { applyOperation } from '../../log/apply.js';
import { PER_MILLISECOND } from '../../log/clock.js';

/**
 * @param {() => Core} createCore
 * @param {Hooks} hooks
 */
export const createCopy = (createCore, hooks) => {
  const core = createCore();
  /** @type {Set<string>} */
  let members = new Set();

  return {
    core,
    members: () => members,

    /** @param {number} time by the wall clock @returns {Uint8Array} an empty state */
    begin(time) {
      core.reset(time * PER_MILLISECOND);
      return core.snapshot();
    },

    /** @param {Uint8Array} bytes the state at the beginning of a file */
    restore(bytes) {
      core.restore(bytes);
      members = new Set(core.state().members.map((member) => member.client));
      hooks.replaced();
    },

    /** Applies the next record. @param {Record} record */
    take({ by, operations }) {
      for (const operation of operations) {
        const events = applyOperation(core, operation);
        if (operation.type === 'join') members.add(operation.client);
        else if (operation.type === 'gone') members.delete(operation.client);
        hooks.applied(operation, events, by);
      }
    },
  };
};
