import { applyOperation } from './apply.js';
import { PER_MILLISECOND } from './clock.js';
import { forgetOldest } from './oldest.js';

/** How many of the latest states' hashes are remembered, to be compared with those of others. */
const REMEMBERED = 256;
/** More entries than any context can have read of the entries that are given up (D10), even if the clock was set back meanwhile. */
const LEAD = 1e6;
/** More milliseconds than pass between two entries. */
const SILENCE = 2 ** 35;
/** How many messages a context keeps at most before it is in the register. */
const EARLY = 256;

/**
 * This context's copy of the state machine, and its place in the log. An entry is a message that changes the log's state (`operations`,
 * `gone`, `tick` or `anew`); all replicas of a log apply the same entries in the same order.
 *
 * A copy that is not current keeps what is delivered, until it is given the state at one of its own hellos.
 *
 * @typedef {import('../core/types.js').Core} Core
 * @typedef {import('../core/types.js').LockEvent} LockEvent
 * @typedef {import('../core/types.js').Operation} Operation
 * @typedef {import('./messages.js').Message} Message
 * @typedef {ReturnType<typeof createReplica>} Replica
 * @typedef {[nonce: string, log: string, count: number, now: number, generation: number, epoch: string, bytes: Uint8Array]} Answer the
 *   values of a `state` (./messages.js), after its receiver
 *
 * @typedef {object} Hooks
 * @property {(operation: Operation) => void} applied one operation has been applied, or was refused by every replica alike
 * @property {(event: LockEvent, operation: Operation) => void} happened
 * @property {(error: unknown) => void} broke this copy cannot go on: it is out of memory
 *
 * @param {Hooks} hooks
 */
