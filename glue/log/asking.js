import { createGathering } from './gathering.js';
import { later, othersWithState } from './register.js';

/** How soon a context without a current state asks for it again, in milliseconds. Each pause is twice the one before, up to LONGEST. */
const HELLO_AGAIN = 10;
const LONGEST = 500;
/** After this many hellos without an answer the register is read again: it may have changed although no watched context has died. */
const LOOK_AGAIN = 4;

/**
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {object} Early an answer to a hello from before this context was in the register
 * @property {number} clock log time minus this context's clock, in milliseconds
 * @property {string} epoch
 * @property {Parameters<import('./replica.js').Replica['restore']>} state
 *
 * How a context gets the state of a living log (D1): it says hello, keeps what is delivered from then on, and is answered with the state as
 * it was at that hello. And how it answers others.
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} look reads the register again, if nobody answers
 * @param {(kept: import('./messages.js').Message[], registered?: boolean) => void} onState the state is current as soon as the messages
 *   that were [kept] meanwhile are applied; [registered]: the register says that this context has it
 * @param {() => void} onOtherLog the register shows another log than the one whose state is asked for
 */
export const createAsking = (context, look, onState, onOtherLog) => {
  const { place, replica, own } = context;
  let attempt = 0;
  let cancelHello = () => {};
  /** The client that continues the log because nobody was current (D10); empty if there is none. */
  let resumed = '';
  /** Whether another context has shown since this one posted `resume` that it is current: then that `resume` is void. */
  let answered = false;
  /** The generation of this context's own `resume`; 0 if it has posted none, or has missed messages since. */
  let resuming = 0;
  /** @type {Early | undefined} */
  let early;
  /** The early answer that the register is asked to confirm. @type {Early | undefined} */
  let offered;
  /** After this context's `resume`: the members that wait for its answer, since nobody else can answer. @type {Set<string>} */
  let owed = new Set();
  const gathering = createGathering(replica, own.id);

  /** If nobody is current, the member that has got farthest continues (D10). The contexts that it waits for are watched here, too. */
  const gather = async () => {
    const record = await context.connection.transact();
    if (!replica.stateful || replica.current) return;
    if (record.log !== replica.log) {
      if (record.log) onOtherLog();
      return;
    }
    const lost = gathering.hasLost(record);
    if (!(resumed in record.members)) resumed = '';
    if (!resumed && !resuming && !lost && gathering.isFurthest(record, place.now())) void goOn(record);
    for (const client in record.members) {
      const { alive } = record.members[client];
      if (client === own.id()) continue;
      const bury = () => void context.connection.transact(context.entry('remove', { client, alive })).then((latest) => {
        context.duties.removed(latest, client);
        void gather();
      });
      if (context.membership.isDead(alive)) bury();
      else context.membership.watchOnce(alive, bury, () => true);
    }
  };

  /** Raises the generation first: fences continue above it, and a later log's must be higher still. @param {RegisterRecord} record */
  const goOn = async (record) => {
    const generation = later(record, place.wallClock());
    const after = await context.connection.transact(context.entry('raise', { log: replica.log, generation, incomplete: false }));
    const mayGoOn = replica.stateful && !replica.current && !resumed && !resuming && after.log === replica.log;
    if (!mayGoOn || !gathering.isFurthest(after, place.now())) return;
    resuming = after.generation;
    answered = false;
    context.post('resume', replica.log, resuming);
  };

  /**
   * This context's own `resume` was delivered, but it has missed messages since, perhaps of a context that had got farther. It joins anew
   * if others may wait for its answer.
   */
  const giveWay = async () => {
    const record = await context.connection.transact();
    if (replica.current || !replica.stateful) return;
    const mayWait = othersWithState(record, own.id()).some(({ alive }) => !context.membership.isDead(alive));
    // While the register is incomplete, a member may be listed in the state only.
    if (mayWait || (record.incomplete && replica.members.size > 1) || record.log !== replica.log) context.membership.lost();
    else resumed = '';
  };

  const sayHello = () => {
    cancelHello();
    if (replica.current || context.phase === 'left') return;
    attempt++;
    context.post('hello', place.randomId(), attempt, replica.stateful ? replica.count + 1 : 0);
    cancelHello = context.connection.later(() => {
      if (replica.stateful) void gather();
      else if (attempt >= LOOK_AGAIN) look();
      sayHello();
    }, Math.min(HELLO_AGAIN * 2 ** (attempt - 1), LONGEST));
  };

  /** @param {number} now log time @param {Early['state']} state @param {boolean} [registered] */
  const take = (now, state, registered = false) => {
    const hadState = replica.stateful;
    const kept = replica.restore(...state);
    if (!kept) return;
    context.trace('restored', replica.count);
    // A newcomer's log time means nothing, or is that of another log.
    if (hadState) context.clock.heard(now);
    else context.clock.set(now);
    onState(kept, registered);
  };

  return {
    /** Asks for the state while storage opens. */
    beginEarly() {
      early = undefined;
      context.post('hello', place.randomId(), 1, 0);
    },

    /** The epoch of the state that this context was given already; undefined if there is none. */
    earlyEpoch() {
      offered = early;
      return offered && offered.epoch;
    },

    /** The register has confirmed that epoch: takes the state. @returns {boolean} whether there is a current state now */
    takeEarly() {
      if (!offered) return false;
      const { clock, state } = offered;
      replica.log = state[1];
      take(clock + place.now(), state, true);
      return replica.current;
    },

    /** Asks for the state, until there is one. */
    begin() {
      attempt = 0;
      resumed = '';
      gathering.begin(place.now());
      sayHello();
    },

    /** Messages were lost: an own `resume` from before no longer counts. */
    missed() {
      resuming = 0;
      answered = false;
    },

    stop() {
      cancelHello();
      gathering.end();
      resuming = 0;
      early = offered = undefined;
    },

    /** An answer. @param {number} now log time @param {string} epoch @param {Early['state']} state */
    heardAnswer(now, epoch, state) {
      if (replica.log) take(now, state);
      else if (replica.hasCut(state[0])) early = { clock: now - place.now(), epoch, state };
    },

    /** The first `resume` in the order decides, so all agree on one context. @param {string} from @param {number} generation */
    resumeHeard(from, generation) {
      if (replica.current && from !== own.id()) {
        // The others have given this context's state up. It may hold locks that they do not know of.
        context.membership.gap();
        return;
      }
      const inVain = from === own.id() && (answered || (resuming && generation !== resuming));
      // A current member may die before it has answered. Then `resume` has to be posted again.
      if (inVain && generation === resuming) resuming = 0;
      if (replica.current || !replica.stateful || resumed || inVain) return;
      resumed = from;
      if (from !== own.id()) {
        sayHello();
        return;
      }
      if (!resuming) {
        void giveWay();
        return;
      }
      owed = new Set(replica.members);
      onState(replica.goOn(resuming));
    },

    /** An own hello was delivered. @param {string} nonce */
    echoed(nonce) {
      if (!replica.current) replica.cut(nonce);
    },

    /** A context that posts an entry was given the state, though this context may have missed that. @param {string} from */
    heardEntry(from) {
      answered = answered || from !== own.id();
      gathering.given(from);
    },

    /** A context is given the state of a log. @param {string} log @param {string} to */
    heardState(log, to) {
      if (log !== replica.log || replica.current) return;
      answered = true;
      gathering.given(to);
    },

    /**
     * Another context asks. A different member answers each attempt, so that a busy member costs little time.
     * @param {string} from
     * @param {string} nonce
     * @param {number} asked the number of its attempt
     * @param {number} reached how far its own state is, plus 1; 0 if it has none
     */
    answer(from, nonce, asked, reached) {
      if (!replica.stateful) return;
      const { log, count, generation } = replica;
      if (!asked) context.post('here', log);
      else if (!replica.current) gathering.heard(from, reached);
      else if (context.mayAct()) {
        // A member that asks has missed messages, so it is not one of those that answer.
        const members = [...replica.members].filter((client) => client !== from);
        if (!owed.delete(from) && members[(asked - 1) % members.length] !== own.id()) return;
        replica.shared = true;
        context.post('state', from, nonce, log, count, context.clock.now(), generation, context.duties.epoch(), replica.core.snapshot());
      }
    },
  };
};
