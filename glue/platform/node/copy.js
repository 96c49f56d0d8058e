/**
 * This context's copy of the state, and the rules by which records change it: everybody applies the same ones in the same order.
 *
 * A record is {by, operations}. A context that is the only member may claim the journal: {by, claim}. From then on it acts in memory
 * alone, and what others write waits behind its {by, state}, which says how it left things, or behind its `gone`. After its `gone` there
 * is nobody, and nothing but the fences: those that it has given in memory are not given again.
 *
 * @typedef {import('../../core/types.js').Core} Core
 * @typedef {import('../../core/types.js').LockEvent} LockEvent
 * @typedef {import('../../core/types.js').Operation} Operation
 * @typedef {{by: string, operations?: Operation[], claim?: boolean, state?: string}} Record
 *
 * @typedef {object} Hooks
 * @property {(operation: Operation, events: LockEvent[], by: string) => void} applied
 * @property {() => void} replaced the state is another now; what was not told has happened
 */
import { Buffer } from 'node:buffer';

/** A claimant gives fewer fences than this before it says how things are. */
export const LONGEST_CLAIM = 1e6;

/**
 * @param {(options: {fence: number}) => Core} createCore
 * @param {Hooks} hooks
 */
export const createCopy = (createCore, hooks) => {
  const core = createCore({ fence: 0 });
  /** @type {Set<string>} */
  let members = new Set();
  /** Who has claimed the journal; empty where nobody has. */
  let claimant = '';
  /** @type {Record[]} what others have written since */
  let waiting = [];

  /** @param {Operation} operation */
  const applyOperation = (operation) => {
    try {
      return core.apply(operation);
    } catch (error) {
      // What the state machine refuses, it refuses everywhere alike; but memory is each one's own.
      const { code } = /** @type {any} */ (error);
      if (!code || code === 'out-of-memory') throw error;
      return [];
    }
  };

  /** @param {Record} record */
  const applyAll = ({ by, operations = [] }) => {
    for (const operation of operations) {
      const events = applyOperation(operation);
      if (operation.type === 'join') members.add(operation.client);
      else if (operation.type === 'gone') members.delete(operation.client);
      hooks.applied(operation, events, by);
    }
  };

  /** @param {Uint8Array} bytes */
  const replace = (bytes) => {
    core.restore(bytes);
    members = new Set(core.state().members.map((member) => member.client));
    hooks.replaced();
  };

  const endClaim = () => {
    claimant = '';
    const records = waiting;
    waiting = [];
    records.forEach(applyAll);
  };

  return {
    core,
    members: () => members,
    claimant: () => claimant,
    /** What others have written since this context, or another, has claimed the journal. */
    waiting: () => waiting,

    /** @param {number} fence fences start above it @returns {Uint8Array} an empty state */
    begin(fence) {
      core.reset(fence);
      return core.snapshot();
    },

    /** @param {Uint8Array} bytes the state at the beginning of a file: nobody claims then */
    restore(bytes) {
      claimant = '';
      waiting = [];
      replace(bytes);
    },

    /** One record, in its turn. @param {Record} record @param {string} reader the client whose copy this is */
    take(record, reader) {
      const { by, operations, claim, state } = record;
      if (claimant && by !== claimant) {
        if (!operations || !operations.some((operation) => operation.type === 'gone' && operation.client === claimant)) {
          waiting.push(record);
          return;
        }
        core.reset(core.state().fence + LONGEST_CLAIM);
        members.clear();
        for (const operation of operations) hooks.applied(operation, [], by);
        endClaim();
      } else if (claim) {
        if (members.size === 1 && members.has(by)) claimant = by;
      } else if (state !== undefined) {
        if (!claimant) return;
        if (by !== reader) replace(Buffer.from(state, 'base64'));
        endClaim();
      } else applyAll(record);
    },
  };
};
