import { LONGEST_TIMER } from './clock.js';
import { complete, read, remove, still } from './register.js';

/** How long the leader waits, after somebody said hello, before it looks whether it is alone after all. */
const ALONE_AGAIN = 2000;
/** How often it looks for members that have not come back since the register was emptied. */
const LOOK_AGAIN = 500;

/**
 * The part of a context that leads: it gives operations their places, orders `gone` for the dead and `tick` for the deadlines.
 * It only numbers: the state changes when its own channel delivers the entries (but for R6, alone).
 *
 * @typedef {import('./types.js').Operation} Operation
 * @typedef {import('./types.js').ClientOperation} ClientOperation
 * @typedef {import('./types.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createLeader>} Leader
 *
 * @param {import('./log.js').Context} context
 * @param {RegisterRecord} reign the record as it was when this context became the leader
 * @param {() => void} deposed the register names another leader
 */
export const createLeader = (context, reign, deposed) => {
  const { log, epoch, leader: client } = reign;
  const { place, replica, clock, connection } = context;
  let leading = true;
  /** The place of the next entry. */
  let next = replica.seq + 1;
  let hellos = 0;
  /** How many hellos there had been when the register was last found to show no other member. */
  let verified = -1;
  /** The last that have been given places. @type {Operation[]} */
  let unposted = [];
  /** @type {Map<string, number>} each client's last operation that has a place; Infinity where it is gone */
  const placed = new Map();
  /** @type {Map<string, {alive: string, cancel: () => void}>} */
  const watched = new Map();
  let cancelTick = () => {};
  let cancelAloneAgain = () => {};
  let cancelLookAgain = () => {};

  /** @returns {Operation} */
  const tickNow = () => ({ type: 'tick', now: clock.now() });

  /** @param {Operation[]} operations */
  const number = (operations) => {
    if (!operations.length) return;
    const isTimed = (/** @type {any} */ { wait, hold }) => wait !== undefined || hold !== undefined;
    if (replica.core.nextDeadline() < Infinity || operations.some(isTimed)) {
      operations = [tickNow(), ...operations];
    }
    next += operations.length;
    if (leader.alone) context.applyAtOnce(operations);
    else {
      unposted = unposted.concat(operations);
      if (!context.entersEarly(unposted)) leader.flush();
    }
  };

  const tick = () => number([tickNow()]);

  /** @param {string} member @returns {number} -1 where it is no member */
  const lastPlaced = (member) => {
    const last = placed.get(member);
    return last === undefined ? replica.core.last(member) : last;
  };

  /** Rule R1. @param {string} member @param {ClientOperation[]} operations */
  const placeInOrder = (member, operations) => {
    let last = Math.max(lastPlaced(member), 0);
    const accepted = [];
    for (const operation of operations) {
      if (operation.number > last + 1) {
        context.post('want', log, member, last + 1);
        break;
      }
      if (operation.number === last + 1) {
        accepted.push(operation);
        last++;
      }
    }
    if (accepted.length) placed.set(member, last);
    number(accepted);
  };

  /**
   * Reads the register, or changes it, and learns from it.
   * @param {import('./register.js').Change} [change]
   * @returns {Promise<RegisterRecord | undefined>} undefined where this is not the leader any more
   */
  const look = async (change = read) => {
    const record = await connection.transact(change);
    if (!leading) return undefined;
    if (!still(record, reign)) {
      deposed();
      return undefined;
    }
    watchAll(record);
    return record;
  };

  /** @param {string} member @param {string} alive */
  const died = async (member, alive) => {
    const record = await connection.transact(remove(member, alive));
    if (!leading || !record) return;
    watched.delete(member);
    if (record.members[member]) watchAll(record);
    else {
      if (lastPlaced(member) >= 0) number([{ type: 'gone', client: member }]);
      // A look that began before may still show its record; it has no next operation.
      placed.set(member, Infinity);
      void becomeAlone();
    }
  };

  /** @param {RegisterRecord} record */
  const watchAll = ({ members }) => {
    for (const member in members) {
      const { alive } = members[member];
      const before = watched.get(member);
      if (!alive) {
        cancelLookAgain();
        cancelLookAgain = connection.later(() => void (leading && look()), LOOK_AGAIN);
      }
      if (member === client || (before && before.alive === alive)) continue;
      if (before) before.cancel();
      watched.set(member, { alive, cancel: connection.watch(alive, () => void died(member, alive)) });
    }
  };

  /** Rule R6: only by the delivery of the last other's `gone`, a register read after it, and no hello since. */
  const becomeAlone = async () => {
    if (!leading || leader.alone || !replica.core.state().members.every((member) => member.client === client)) return;
    const before = hellos;
    const record = await look();
    if (record && Object.keys(record.members).length === 1) verified = before;
    beAlone();
  };

  /** Acting at once begins when nothing is on its way. */
  const beAlone = () => {
    if (leading && verified === hellos && replica.led === epoch && next === replica.seq + 1) leader.alone = true;
  };

  const leader = {
    epoch,
    alone: false,

    /** Posts what has its place and was kept back for what might follow in the same task. */
    flush() {
      if (unposted.length) context.post('entries', log, epoch, next - unposted.length, replica.seq, replica.core.hash(), unposted);
      unposted = [];
    },

    /**
     * Begins where the replica is.
     * @param {RegisterRecord} record as the take-over wrote it
     * @param {Set<string>} departed have said goodbye
     */
    begin(record, departed) {
      const missing = replica.core.state().members.map((member) => member.client).filter((member) => !record.members[member]);
      const unknown = missing.filter((member) => record.incomplete && !departed.has(member));
      if (record.incomplete) void look(complete(unknown));
      // A record is deleted before its `gone` is ordered; the old leader may have died in between.
      number(missing.filter((member) => !unknown.includes(member)).map((member) => ({ type: 'gone', client: member })));
      watchAll(record);
      departed.forEach(leader.bury);
      leader.applied(true);
    },

    /** An `operations` message, or this context's own. @param {string} member @param {ClientOperation[]} operations */
    accept(member, operations) {
      if (leader.alone && member !== client) leader.expect();
      const accept = () => placeInOrder(member, operations);
      if (lastPlaced(member) >= 0 || member === client) accept();
      // Rule R3: a join gets its place only after the register has shown the client's record.
      else void look().then((record) => record && record.members[member] && record.members[member].stateful && accept());
    },

    /** Somebody is there: from now on every entry travels. */
    expect() {
      hellos++;
      leader.alone = false;
      cancelAloneAgain();
      cancelAloneAgain = connection.later(becomeAlone, ALONE_AGAIN);
    },

    /** A member has said goodbye: it acts no more. @param {string} member */
    bury(member) {
      const { alive, cancel } = watched.get(member) || { alive: '', cancel() {} };
      cancel();
      void died(member, alive);
    },

    /** Entries have been applied: what follows for the leader. @param {boolean} someoneWent */
    applied(someoneWent) {
      cancelTick();
      const due = replica.core.nextDeadline();
      if (due < Infinity) cancelTick = place.setTimer(tick, Math.min(due - clock.now(), LONGEST_TIMER));
      if (someoneWent) void becomeAlone();
      else beAlone();
    },

    stop() {
      leading = false;
      cancelTick();
      cancelAloneAgain();
      watched.forEach(({ cancel }) => cancel());
    },
  };
  return leader;
};
