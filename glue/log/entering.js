import { createListening } from './listening.js';
import { forgetOldest } from './oldest.js';
import { PROTOCOL, isDeserted, withState } from './register.js';

/** How many of its own former alive names, and of the epochs that it has heard, a context remembers. */
const REMEMBERED = 32;

/**
 * How a context enters the register: with a record of its own (D2), and with a fresh log if nobody alive may have state (D6).
 *
 * @typedef {import('./asking.js').Early} Early
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {object} found called with what the register shows
 * @param {(order: RegisterRecord['order']) => boolean} found.follow switches to the maker of that log's order; returns whether it was
 *   another one
 * @param {() => Early | undefined} found.early the state that this context has been given already, if any
 * @param {(early: Early, log: string) => void} found.confirmed the register still has the epoch of that state, and has this log
 * @param {() => void} found.ask a log lives: asks for its state
 * @param {(record: RegisterRecord, over: string) => void} found.begun this context has written a fresh log, which replaces the log [over]
 */
export const createEntering = (context, found) => {
  const { place, replica, own } = context;
  let looking = false;
  let lookAgain = false;
  /** The epochs of the latest `anew`s. Whoever reads the register after an `anew` reads that one, or a later one. @type {Set<string>} */
  const anews = new Set();
  /** The `anew`s that were delivered during the read that is underway. @type {{generation: number, epoch: string}[]} */
  let heard = [];
  /** The fresh log that this context is writing into the register; empty if there is none. */
  let beginning = '';
  /** The register as it was last read in this life. Every read shows this context. @type {RegisterRecord | undefined} */
  let known;
  /** This context's own latest former alive names, which need not be watched. @type {Set<string>} */
  const former = new Set();
  /** Alive names that are known to be dead. @type {Set<string>} */
  const dead = new Set();
  /** @type {Set<string>} those that this connection watches */
  const watched = new Set();
  /** The logs of which this context has received a message in this life. @type {Set<unknown>} */
  const spoken = new Set();
  /** The clients that have posted such a message and not ended, also in earlier, lost lives of this context. @type {Set<string>} */
  const speakers = new Set();

  const listening = createListening(context, () => void entering.advance(),
    () => [...speakers].some((client) => !known || !(client in known.members) || !entering.isDead(known.members[client].alive)));

  /**
   * Whether [record] may be of an earlier register than the one that was written anew, though its generation does not show that.
   * @param {RegisterRecord} record @param {{generation: number, epoch: string}} anew
   */
  const mayPrecede = (record, anew) => record.epoch !== anew.epoch && record.generation >= anew.generation;

  /**
   * Whether a context whose name is free may be coming back. If it is awake, it answers a hello; with a store, only after it has opened the
   * store again.
   * @param {RegisterRecord} record
   */
  const isAnyInDoubt = ({ members }) => Object.values(members).some(({ alive }) => context.connection.isDoubted(alive));

  /** @param {string} log @returns {boolean} whether there is a log, and this context has heard no other one in this life */
  const isOnlyLog = (log) => !!log && [...spoken].every((each) => each === log);

  /**
   * Whether a log may begin, according to [record]. The register judges again when the log is written. The log in the register may never
   * have begun, and another one may live. So this context listens first, and begins none if it has heard another log than that one.
   * @param {RegisterRecord} record
   */
  const mayBegin = (record) => isDeserted(record, [...dead], listening.heardNobody())
    && (listening.heardNobody() || (listening.isOver() && isOnlyLog(record.log) && !isAnyInDoubt(record)));

  /** @param {RegisterRecord} [record] if it has been read @returns {Promise<RegisterRecord>} */
  const beginFresh = async (record) => {
    const listened = listening.heardNobody();
    const hellos = context.duties.hellos();
    const log = place.randomId();
    const change = Object.assign(context.asSelf(),
      { order: place.order, log, time: place.wallClock(), dead: [...dead], listened, unseen: !record });
    beginning = log;
    const after = await context.connection.transact(context.change('begin', change));
    beginning = '';
    // The new log replaces the one in the register if all its members are known to be dead and this context has not heard that log. (A
    // member whose connection was closed from outside only seems dead.)
    const over = record && isDeserted(record, [...dead], false) && !spoken.has(record.log) ? record.log : '';
    if (after.log === log && context.phase === 'asking') {
      listening.stop();
      found.follow(after.order);
      context.generation = after.generation;
      found.begun(after, over);
      context.duties.epochBegun(after, hellos);
    }
    return after;
  };

  /**
   * If another maker makes the order of the log in the register, this context has not heard that log's members yet, so it listens anew.
   * @param {RegisterRecord} record
   */
  const follow = ({ protocol, order }) => {
    if (context.phase === 'asking' && protocol === PROTOCOL && found.follow(order)) listening.begin();
  };

  /**
   * Waits for a member's answer, for a death, or for the end of listening.
   * @param {RegisterRecord} record
   * @param {Early} [early] the state whose epoch this context has named
   */
  const wait = (record, early) => {
    const isOurs = record.protocol === PROTOCOL;
    if (isOurs && record.log && record.log === replica.log && record.generation > context.generation) {
      // Another context continues the log without this one (D10). A state that is on its way may be older than that.
      context.membership.lost();
      return;
    }
    if (isOurs) context.generation = record.generation;
    // This context is stateful only if the register still had that epoch.
    const { [own.id()]: self } = record.members;
    if (early && self && self.stateful) {
      found.confirmed(early, record.log);
      return;
    }
    const living = withState(record).filter(({ alive }) => alive && !dead.has(alive));
    // A fresh log whose order has another maker would never learn that the older log lives. So each death must be certain.
    const mayComeBack = () => record.order !== place.order;
    for (const { alive } of living) entering.watchOnce(alive, () => void entering.advance(), mayComeBack);
    if (!living.length) listening.again();
    if (!isOurs) place.warn('another version is in use; waiting until its pages are closed');
    else if (record.log && record.log !== replica.log) {
      replica.await(record.log);
      found.ask();
    }
  };

  const entering = {
    /** Another life begins. */
    begin() {
      looking = lookAgain = false;
      beginning = '';
      known = undefined;
      spoken.clear();
      listening.begin();
    },

    /** A new connection. If the previous one was closed from outside, the deaths that it has reported may be false. */
    connected() {
      watched.clear();
      dead.clear();
      former.forEach((alive) => dead.add(alive));
    },

    /** Goes as far as the register allows. Called whenever something may have changed; never runs twice at once. */
    async advance() {
      if (context.phase !== 'asking' || !context.connection.isConnected()) return;
      lookAgain = looking;
      if (looking) return;
      looking = true;
      heard = [];
      const early = found.early();
      let record = known;
      if (!record) {
        const add = Object.assign(context.asSelf(), { epoch: early && early.epoch });
        // If this context has heard nobody, the register is probably empty. Then a single change begins the log.
        record = await (listening.heardNobody() ? beginFresh() : context.connection.transact(context.change('add', add)));
      } else if (!mayBegin(record)) record = await context.connection.transact();
      follow(record);
      if (context.phase === 'asking' && mayBegin(record)) {
        record = await beginFresh(record);
        follow(record);
      }
      known = record;
      looking = false;
      if (context.phase !== 'asking') return;
      if (heard.some((anew) => mayPrecede(record, anew))) {
        entering.readAnew();
        return;
      }
      wait(record, early);
      if (lookAgain) void entering.advance();
    },

    /** @param {string} alive @param {() => void} onDeath @param {() => boolean} mayComeBack see ./connection.js */
    watchOnce(alive, onDeath, mayComeBack) {
      if (watched.has(alive)) return;
      watched.add(alive);
      context.connection.watch(alive, () => {
        dead.add(alive);
        onDeath();
      }, mayComeBack);
    },

    /** @param {string} alive whether its holder is dead beyond doubt */
    isDead: (alive) => dead.has(alive) && !context.connection.isDoubted(alive),

    /** An own hello was delivered. @param {string} nonce */
    echoed: listening.echoed,

    /** A context with state has posted something. @param {string} from @param {unknown} [log] */
    lifeHeard(from, log) {
      spoken.add(log);
      speakers.add(from);
      listening.heardOf();
    },

    /** A `gone` was delivered: this client has ended. @type {(client: string) => void} */
    lifeEnded: (client) => void speakers.delete(client),

    /** @param {string} client */
    hasSpoken: (client) => speakers.has(client),

    /** Listens from the beginning, since messages may have been lost. */
    listenAnew: listening.begin,
    beginning: () => beginning,

    /**
     * @param {number} generation @param {string} epoch
     * @returns {boolean} whether the register that this life has read before it had the state may be an earlier one
     */
    anewHeard(generation, epoch) {
      if (anews.has(epoch)) return false;
      anews.add(epoch);
      forgetOldest(anews, REMEMBERED);
      const anew = { generation, epoch };
      if (looking) heard.push(anew);
      // It may have been given the state while it read again.
      return known ? mayPrecede(known, anew) : context.phase !== 'asking';
    },

    /** What this life has read may not count. */
    readAnew() {
      known = undefined;
      void entering.advance();
    },

    /** This context has left, or its fresh log has begun: all whom it heard before have ended. */
    forget: () => speakers.clear(),

    /** This context has the state, or this life ends. The next life need not wait for this one's death. */
    stop() {
      listening.stop();
      former.add(context.connection.alive);
      forgetOldest(former, REMEMBERED);
    },
  };
  return entering;
};
