import { OUT_OF_MEMORY, REFUSED } from '../core/constants.js';

/**
 * A copy of the state machine and its place in the log. It applies what the channel delivers, in the order of the numbers, and
 * knows when it cannot: a gap, a differing hash, an epoch whose beginning it has missed. Then it keeps what comes until it is
 * given a snapshot.
 *
 * @typedef {import('../core/types.js').Core} Core
 * @typedef {import('../core/types.js').LockEvent} LockEvent
 * @typedef {import('./types.js').Operation} Operation
 * @typedef {ReturnType<typeof createReplica>} Replica
 *
 * @typedef {object} Hooks
 * @property {(operation: Operation) => void} applied one operation has been applied, or refused by every replica alike
 * @property {(event: LockEvent, operation: Operation) => void} happened
 * @property {(error: unknown) => void} broke this copy cannot go on: it is out of memory
 *
 * @param {Hooks} hooks
 */
export const createReplica = ({ applied, happened, broke }) => {
  const replica = {
    /** One for all states that this context will have. */
    core: /** @type {Core} */ (/** @type {unknown} */ (undefined)),
    log: '',
    seq: 0,
    /** The highest epoch that a delivered `prepare` or `lead` has named; entries of lower ones are void (rule R4). */
    epoch: 0,
    /** The epoch whose `lead` was delivered, or is contained in the snapshot: its entries can be applied. 0: there is no state. */
    led: 0,
    /** Whether the state is right at [seq]. */
    current: false,
    /** Each handles a message again that was delivered while [current] was false; in order. @type {(() => void)[]} */
    kept: /** @type {(() => void)[]} */ ([]),

    /**
     * The state is that of place [seq]; or, with [led] 0, there is none, and one comes by a snapshot.
     * @param {string} log
     * @param {number} epoch
     * @param {number} led
     * @param {number} seq
     */
    stand(log, epoch, led, seq) {
      Object.assign(replica, { log, epoch, led, seq, current: led > 0, kept: [] });
    },

    /** @param {Operation[]} operations */
    apply(operations) {
      for (const operation of operations) {
        if (!replica.current) return;
        replica.seq++;
        /** @type {LockEvent[]} */
        let events = [];
        try {
          events = replica.core.apply(operation);
        } catch (error) {
          const { status = OUT_OF_MEMORY } = /** @type {{status?: number}} */ (error);
          // What the state machine refuses, every replica refuses alike; but memory is each one's own.
          if (status === OUT_OF_MEMORY) {
            broke(error);
            return;
          }
          if (operation.type === 'request' && status >= REFUSED) {
            const { client, number } = operation;
            events = [{ type: 'broken', client, number, fence: 0 }];
          }
        }
        for (const event of events) happened(event, operation);
        applied(operation);
      }
    },

    /** A `lead` was delivered, of an epoch that is not over. @param {number} epoch @param {number} base @param {number} hash */
    lead(epoch, base, hash) {
      if (epoch === replica.led) return;
      replica.epoch = replica.led = epoch;
      replica.current = replica.seq === base && replica.core.hash() === hash;
    },

    /**
     * Applies an `entries` message, whole. Stops being current where it cannot, for want of what came before.
     * @type {(log: string, epoch: number, seq: number, at: number, hash: number, operations: Operation[]) => void}
     */
    entries(log, epoch, seq, at, hash, operations) {
      if (epoch < replica.epoch) return;
      replica.current = epoch === replica.led && seq <= replica.seq + 1 && (at !== replica.seq || hash === replica.core.hash());
      replica.apply(operations.slice(replica.seq + 1 - seq));
    },

    /**
     * Replaces the state. Returns the messages kept meanwhile, to be handled again in their order, or undefined where the snapshot
     * is of no use.
     * @type {(log: string, epoch: number, led: number, seq: number, bytes: Uint8Array) => (() => void)[] | undefined}
     */
    restore(log, epoch, led, seq, bytes) {
      if (log !== replica.log || epoch < replica.epoch || !led) return undefined;
      try {
        replica.core.restore(bytes);
      } catch {
        return undefined;
      }
      const { kept } = replica;
      replica.stand(log, epoch, led, seq);
      return kept;
    },
  };
  return replica;
};
