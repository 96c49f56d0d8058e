import { createGathering } from './gathering.js';
import { laterGeneration } from './register.js';

/**
 * How the log goes on if no replica is current (D10). Of the members that the register shows alive, the one that has got farthest posts
 * `resume` and continues with its own state.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {(kept: import('./messages.js').Message[]) => void} onState this context continues the log as soon as the [kept] messages are
 *   applied
 */
export const createResuming = (context, onState) => {
  const { place, replica, own } = context;
  /** The generation of this context's own `resume`; 0 if it has posted none since it began to ask, or if that one is void. */
  let posted = 0;
  /**
   * The generation that this context raises the register to, since it began to ask: each read of the register may find that it is its turn.
   * A register above the log's generation would show members that another log had come between.
   */
  let proposed = 0;
  /** The highest generation of any `resume` that this context has posted or received. The register loses it if data is cleared. */
  let highest = 0;
  /** Grows whenever a context may have become current that an earlier read of the register did not show. */
  let news = 0;
  /** The members at this context's own `resume`. It answers their hellos, since maybe nobody else can. @type {Set<string>} */
  let owed = new Set();
  const gathering = createGathering(replica, own.id);

  /** Raises the generation first: fences continue there, and those of a later log must be above them. @param {RegisterRecord} record */
  const goOn = async (record) => {
    const before = news;
    if (record.generation > proposed) {
      proposed = laterGeneration(Math.max(record.generation, replica.generation, highest), place.wallClock());
    }
    const change = context.change('raise', { log: replica.log, generation: proposed, incomplete: false });
    const after = await context.connection.transact(change);
    const mayGoOn = !replica.current && !posted && after.log === replica.log && news === before;
    if (!mayGoOn || !gathering.isFurthest(after, place.now())) return;
    posted = highest = after.generation;
    context.post('resume', replica.log, posted);
  };

  /** Another context is current, or soon will be. @param {string} client */
  const mayBeCurrent = (client) => {
    posted = proposed = 0;
    news++;
    gathering.given(client);
  };

  return {
    /** This context asks for the state. Another one may have gone on in the messages that it has missed. */
    begin() {
      posted = proposed = 0;
      news++;
      gathering.begin(place.now());
    },

    /** This context has the state, or this life ends. */
    stop: gathering.stop,

    /** Continues the log if it is this context's turn. @param {RegisterRecord} record as it was just read */
    registerRead(record) {
      if (record.log === replica.log && !posted && gathering.isFurthest(record, place.now())) void goOn(record);
    },

    /**
     * A context that receives another one's `resume` starts over, whether or not the sender goes on. So hellos and answers from before a
     * `resume` no longer count after it.
     * @param {string} from @param {number} generation
     */
    resumeHeard(from, generation) {
      highest = Math.max(highest, generation);
      if (from !== own.id()) context.membership.startOver();
      else if (posted && generation === posted) {
        owed = new Set(replica.members);
        onState(replica.goOn(posted));
      }
    },

    /** A context that posts an entry has the state, although this context may have missed the message that gave it. @param {string} from */
    entryHeard(from) {
      if (from !== own.id()) mayBeCurrent(from);
    },

    /** A context is given the state of a log. @param {string} log @param {string} to */
    stateHeard(log, to) {
      if (log === replica.log && !replica.current) mayBeCurrent(to);
    },

    /** A context asks, and says how far it has got. */
    helloHeard: gathering.helloHeard,
    echoed: gathering.echoed,
    heard: gathering.heard,

    /** Whether that context may depend on an answer of this one. @param {string} to */
    owes: (to) => owed.has(to),
  };
};
