import { createGathering } from './gathering.js';
import { later, othersWithState } from './register.js';

/** A context without usable state asks for it again after so long, in milliseconds; then after twice that, and so on, up to LONGEST. */
const HELLO_AGAIN = 10;
const LONGEST = 500;
/** After so many hellos in vain the register is looked at again: it may have changed without the death of anybody who is watched. */
const LOOK_AGAIN = 4;

/**
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {object} Early an answer to a hello from before this context was in the register
 * @property {number} clock how far log time is ahead of this context's clock
 * @property {string} epoch
 * @property {Parameters<import('./replica.js').Replica['restore']>} state
 *
 * How a context comes by the state of a log that lives (D1): it says hello, keeps what is delivered from then on, and is answered with the
 * state as it was at that hello. And how it answers others.
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} look looks at the register again, where nobody answers
 * @param {(kept: import('./messages.js').Message[], registered?: boolean) => void} onState the state is right now, but for what was [kept]
 *   meanwhile; [registered]: and the register says so
 * @param {() => void} onOtherLog the register shows another log than the one whose state is asked for
 */
export const createAsking = (context, look, onState, onOtherLog) => {
  const { place, replica, own } = context;
  let attempt = 0;
  let cancelHello = () => {};
  /** Who goes on, where nobody was current; empty where nobody has said so. */
  let resumed = '';
  /** Whether somebody has been given the state of this log since this context has posted that it goes on: then somebody is current. */
  let answered = false;
  /** The generation with which this context has posted that it goes on; 0 where it has not, or has missed messages since. */
  let resuming = 0;
  /** @type {Early | undefined} */
  let early;
  /** The one that the register is asked to confirm. @type {Early | undefined} */
  let offered;
  /** Members in doubt, where this context went on: nobody else can answer them. @type {Set<string>} */
  let owed = new Set();
  const gathering = createGathering(replica, own.id);

  /** Where nobody is current, whoever has got farthest goes on (D10). Nobody else sees to the death of those who are awaited. */
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
      else context.membership.watchOnce(alive, bury, true);
    }
  };

  /** The generation comes first: the fences go on above it, and a later log's must be above both. @param {RegisterRecord} record */
  const goOn = async (record) => {
    const generation = later(record, place.wallClock());
    const after = await context.connection.transact(context.entry('raise', { log: replica.log, generation, incomplete: false }));
    const mayGoOn = replica.stateful && !replica.current && !resumed && !resuming && after.log === replica.log;
    if (!mayGoOn || !gathering.isFurthest(after, place.now())) return;
    resuming = after.generation;
    answered = false;
    context.post('resume', replica.log, resuming);
  };

  /** It has missed messages since, perhaps of somebody who had got farther; and the others wait for it now, where there are any. */
  const giveWay = async () => {
    const record = await context.connection.transact();
    if (replica.current || !replica.stateful) return;
    const mayWait = othersWithState(record, own.id()).some(({ alive }) => !context.membership.isDead(alive));
    // While the register is incomplete, others may be in the state alone.
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
    // A newcomer's clock has gone on from nowhere, or from another log.
    if (hadState) context.clock.heard(now);
    else context.clock.set(now);
    onState(kept, registered);
  };

  return {
    /** Asks for the state while the storage opens. */
    beginEarly() {
      early = undefined;
      context.post('hello', place.randomId(), 1, 0);
    },

    /** In which epoch this context was given a state already; undefined where it was not. */
    earlyEpoch() {
      offered = early;
      return offered && offered.epoch;
    },

    /** The register has confirmed it. @returns {boolean} whether there is a state now */
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

    /** Messages were lost: what was posted before them counts no more. */
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

    /** Who posts it first goes on: so all agree on one. @param {string} from @param {number} generation */
    resumeHeard(from, generation) {
      if (replica.current && from !== own.id()) {
        // Others have given this context up: what it holds may count no more.
        context.membership.gap();
        return;
      }
      const inVain = from === own.id() && (answered || (resuming && generation !== resuming));
      // Whoever is current may die before it has answered: then it is said again.
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

    /** Who posts an entry has been given the state, though this context may have missed that. */
    heardEntry: gathering.given,

    /** Somebody is given the state of a log. @param {string} log @param {string} to */
    heardState(log, to) {
      if (log !== replica.log || replica.current) return;
      answered = true;
      gathering.given(to);
    },

    /**
     * Somebody else asks. The answer is a member's, at each attempt another one's, so that a busy one costs little time.
     * @param {string} from
     * @param {string} nonce
     * @param {number} asked how often it has asked
     * @param {number} reached how far it has got itself
     */
    answer(from, nonce, asked, reached) {
      if (!replica.stateful) return;
      const { log, count, generation } = replica;
      if (!asked) context.post('here', log);
      else if (!replica.current) gathering.heard(from, reached);
      else if (context.mayAct()) {
        // Who is a member itself has missed messages, and gives no answer.
        const members = [...replica.members].filter((client) => client !== from);
        if (!owed.delete(from) && members[(asked - 1) % members.length] !== own.id()) return;
        context.post('state', from, nonce, log, count, context.clock.now(), generation, context.duties.epoch(), replica.core.snapshot());
      }
    },
  };
};
