import { blockersOf } from './blockers.js';
import { LONGEST_TIMER } from './clock.js';

/** How long after the last hello a context looks whether it is alone after all, in milliseconds. */
const ALONE_AGAIN = 2000;
/** How long a context waits for a lock before it watches its blockers, in milliseconds; and how much longer for each request. */
const SETTLE = 20;
const SETTLE_PER_REQUEST = 0.01;
/** How much later than the eldest a context posts the time when a deadline is due, in case the eldest sleeps; in milliseconds. */
const DEPUTY = 200;

/**
 * What a member does for the log besides its own requests: it looks after deaths (D3, D4), time (D5) and wipes (D11), and knows whether it
 * is alone (D7). The eldest does most of it. But anybody may do anything here, late or twice.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createDuties>} Duties
 *
 * @param {import('./log.js').Context} context
 */
export const createDuties = (context) => {
  const { replica, own, clock } = context;
  /** The record that was read last; its alive names may be old. @type {RegisterRecord | undefined} */
  let record;
  /** Watches of the present connection, by alive name. @type {Map<string, () => void>} */
  const watches = new Map();
  /** Members whose `gone` was posted, and not delivered yet. @type {Set<string>} */
  const buried = new Set();
  /** Members that are known to be dead, and whose `gone` was not delivered yet. The register may forget them. @type {Set<string>} */
  const deceased = new Set();
  /** Clients whose `gone` was delivered since the register was last complete. @type {Set<string>} */
  const gone = new Set();
  let reading = false;
  let readAgain = false;
  let reviewing = false;
  /** The generation whose `anew` this context has posted. */
  let announced = 0;
  let hellos = 0;
  /** How many hellos there had been when the register was last found to show this context alone. */
  let verified = -1;
  let cancelTick = () => {};
  /** Set while a look whether this context is alone is planned. @type {(() => void) | undefined} */
  let cancelLook;

  const isMember = () => context.phase === 'member' && replica.current && !context.suspended;
  const isEldest = () => replica.eldest() === own.id();

  /** The clients whose death this context must learn of. */
  const concerned = () => {
    const clients = isEldest() ? new Set(replica.members) : new Set([replica.eldest()]);
    if (own.waits()) blockersOf(replica.core.state(), own.id()).forEach((client) => clients.add(client));
    clients.delete(own.id());
    return clients;
  };

  /** @param {string} client */
  const bury = (client) => {
    deceased.add(client);
    if (buried.has(client)) return;
    buried.add(client);
    context.sending.gone(client);
  };

  /** @param {string} client @param {string} alive */
  const watch = (client, alive) => {
    if (!alive || watches.has(alive)) return;
    const onDeath = () => {
      watches.delete(alive);
      void transact('remove', { client, alive }, client);
    };
    watches.set(alive, context.connection.watch(alive, onDeath, () => true));
  };

  /**
   * Acts on what the register shows.
   * @param {RegisterRecord} latest
   * @param {Set<string>} known the members when that read began: it says nothing of later ones (D3)
   * @param {string} [removed] the client whose record this context has removed
   */
  const heed = (latest, known, removed = '') => {
    if (!isMember()) return;
    const { log, generation, incomplete, members } = latest;
    // The register was wiped. This context will hear of that, or of another log's `begin`.
    if (log !== replica.log) return;
    if (!members[own.id()] && !incomplete) {
      context.membership.lost();
      return;
    }
    record = latest;
    if (generation < replica.generation) {
      void transact('raise', { log, generation: replica.generation + 1, incomplete: true });
      return;
    }
    duties.announce(latest);
    for (const client of removed ? concerned().add(removed) : concerned()) {
      const member = members[client];
      if (member ? member.dead : !incomplete && known.has(client)) bury(client);
      else if (member) watch(client, member.alive);
    }
    for (const client of deceased) if (replica.members.has(client)) bury(client);
    if (!incomplete) {
      // A member that has left before it came back may have been given a record by members that did not know yet.
      for (const client of gone) if (members[client] && !members[client].alive) void transact('remove', { client, alive: '' });
      gone.clear();
    }
    if (!isEldest()) return;
    for (const client in members) if (client !== own.id()) watch(client, members[client].alive);
  };

  /** @param {string} [type] of an entry to be written @param {object} [values] @param {string} [removed] whose record that removes */
  const transact = async (type, values, removed) => {
    const known = new Set(replica.members);
    // Its `join` may still be on its way. Then its `gone` stands behind that.
    if (removed) known.add(removed);
    const before = hellos;
    const latest = await context.connection.transact(type ? context.entry(type, values) : undefined);
    if (type === 'alone') duties.showsAlone(latest, before);
    heed(latest, known, removed);
    const mayBeAlone = isMember() && isAloneInLog() && showsNobodyElse(latest) && before === hellos && verified !== hellos && !cancelLook;
    if (mayBeAlone && type !== 'alone') void transact('alone', { log: replica.log, epoch: context.place.randomId() });
    beAlone();
  };

  /** Watches those whose death this context must learn of. */
  const watchConcerned = () => {
    if (!isMember() || replica.members.size < 2) return;
    let unknown = false;
    for (const client of concerned()) {
      const member = record && record.members[client];
      if (member && member.alive) watch(client, member.alive);
      else unknown = true;
    }
    if (unknown) duties.look();
  };

  /** Some time after this context has begun to wait: watches its blockers, if it still waits. */
  const reviewSoon = () => {
    if (reviewing || replica.members.size < 2 || !own.waits()) return;
    reviewing = true;
    context.connection.later(() => {
      reviewing = false;
      watchConcerned();
    }, SETTLE + replica.core.requestCount() * SETTLE_PER_REQUEST);
  };

  const tick = () => {
    const now = clock.now();
    if (context.alone) context.applyAtOnce([{ type: 'tick', now }]);
    else if (isMember()) context.post('tick', replica.log, now);
  };

  /** Time matters to the eldest, and to a context that holds or waits for anything. */
  const tickWhenDue = () => {
    cancelTick();
    const due = replica.core.nextDeadline();
    if (due === Infinity || !(isEldest() || own.busy())) return;
    const delay = Math.max(due - clock.now(), 1) + (isEldest() ? 0 : DEPUTY);
    cancelTick = context.connection.later(() => {
      tick();
      tickWhenDue();
    }, Math.min(delay, LONGEST_TIMER));
  };

  /** @param {RegisterRecord} latest */
  const showsNobodyElse = ({ log, incomplete, members }) =>
    log === replica.log && !incomplete && own.id() in members && Object.keys(members).length === 1;

  /** D7: only if the register shows nobody else, nobody has said hello since it was read, and no own message is on its way. */
  const beAlone = () => {
    if (!isMember() || verified !== hellos || context.alone || !isAloneInLog() || context.underway()) return;
    context.alone = true;
    replica.shared = false;
    context.trace('alone', true);
  };

  const isAloneInLog = () => replica.members.size === 1 && isEldest();

  const lookNoLonger = () => {
    if (cancelLook) cancelLook();
    cancelLook = undefined;
  };

  const lookIfAlone = () => {
    if (isAloneInLog()) void duties.look();
  };

  const duties = {
    /** A new connection, or another life: watches and reads belong to the old one. */
    reset() {
      watches.clear();
      record = undefined;
      reading = readAgain = reviewing = false;
      verified = -1;
      announced = 0;
      buried.clear();
      cancelTick();
      lookNoLonger();
    },

    /** How many hellos of others were delivered so far. */
    hellos: () => hellos,

    /**
     * An entry that begins a new epoch has been written: an early state from before no longer counts (D2).
     * @param {RegisterRecord} latest
     * @param {number} before hellos() when the entry was appended
     */
    showsAlone(latest, before) {
      if (showsNobodyElse(latest)) verified = before;
    },

    /** The epoch that the register has last shown; empty if it was not read yet. */
    epoch: () => record ? record.epoch : '',

    /** Reads the register, and acts on it; one read at a time. */
    async look() {
      if (reading) {
        readAgain = true;
        return;
      }
      reading = true;
      do {
        readAgain = false;
        await transact();
      } while (readAgain);
      reading = false;
    },

    /** Another context has posted something. @param {boolean} hello */
    companyHeard(hello) {
      if (context.alone) context.trace('alone', false);
      context.alone = false;
      if (!hello) return;
      hellos++;
      lookNoLonger();
      if (!isMember()) return;
      cancelLook = context.connection.later(() => {
        cancelLook = undefined;
        lookIfAlone();
      }, ALONE_AGAIN);
      // A context that may join must be watched. Otherwise its death before that would keep everybody waiting.
      if (isEldest()) void duties.look();
    },

    /**
     * The client's record was removed while nobody was current who could post its `gone`.
     * @param {RegisterRecord} latest
     * @param {string} client
     */
    removed({ log, incomplete, members }, client) {
      if (log === replica.log && (members[client] ? members[client].dead : !incomplete)) deceased.add(client);
    },

    /** Looks again after a time in which this context did not act on the register. */
    lookAnew() {
      announced = 0;
      buried.clear();
      void duties.look();
    },

    /** @param {string} client */
    joined(client) {
      if (isEldest() || client === own.id()) void duties.look();
    },

    /** @param {string} client */
    departed(client) {
      buried.delete(client);
      deceased.delete(client);
      gone.add(client);
      watchConcerned();
      if (isEldest() || (record && record.members[client])) void duties.look();
    },

    /** Tells everybody that the register was written anew, once. @param {RegisterRecord} latest */
    announce({ log, generation, incomplete }) {
      if (!incomplete || announced >= generation) return;
      announced = generation;
      context.post('anew', log, generation);
    },

    /** A member has come back after a wipe. @param {string} client */
    returned(client) {
      if (isMember() && concerned().has(client)) void duties.look();
    },

    /** This context's own `anew` was delivered, so everybody knows. @param {number} generation */
    complete(generation) {
      const known = [...replica.members].filter((client) => !deceased.has(client));
      if (isMember()) void transact('complete', { log: replica.log, generation, known });
    },

    /** Something has been applied. */
    applied() {
      tickWhenDue();
      reviewSoon();
      beAlone();
    },
  };
  return duties;
};
