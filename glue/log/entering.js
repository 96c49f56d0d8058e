import { createListening } from './listening.js';
import { PROTOCOL, isDeserted, othersWithState } from './register.js';

/**
 * How a context enters the register (D2): with a record of its own; and, where nobody lives who may have state, with a fresh log (D6).
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {object} found what comes of it
 * @param {(record: RegisterRecord) => boolean} found.follow the record is that of this context's log from now on; returns whether
 *   something else makes its order
 * @param {() => string | undefined} found.earlyEpoch in which epoch this context was given a state already, if it was
 * @param {() => void} found.confirmed that was the present one
 * @param {() => void} found.ask a log lives, whose state is to be asked for
 * @param {(record: RegisterRecord, over: string, hellos: number) => void} found.begun this context has begun a log over the log [over],
 *   when there had been so many [hellos]
 */
export const createEntering = (context, found) => {
  const { place, replica, own } = context;
  let entered = false;
  let looking = false;
  let lookAgain = false;
  /** As it was last read in this life. @type {RegisterRecord | undefined} */
  let known;
  /** This context's own alive names: its next life need not wait for their deaths. @type {Set<string>} */
  const former = new Set();
  /** Alive names that are known to be dead. @type {Set<string>} */
  const dead = new Set();
  /** @type {Set<string>} those that this connection watches */
  const watched = new Set();
  /** The logs of which anything was heard in this life. @type {Set<unknown>} */
  const spoken = new Set();

  const listening = createListening(place.order, (nonce) => context.post('hello', nonce, 0, 0), place.randomId,
    (callback, milliseconds) => context.connection.later(callback, milliseconds), () => void entering.advance());

  /** @param {RegisterRecord} record whether it says that this context has the state */
  const isStateful = ({ members }) => own.id() in members && members[own.id()].stateful;

  /** @param {RegisterRecord} record whether a log may be begun, as far as it says; the register judges when it is written */
  const mayBegin = (record) => isDeserted(record, [...dead], listening.inVain()) && (record.log || listening.inVain());

  /** @param {RegisterRecord} [record] as it has been read, if it has @returns {Promise<RegisterRecord>} */
  const beginFresh = async (record) => {
    const listened = listening.inVain();
    const hellos = context.duties.hellos();
    const log = place.randomId();
    const entry = Object.assign(context.asSelf(),
      { order: place.order, log, time: place.wallClock(), dead: [...dead], listened, unseen: !record });
    const after = await context.connection.transact(context.entry('begin', entry));
    // What members of that log say counts for nothing only where they are known to be dead, and have said nothing: a connection may also
    // have been closed from outside.
    const over = record && isDeserted(record, [...dead], false) && !spoken.has(record.log) ? record.log : '';
    if (after.log === log && context.phase === 'asking') {
      listening.stop();
      found.follow(after);
      found.begun(after, over, hellos);
    }
    return after;
  };

  /** Waits for a member's answer, for a death, or for the end of listening. @param {RegisterRecord} record */
  const wait = (record) => {
    const isOurs = record.protocol === PROTOCOL;
    if (isOurs && record.log && record.log === replica.log && record.generation > context.generation) {
      // Somebody has gone on without this context (D10): what it was given, and has not heard yet, may be of before.
      context.membership.lost();
      return;
    }
    if (isOurs && found.follow(record)) listening.begin();
    const isNews = record.log && record.log !== replica.log;
    if (isOurs && isNews && isStateful(record)) {
      found.confirmed();
      return;
    }
    const living = othersWithState(record, own.id()).filter(({ alive }) => alive && !dead.has(alive));
    for (const { alive } of living) entering.watchOnce(alive, () => void entering.advance());
    if (!living.length) listening.again();
    if (!isOurs) place.warn('another version is in use');
    else if (isNews) {
      replica.await(record.log);
      found.ask();
    }
  };

  const entering = {
    /** Another life begins. */
    begin() {
      entered = looking = lookAgain = false;
      known = undefined;
      spoken.clear();
      listening.begin();
    },

    /** Another connection. If the one before was closed from outside, what that had told of deaths may be false. */
    connected() {
      watched.clear();
      dead.clear();
      former.forEach((alive) => dead.add(alive));
    },

    /** One step further, as far as the register allows. Called whenever something may have changed; never runs twice at once. */
    async advance() {
      if (context.phase !== 'asking' || !context.connection.isConnected()) return;
      lookAgain = looking;
      if (looking) return;
      looking = true;
      const add = Object.assign(context.asSelf(), { epoch: found.earlyEpoch() });
      let record = known;
      if (!entered || !record || !mayBegin(record)) {
        // Where nobody was heard, the register is probably empty: then one entry is enough.
        record = !entered && listening.inVain() ? await beginFresh()
          : await context.connection.transact(entered ? undefined : context.entry('add', add));
      }
      if (context.phase === 'asking' && mayBegin(record)) record = await beginFresh(record);
      known = record;
      entered = own.id() in record.members;
      looking = false;
      if (context.phase !== 'asking') return;
      wait(record);
      if (lookAgain || !entered) void entering.advance();
    },

    /** @param {string} alive @param {() => void} onDeath @param {boolean} [mayComeBack] see ./connection.js */
    watchOnce(alive, onDeath, mayComeBack) {
      if (watched.has(alive) || dead.has(alive)) return;
      watched.add(alive);
      context.connection.watch(alive, () => {
        dead.add(alive);
        onDeath();
      }, mayComeBack);
    },

    /** @param {string} alive whether its death is known, beyond doubt */
    isDead: (alive) => dead.has(alive) && !context.connection.isDoubted(alive),

    /** An own hello was delivered. @param {string} nonce */
    echoed: (nonce) => listening.delivered(nonce),

    /** Somebody with state has posted something. @param {unknown} [log] */
    lifeHeard(log) {
      spoken.add(log);
      listening.heardOf();
    },

    /** What was said may have been lost. */
    listenAnew: () => listening.begin(),

    /** There is a state, or this life ends: then the next one need not wait for its death. */
    stop() {
      listening.stop();
      former.add(context.connection.alive);
    },
  };
  return entering;
};
