import { createGathering } from './gathering.js';
import { later, othersWithState } from './register.js';

/**
 * How the log goes on if nobody is current (D10): of the members that the register shows alive, the one that has got farthest posts
 * `resume`, and continues with its own state.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {object} membership
 * @param {() => void} membership.ask says hello, since someone can answer now
 * @param {(kept: import('./messages.js').Message[]) => void} membership.onState this context continues the log, as soon as the messages
 *   that were [kept] are applied
 * @param {() => void} membership.onOtherLog the register shows another log
 */
export const createResuming = (context, { ask, onState, onOtherLog }) => {
  const { place, replica, own } = context;
  /** The client that continues the log; empty if there is none. */
  let chosen = '';
  /** The generation of this context's own `resume`; 0 if it has posted none, or has missed messages since. */
  let posted = 0;
  /** Whether another context has shown since then that it is current: then that `resume` is void. */
  let isVoid = false;
  /** After this context's `resume`: the members that wait for its answer, since nobody else can answer. @type {Set<string>} */
  let owed = new Set();
  const gathering = createGathering(replica, own.id);

  /** Raises the generation first: fences continue above it, and a later log's must be higher still. @param {RegisterRecord} record */
  const goOn = async (record) => {
    const generation = later(record, place.wallClock());
    const after = await context.connection.transact(context.entry('raise', { log: replica.log, generation, incomplete: false }));
    const mayGoOn = replica.stateful && !replica.current && !chosen && !posted && after.log === replica.log;
    if (!mayGoOn || !gathering.isFurthest(after, place.now())) return;
    posted = after.generation;
    isVoid = false;
    context.post('resume', replica.log, posted);
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
    else chosen = '';
  };

  const resuming = {
    /** This context asks for the state. */
    begin() {
      chosen = '';
      gathering.begin(place.now());
    },

    stop() {
      gathering.end();
      posted = 0;
    },

    /** Messages were lost: an own `resume` from before no longer counts. */
    missed() {
      posted = 0;
      isVoid = false;
    },

    /** Continues the log if it is this context's turn. Watches the contexts that it waits for. */
    async tryToGoOn() {
      const record = await context.connection.transact();
      if (!replica.stateful || replica.current) return;
      if (record.log !== replica.log) {
        if (record.log) onOtherLog();
        return;
      }
      const lost = gathering.hasLost(record);
      // After a wipe the dead stay in the register, and a dead one cannot answer.
      if (!record.members[chosen] || record.members[chosen].dead) chosen = '';
      if (!chosen && !posted && !lost && gathering.isFurthest(record, place.now())) void goOn(record);
      for (const client in record.members) {
        const { alive } = record.members[client];
        if (client === own.id()) continue;
        const bury = () => void context.connection.transact(context.entry('remove', { client, alive })).then((latest) => {
          context.duties.removed(latest, client);
          void resuming.tryToGoOn();
        });
        if (context.membership.isDead(alive)) bury();
        else context.membership.watchOnce(alive, bury, () => true);
      }
    },

    /** The first `resume` in the order decides, so all agree on one context. @param {string} from @param {number} generation */
    resumeHeard(from, generation) {
      if (replica.current && from !== own.id()) {
        // The others have given this context's state up. It may hold locks that they do not know of.
        context.membership.gap();
        return;
      }
      const inVain = from === own.id() && (isVoid || !!chosen || (posted && generation !== posted));
      // A current member may die before it has answered. Then `resume` has to be posted again.
      if (inVain && generation === posted) posted = 0;
      if (replica.current || chosen || inVain) return;
      // An answer from before is that of somebody who did not know of it.
      if (from !== own.id()) replica.doubt();
      if (!replica.stateful) return;
      chosen = from;
      if (from !== own.id()) ask();
      else if (!posted) void giveWay();
      else {
        owed = new Set(replica.members);
        onState(replica.goOn(posted));
      }
    },

    /** A context that posts an entry was given the state, though this context may have missed that. @param {string} from */
    entryHeard(from) {
      isVoid = isVoid || from !== own.id();
      gathering.given(from);
    },

    /** A context is given the state of a log. @param {string} log @param {string} to */
    stateHeard(log, to) {
      if (log !== replica.log || replica.current) return;
      isVoid = true;
      gathering.given(to);
    },

    /** A context asks, and says how far it has got. */
    helloHeard: gathering.heard,

    /** Whether that context waits for an answer of this one, and for the first time. @param {string} to */
    owes: (to) => owed.delete(to),
  };
  return resuming;
};
