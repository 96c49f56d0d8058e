import { createGathering } from './gathering.js';
import { later } from './register.js';

/** A context without usable state asks for it again after so long, in milliseconds; then after twice that, and so on, up to LONGEST. */
const HELLO_AGAIN = 10;
const LONGEST = 500;
/** After so many hellos in vain the register is looked at again: it may have changed without the death of anybody who is watched. */
const LOOK_AGAIN = 4;

/**
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * How a context comes by the state of a log that lives (D1): it says hello, keeps what is delivered from then on, and is answered with the
 * state as it was at that hello. And how it answers others.
 *
 * @param {import('./log.js').Context} context
 * @param {() => void} look looks at the register again, where nobody answers
 * @param {(kept: import('./messages.js').Message[]) => void} onState the state is right now, but for what was [kept] meanwhile
 * @param {() => void} onOtherLog the register shows another log than the one whose state is asked for
 */
export const createAsking = (context, look, onState, onOtherLog) => {
  const { place, replica, own } = context;
  let attempt = 0;
  let cancelHello = () => {};
  /** Who goes on, where nobody was current; empty where nobody has said so. */
  let resumed = '';
  /** Whether somebody has been given the state of this log since this context's latest hello: then somebody is current. */
  let answered = false;
  /** The generation with which this context has posted that it goes on; 0 where it has not, or has missed messages since. */
  let resuming = 0;
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
      else context.membership.watchOnce(alive, bury);
    }
  };

  /** The generation comes first: the fences go on above it, and a later log's must be above both. @param {RegisterRecord} record */
  const goOn = async (record) => {
    const generation = later(record, place.wallClock());
    const after = await context.connection.transact(context.entry('raise', { log: replica.log, generation, incomplete: false }));
    const mayGoOn = replica.stateful && !replica.current && !resumed && !resuming && after.log === replica.log;
    if (!mayGoOn || !gathering.isFurthest(after, place.now())) return;
    resuming = after.generation;
    context.post('resume', replica.log, resuming);
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

  return {
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
    },

    stop() {
      cancelHello();
      gathering.end();
      resuming = 0;
    },

    /** An answer. @param {number} now log time @param {Parameters<typeof replica.restore>} state */
    take(now, state) {
      const kept = replica.restore(...state);
      if (!kept) return;
      context.trace('restored', replica.count);
      context.clock.heard(now);
      onState(kept);
    },

    /** Who posts it first goes on: so all agree on one. @param {string} from @param {number} generation */
    resumeHeard(from, generation) {
      const inVain = from === own.id() && (answered || (resuming && generation !== resuming));
      if (replica.current || !replica.stateful || resumed || inVain) return;
      resumed = from;
      if (from !== own.id()) {
        sayHello();
        return;
      }
      // What it has missed since may be of somebody who had got farther; and the others wait for it now.
      if (!resuming) {
        context.membership.lost();
        return;
      }
      owed = new Set(replica.members);
      onState(replica.goOn(resuming));
    },

    /** An own hello was delivered. @param {string} nonce */
    echoed(nonce) {
      answered = false;
      if (!replica.current) replica.mark(nonce);
    },

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
        context.post('state', from, nonce, log, count, context.clock.now(), generation, replica.core.snapshot());
      }
    },
  };
};
