import { createLeader } from './leader.js';
import { MEMBER } from './phase.js';
import { read, takeOver } from './register.js';

/** A leader that was asked whether it is awake has so long to answer. */
const PATIENCE = 1000;

/**
 * Who leads (rules R8 to R10, R12, R13): every replica watches the leader's life, and at its death tries to take over; the register
 * lets one win.
 *
 * @typedef {import('./types.js').RegisterRecord} RegisterRecord
 * @typedef {import('./register.js').Reign} Reign
 *
 * @param {import('./log.js').Context} context
 */
export const createElection = (context) => {
  const { place, replica, own } = context;
  /** @type {Reign} the last that the register showed */
  let reign = { log: '', epoch: 0, leader: '' };
  /** The leader's alive name; undefined where it has no record. @type {string | undefined} */
  let alive;
  /** @type {RegisterRecord | undefined} as our own take-over wrote it, until its `prepare` is delivered */
  let won;
  let cancelWatch = () => {};
  /** The epoch whose leader has been challenged and not been heard since; or 0. */
  let challenged = 0;
  /** Members that have said goodbye. @type {Set<string>} */
  const departed = new Set();
  /** Where the channel has no one order: the members that have not said yet how far they are. @type {Set<string> | undefined} */
  let unheard;
  /** The answer of the one that is furthest ahead of this context, and how far that is. @type {any} */
  let furthest;
  let reached = 0;

  const stepDown = () => {
    unheard = furthest = undefined;
    if (!context.leader) return;
    context.leader.stop();
    context.leader = undefined;
    context.channel.listenForOperations(false);
  };

  /**
   * What the register shows after a look at it, or an attempt to take over.
   * @param {RegisterRecord | undefined} record
   * @param {Reign} [expected]
   */
  const follow = (record, expected) => {
    // An empty register was wiped: we shall be told.
    if (context.phase !== MEMBER || !record) return;
    if (record.log !== replica.log || !record.members[own.id()]) {
      context.joining.lost();
      return;
    }
    const { log, epoch, leader, members } = record;
    const isOwn = leader === own.id();
    cancelWatch();
    reign = record;
    alive = isOwn || !members[leader] ? undefined : members[leader].alive;
    if (isOwn && [won, context.leader].some((each) => each && each.epoch === epoch)) return;
    if (isOwn && expected && epoch > expected.epoch) {
      won = record;
      context.post('prepare', log, epoch, leader);
    } else if (alive === undefined || departed.has(leader)) replace();
    else cancelWatch = context.connection.watch(alive, replace);
  };

  const lookUp = async () => {
    if (context.phase === MEMBER) follow(await context.connection.transact(read));
  };

  /** @param {Reign} expected @param {string} [dead] the old leader's alive name, where its death is the reason */
  const tryTakeOver = async (expected, dead) => {
    if (context.phase !== MEMBER || !replica.current) return;
    const epoch = Math.max(place.wallClock(), replica.epoch + 1);
    follow(await context.connection.transact(takeOver(own.id(), expected, epoch, dead)), expected);
  };

  /** The leader is dead, or gone. */
  const replace = () => void tryTakeOver(reign, alive);

  const giveUp = () => {
    stepDown();
    void lookUp();
  };

  /** @param {RegisterRecord} record as this context has written it @param {boolean} alone */
  const lead = (record, alone) => {
    const { log, epoch, leader } = record;
    if (furthest) context.joining.restore(furthest);
    unheard = furthest = undefined;
    if (context.phase !== MEMBER) return;
    context.leader = createLeader(context, record, giveUp);
    context.leader.alone = alone;
    context.channel.listenForOperations(true);
    if (!alone) context.post('lead', log, epoch, leader, replica.seq, replica.core.hash());
    context.leader.begin(record, departed);
    context.resend();
  };

  /** Where the channel has no one order, leads only when every living member has said how far it is. @param {RegisterRecord} record */
  const gather = (record) => {
    const { members } = record;
    const waiting = Object.keys(members).filter((member) =>
      !place.oneOrder && member !== own.id() && members[member].stateful && !departed.has(member));
    unheard = new Set(waiting);
    const mine = unheard;
    for (const member of waiting) {
      context.connection.watch(members[member].alive, () => mine === unheard && election.placed(member));
    }
    won = record;
    reached = replica.seq;
    election.placed('');
  };

  const election = {
    departed,
    follow,
    lookUp,

    /** This context has begun a log. @param {RegisterRecord} record @param {boolean} alone nobody is known to wait for one */
    begun(record, alone) {
      election.forget();
      departed.clear();
      reign = record;
      lead(record, alone);
    },

    /** A `prepare` was delivered: the cut (rule R9). @param {number} epoch @param {string} leader */
    prepared(epoch, leader) {
      const isOwn = leader === own.id();
      const record = isOwn && won && won.epoch === epoch ? won : undefined;
      if (record) won = undefined;
      if (epoch >= replica.epoch) {
        replica.epoch = epoch;
        stepDown();
        if (!isOwn && !place.oneOrder) context.sendState(leader);
        if (record && replica.current) {
          gather(record);
          return;
        }
      }
      void lookUp();
    },

    /**
     * A member has said how far it is, and will go no further; or it is dead.
     * @param {string} client
     * @param {number} [seq]
     * @param {any[]} [state] for context.restore()
     */
    placed(client, seq = 0, state) {
      if (!unheard || !won) return;
      unheard.delete(client);
      if (seq > reached) {
        reached = seq;
        furthest = state;
      }
      if (unheard.size) return;
      const record = won;
      won = undefined;
      lead(record, false);
    },

    /** A `lead` was delivered. @type {(log: string, epoch: number, leader: string, base: number, hash: number) => void} */
    led(log, epoch, leader, base, hash) {
      if (epoch < replica.epoch) return;
      replica.lead(epoch, base, hash);
      if (replica.current) context.resend();
    },

    /** The leader would have somebody else lead (rule R13). @param {Reign} resigning */
    resigned(resigning) {
      if (resigning.leader !== own.id()) void tryTakeOver(resigning);
    },

    /** @param {string} client */
    bury(client) {
      departed.add(client);
      if (context.leader) context.leader.bury(client);
      election.placed(client);
      if (client === reign.leader) replace();
    },

    /** Rule R12: nothing is heard of what somebody has asked for. */
    async suspect() {
      await lookUp();
      if (!place.oneOrder || challenged || reign.leader === own.id()) return;
      context.post('challenge', replica.log, reign.epoch, own.id());
    },

    /** @param {number} epoch @param {string} client who asks @param {boolean} awake a frozen page hears, and can do nothing else */
    challenged(epoch, client, awake) {
      if (awake && context.leader && context.leader.epoch === epoch) context.post('here', replica.log, epoch);
      if (client !== own.id()) return;
      challenged = epoch;
      context.connection.later(() => {
        if (challenged === epoch && reign.epoch === epoch) void tryTakeOver(reign);
        challenged = 0;
      }, PATIENCE);
    },

    /** The leader of [epoch] has said something. @param {number} epoch */
    heard(epoch) {
      if (epoch >= challenged) challenged = 0;
    },

    /** This context has not heard all that was said, so perhaps not that it was deposed. Other gaps show at the next entry. */
    missed: () => context.leader && giveUp(),

    /** Nothing of what was counts any more. */
    forget() {
      stepDown();
      cancelWatch();
      won = undefined;
      challenged = 0;
    },
  };
  // eslint-disable-next-line no-unused-labels -- the script-tag build has no inspect(): see build/bundle.mjs
  PACKAGE: Object.assign(election, { leader: () => reign.leader });
  return election;
};
