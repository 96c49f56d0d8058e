/** The instructions that every implementation takes, and how those in this process carry them out. */

import assert from 'node:assert/strict';

/** @typedef {import('../../glue/core/types.js').Core} Core */
/** @typedef {import('../../glue/core/types.js').Operation} Operation */
/** @typedef {import('./parse.js').Outcome} Outcome */

/**
 * @typedef {{kind: 'apply', operation: Operation}} Apply reports its Outcome
 * @typedef {{kind: 'raise', fence: number}} Raise reports an Outcome
 * @typedef {{kind: 'look'}} Look reports a Sight
 * @typedef {{kind: 'restore'}} Restore goes on with a manager made from a snapshot; reports a Sight
 * @typedef {{kind: 'load', snapshot: string}} Load goes on with a manager made from these bytes, if they are a snapshot; reports an Outcome
 * @typedef {Apply | Raise | Look | Restore | Load} Instruction
 */

/**
 * @typedef {object} Sight
 * @property {string} snapshot in hexadecimal
 * @property {number} hash
 * @property {number} nextDeadline
 * @property {number} requestCount
 * @property {import('../../glue/core/types.js').RequestState[]} requests one after the other
 * @property {{isUndisputed: boolean, byOthers: string}[]} uses what the core answers about each of them
 * @property {string} again the snapshot of a manager made from the snapshot
 * @property {number} hashAgain
 * @property {number} nextDeadlineAgain
 *
 * @typedef {Outcome | Sight} Report
 *
 * @typedef {object} Flavour
 * @property {string} name
 * @property {(program: Instruction[]) => Promise<Report[]>} run starts with an empty manager
 * @property {() => Promise<void>} close
 */

/**
 * @param {Uint8Array} bytes
 */
export const toHexadecimal = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** @param {string} text */
export const fromHexadecimal = (text) => new Uint8Array(Buffer.from(text, 'hex'));

/**
 * Calls [action] and tells what came of it.
 * @param {() => import('../../glue/core/types.js').LockEvent[]} action
 * @returns {Outcome}
 */
function outcomeOf(action) {
  try {
    return { events: action() };
  } catch (error) {
    if (error instanceof Error && error.name === 'CoreError' && 'code' in error) return { error: String(error.code) };
    throw error;
  }
}

/** A core, and a second one of its kind, into which the first one's snapshots are restored. */
export class Machine {
  #core;
  #spare;
  #empty;

  /** @param {() => Core} create */
  constructor(create) {
    this.#core = create();
    this.#spare = create();
    this.#empty = this.#core.snapshot();
  }

  /** Everything begins anew. */
  reset() {
    this.#core.restore(this.#empty);
  }

  /** @param {string} client */
  last(client) {
    return this.#core.last(client);
  }

  state() {
    return this.#core.state();
  }

  /**
   * @param {Instruction} instruction
   * @returns {Report}
   */
  do(instruction) {
    if (instruction.kind === 'apply') return this.#apply(instruction.operation);
    if (instruction.kind === 'raise') {
      return outcomeOf(() => {
        this.#core.raise(instruction.fence);
        return [];
      });
    }
    if (instruction.kind === 'load') {
      return outcomeOf(() => {
        this.#core.restore(fromHexadecimal(instruction.snapshot));
        return [];
      });
    }
    const sight = this.#look();
    if (instruction.kind === 'restore') [this.#core, this.#spare] = [this.#spare, this.#core];
    return sight;
  }

  /**
   * The effect of a drop is predicted, which changes nothing: the report says so if the prediction differs.
   * @param {Operation} operation
   * @returns {Outcome}
   */
  #apply(operation) {
    const foreseen = operation.type === 'drop' ? this.#core.foresee([operation]) : undefined;
    const outcome = outcomeOf(() => this.#core.apply(operation));
    if (foreseen) assert.deepEqual(foreseen, 'events' in outcome ? outcome.events : []);
    return outcome;
  }

  /** @returns {Sight} */
  #look() {
    const core = this.#core;
    const spare = this.#spare;
    const bytes = core.snapshot();
    spare.restore(bytes);
    return {
      snapshot: toHexadecimal(bytes),
      hash: core.hash(),
      nextDeadline: core.nextDeadline(),
      requestCount: core.requestCount(),
      // In one order of properties, since reports are compared as text too.
      requests: Array.from(core.requests(), ({ client, number, mode, limit, names, fence, deadline, hold }) =>
        ({ client, number, mode, limit, names, fence, deadline, hold })),
      uses: Array.from(core.requests(), ({ client, number, names }) =>
        ({ isUndisputed: core.isUndisputed(client, number), byOthers: core.useByOthers(client, names) })),
      again: toHexadecimal(spare.snapshot()),
      hashAgain: spare.hash(),
      nextDeadlineAgain: spare.nextDeadline(),
    };
  }
}

/**
 * @param {string} name
 * @param {() => Core} create
 * @returns {Flavour}
 */
export function inProcess(name, create) {
  const machine = new Machine(create);
  return {
    name,
    run: async (program) => {
      machine.reset();
      return program.map((instruction) => machine.do(instruction));
    },
    close: async () => undefined,
  };
}
