import { applyOperation } from './apply.js';

/** Fences go on at a generation (a time in milliseconds) times this, so above those that were granted before it. */
const FENCES_PER_MILLISECOND = 1000;
/** So many of the last states are remembered by their hashes, to be compared with others'. */
const REMEMBERED = 256;
/** So many messages are kept at most before a context is in the register. */
const EARLY = 256;

/**
 * This context's copy of the state machine, and its place in the log. An entry is a message that changes the log's state (`operations`,
 * `gone`, `tick` or `anew`); all replicas of a log apply the same entries in the same order.
 *
 * While the copy is not current it keeps what is delivered, until it is given the state as it was at one of its own hellos.
 *
 * @typedef {import('../core/types.js').Core} Core
 * @typedef {import('../core/types.js').LockEvent} LockEvent
 * @typedef {import('../core/types.js').Operation} Operation
 * @typedef {import('./messages.js').Message} Message
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
  /** @type {number[]} the state's hash after an entry, by its count modulo REMEMBERED */
  let hashes = [];
  /** The state's hash after so many entries, also while the next one is being applied. */
  let hash = 0;
  /** By the nonce of each own hello that was delivered: how many messages had been kept before. @type {Map<string, number>} */
  let cuts = new Map();
  /** @type {Message[]} */
  let kept = [];

  /** The state is right now; what there was before is compared with nothing. */
  const restart = () => {
    Object.assign(replica, { stateful: true, current: true });
    hashes = [];
    hash = replica.core.hash();
  };

  const replica = {
    /** One for all states that this context will have. */
    core: /** @type {Core} */ (/** @type {unknown} */ (undefined)),
    /** The log's id; empty where this context knows of none. */
    log: '',
    /** How many entries have been applied; from where somebody has gone on (see below), at least the generation. */
    count: 0,
    /** The highest generation of the register that the log has been told of. */
    generation: 0,
    /** Whether there is a state at all. */
    stateful: false,
    /** Whether the state is right at [count]. */
    current: false,
    /** The members, eldest first. @type {Set<string>} */
    members: new Set(),

    /** Turns to a log of which this context has no state. @param {string} log */
    await(log) {
      Object.assign(replica, { log, count: 0, generation: 0, stateful: false, current: false, members: new Set() });
      cuts = new Map();
      kept = [];
    },

    /** A fresh log begins, with an empty state. @param {number} generation */
    begin(generation) {
      replica.core.reset(generation * FENCES_PER_MILLISECOND);
      replica.generation = generation;
      restart();
    },

    /** Messages were lost: the state is an old one, and what was kept has a hole. */
    doubt() {
      replica.current = false;
      cuts = new Map();
      kept = [];
    },

    /** An own hello was delivered: from here on everything is kept that an answer to it lacks. @param {string} nonce */
    cut(nonce) {
      cuts.set(nonce, kept.length);
    },

    /** @param {string} nonce of a hello; whether an answer to it would be of use */
    hasCut: (nonce) => cuts.has(nonce),

    /** @param {Message} message delivered while this copy is not current */
    keep(message) {
      if (cuts.size || replica.stateful) kept.push(message);
      // The storage does not open: what it will show then is asked for then.
      if (!replica.log && kept.length > EARLY) replica.await('');
    },

    /**
     * Takes the answer to an own hello.
     * @param {string} nonce
     * @param {string} log
     * @param {number} count
     * @param {number} generation
     * @param {Uint8Array} bytes
     * @returns {Message[] | undefined} what was kept and has to be handled now; undefined where the answer is of no use
     */
    restore(nonce, log, count, generation, bytes) {
      const from = cuts.get(nonce);
      if (replica.current || from === undefined || log !== replica.log) return undefined;
      try {
        replica.core.restore(bytes);
      } catch {
        return undefined;
      }
      Object.assign(replica, { count, generation, members: new Set(replica.core.state().members.map((member) => member.client)) });
      return replica.resume(from);
    },

    /** Goes on from an old state, where nobody has a newer one. @param {number} generation @returns {Message[]} as below */
    goOn(generation) {
      // Whoever got farther, and has died, may have been granted locks.
      replica.raise(generation);
      // Farther than whoever has read more of what is given up now; and nothing that they have said is compared with what comes.
      replica.count = Math.max(replica.count, generation);
      return replica.resume();
    },

    /** Fences go on at that generation of the register. @param {number} generation */
    raise(generation) {
      if (generation <= replica.generation) return;
      replica.core.raise(generation * FENCES_PER_MILLISECOND);
      replica.generation = generation;
    },

    /** The state is right as it is, but for what was kept. @param {number} [from] the first of these @returns {Message[]} */
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

    /** An entry has been applied, whole. */
    counted() {
      replica.count++;
      hash = replica.core.hash();
      hashes[replica.count % REMEMBERED] = hash;
    },

    /** The state's hash at [count]. */
    hash: () => hash,

    /** Whether this copy had another state than one with that hash after so many entries. @param {number} count @param {number} other */
    differs(count, other) {
      const known = count <= replica.count && count > replica.count - REMEMBERED ? hashes[count % REMEMBERED] : undefined;
      return known !== undefined && known !== other;
    },

    /** The client that has been a member for longest; empty where there is none. */
    eldest: () => /** @type {string} */ (replica.members.values().next().value || ''),
  };
  return replica;
};