export const createReplica = ({ applied, happened, broke }) => {
  /** @type {number[]} the state's hash after an entry, by its count modulo REMEMBERED */
  let hashes = [];
  /** The state's hash after the last complete entry, also while the next one is being applied. */
  let hash = 0;
  /** By the nonce of each own hello that was delivered: the number of messages kept before it. @type {Map<string, number>} */
  let cuts = new Map();
  /** @type {Message[]} */
  let kept = [];

  /** The state is current now. Earlier hashes are no longer compared. */
  const restart = () => {
    Object.assign(replica, { stateful: true, current: true });
    hashes = [];
    hash = replica.core.hash();
  };

  const replica = {
    /** The same core for all states of this context. */
    core: /** @type {Core} */ (/** @type {unknown} */ (undefined)),
    /** The log's id; empty if this context knows of none. */
    log: '',
    /** How many entries have been applied. After a `resume` (D10), at least its generation. */
    count: 0,
    /** The highest generation of the register that the log's entries have named. */
    generation: 0,
    /** Whether this context has a state at all. */
    stateful: false,
    /** Whether the state is the log's after [count] entries, and nothing was missed. */
    current: false,
    /** Whether another context may have the state, too: this one gave it to one, or got it from one, since it was last alone (D7). */
    shared: false,
    /** The members, eldest first. @type {Set<string>} */
    members: new Set(),

    /** The current state; undefined if there is too little memory for the copy. */
    state() {
      try {
        return replica.core.state();
      } catch {
        return undefined;
      }
    },

    /** The state as bytes; undefined if there is too little memory for them. */
    snapshot() {
      try {
        return replica.core.snapshot();
      } catch {
        return undefined;
      }
    },

    /** Switches to a log whose state this context does not have. @param {string} log */
    await(log) {
      Object.assign(replica, { log, count: 0, generation: 0, stateful: false, current: false, members: new Set() });
      cuts = new Map();
      kept = [];
    },

    /** A fresh log begins, with an empty state. @param {number} generation */
    begin(generation) {
      try {
        replica.core.reset(generation * PER_MILLISECOND);
      } catch (error) {
        broke(error);
        return;
      }
      Object.assign(replica, { generation, shared: false });
      restart();
    },

    /** Messages were lost: the state is old, and what was kept has a gap. */
    doubt() {
      replica.current = false;
      cuts = new Map();
      kept = [];
    },

    /** An own hello was delivered: an answer to it lacks everything from here on. @param {string} nonce */
    cut(nonce) {
      cuts.set(nonce, kept.length);
      // It may take long until someone answers, so limit their number.
      forgetOldest(cuts, EARLY);
    },

    /**
     * That own hello was delivered once more. An answer may belong to either delivery, so it counts only if both would get the same one.
     * @param {string} nonce
     */
    cutAgain(nonce) {
      const before = cuts.get(nonce);
      if (before !== undefined && before < kept.length) cuts.delete(nonce);
    },

    /** Whether an answer to that hello can be used. @param {string} nonce */
    hasCut: (nonce) => cuts.has(nonce),

    /** @param {Message} message delivered while this copy is not current */
    keep(message) {
      if (cuts.size || replica.stateful) kept.push(message);
      // Storage takes long to open. This context asks for the state anew when it is open.
      if (!replica.log && kept.length > EARLY) replica.await('');
    },

    /**
     * Takes the answer to an own hello.
     * @param {Answer} answer
     * @returns {Message[] | undefined} the kept messages, to be handled now; undefined if the answer cannot be used
     */
    restore([nonce, log, count, , generation, , bytes]) {
      const from = cuts.get(nonce);
      if (replica.current || from === undefined || log !== replica.log) return undefined;
      /** @type {Set<string>} */
      let members;
      try {
        replica.core.restore(bytes);
        members = new Set(replica.core.state().members.map((member) => member.client));
      } catch {
        return undefined;
      }
      Object.assign(replica, { count, generation, shared: true, members });
      return replica.resume(from);
    },

    /**
     * Continues the log from an old state, since nobody has a newer one (D10).
     * @param {number} generation
     * @returns {Message[]} as resume()
     */
    goOn(generation) {
      // A context that had got farther and has died may have been granted locks, with higher fences.
      replica.raise(generation);
      // Higher than the count of any context that has read more of the entries that are given up now: no log has so many entries in a
      // millisecond. So that context will never count as the farthest, and no old hash is compared with a new one.
      replica.count = Math.max(replica.count + LEAD, generation * PER_MILLISECOND);
      return replica.resume();
    },

    /** Fences continue at that generation of the register. @param {number} generation */
    raise(generation) {
      if (generation <= replica.generation) return;
      replica.core.raise(generation * PER_MILLISECOND);
      replica.generation = generation;
    },

    /** The state is right except for the kept messages. @param {number} [from] the first kept message that counts @returns {Message[]} */
    resume(from = 0) {
      const later = kept.slice(from);
      cuts = new Map();
      kept = [];
      restart();
      return later;
    },

    /** @param {Operation} operation */
    apply(operation) {
      if (!replica.current) return;
      /** @type {LockEvent[]} */
      let events;
      try {
        events = applyOperation(replica.core, operation);
      } catch (error) {
        replica.current = false;
        broke(error);
        return;
      }
      if (operation.type === 'gone') replica.members.delete(operation.client);
      else if (operation.type === 'join' && replica.core.last(operation.client) >= 0) replica.members.add(operation.client);
      for (const event of events) happened(event, operation);
      applied(operation);
    },

    /**
     * What to believe of a message that names that log time. A forged one may name any, and then no later one could say what has passed.
     * @param {number} time
     */
    credible: (time) => Math.min(time, replica.core.time() + SILENCE),

    /** Log time is at least [time], as a message says. @param {number} time */
    passed: (time) => replica.apply({ type: 'tick', now: replica.credible(time) }),

    /** An entry has been applied completely. */
    counted() {
      replica.count++;
      hash = replica.core.hash();
      hashes[replica.count % REMEMBERED] = hash;
    },

    /** The state's hash at [count]. */
    hash: () => hash,

    /** Whether this replica is known to have had another hash after that many entries. @param {number} count @param {number} other */
    differs(count, other) {
      const known = count <= replica.count && count > replica.count - REMEMBERED ? hashes[count % REMEMBERED] : undefined;
      return known !== undefined && known !== other;
    },

    /** The eldest member; empty if there is none. */
    eldest: () => /** @type {string} */ (replica.members.values().next().value || ''),
  };
  return replica;
};
