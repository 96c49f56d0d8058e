import { blockersOf } from './blockers.js';
import { LONGEST_TIMER } from './clock.js';

/** How long a context waits, after somebody said hello, before it looks whether it is alone after all. */
const ALONE_AGAIN = 2000;
/** Whoever has waited for a lock for so long watches those it waits for; and so much longer for each request that there is. */
const SETTLE = 20;
const SETTLE_PER_REQUEST = 0.01;
/** Whoever is not the eldest acts so much later when time is due, in case the eldest is asleep. */
const DEPUTY = 200;

/**
 * What a member does for the log besides its own requests: it looks after deaths (D3, D4), time (D5), wipes (D11), and knows whether it
 * is alone (D7). Most of it is the eldest's; but whatever is done here may be done by anybody, late or twice.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createDuties>} Duties
 *
 * @param {import('./log.js').Context} context
 */
export const createDuties = (context) => {
  const { replica, own, clock } = context;
  /** The last that was read; its alive names may be old ones. @type {RegisterRecord | undefined} */
  let record;
  /** Watches of the present connection, by alive name. @type {Map<string, () => void>} */
  const watches = new Map();
  /** Members whose `gone` was posted, and not delivered yet. @type {Set<string>} */
  const buried = new Set();
  /** Members that are known to be dead, though the register may forget it; their `gone` was not delivered yet. @type {Set<string>} */
  const deceased = new Set();
  /** Whose `gone` was delivered since the register was last seen to be complete. @type {Set<string>} */
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
  /** There while this context is going to look whether it is alone after all. @type {(() => void) | undefined} */
  let cancelLook;

  const isMember = () => context.phase === 'member' && replica.current && !context.suspended;
  const isEldest = () => replica.eldest() === own.id();

  /** Whose death this context must learn of. */
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
    watches.set(alive, context.connection.watch(alive, onDeath, true));
  };

  /**
   * What the register shows.
   * @param {RegisterRecord} latest
   * @param {Set<string>} known the members when that read began: of a later one it says nothing (D3)
   * @param {string} [removed] whose record this context has removed
   */
  const heed = (latest, known, removed = '') => {
    if (!isMember()) return;
    const { log, generation, incomplete, members } = latest;
    // It was wiped: this context is going to hear of that, or of another log's `begin`.
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
      // Whoever leaves before it has come back is given a record by those who do not know yet.
      for (const client of gone) if (members[client] && !members[client].alive) void transact('remove', { client, alive: '' });
      gone.clear();
    }
    if (!isEldest()) return;
    for (const client in members) if (client !== own.id()) watch(client, members[client].alive);
  };

  /** @param {string} [type] of an entry to be written @param {object} [values] @param {string} [removed] whose record that removes */
  const transact = async (type, values, removed) => {
    const known = new Set(replica.members);
    // Its join may be on the way still: then its `gone` stands behind it.
    if (removed) known.add(removed);
    const before = hellos;
    const latest = await context.connection.transact(type ? context.entry(type, values) : undefined);
    if (type === 'alone') duties.showsAlone(latest, before);
    heed(latest, known, removed);
    const mayBeAlone = isMember() && isAloneInLog() && showsNobodyElse(latest) && before === hellos && verified !== hellos && !cancelLook;
    if (mayBeAlone && type !== 'alone') void transact('alone', { log: replica.log, epoch: context.place.randomId() });
    beAlone();
  };

  /** Looks whom this context has to watch. */
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

  /** Some time after this context has begun to wait, where it still does. */
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

  /** Time matters to the eldest, and to whoever holds or waits for anything. */
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

  /** D7: only where the register shows nobody else, nobody has said hello since that was read, and nothing of one's own is on its way. */
  const beAlone = () => {
    if (!isMember() || verified !== hellos || context.alone || !isAloneInLog() || context.underway()) return;
    context.alone = true;
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
    /** A new connection, or another life: what was watched and under way belongs to the old one. */
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

    /** How many have said hello so far. */
    hellos: () => hellos,

    /**
     * An entry that would make a state from before an old one has been written.
     * @param {RegisterRecord} latest
     * @param {number} before how many hellos there had been when that was asked for
     */
    showsAlone(latest, before) {
      if (showsNobodyElse(latest)) verified = before;
    },

    /** The one that the register has last shown; empty where it was not read yet. */
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

    /** Somebody else has posted something. @param {boolean} hello */
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
      // Who may join must be watched, or its death before that would keep everybody waiting.
      if (isEldest()) void duties.look();
    },

    /**
     * Its record has been removed, where nobody is current who could post its `gone`.
     * @param {RegisterRecord} latest
     * @param {string} client
     */
    removed({ log, incomplete, members }, client) {
      if (log === replica.log && (members[client] ? members[client].dead : !incomplete)) deceased.add(client);
    },

    /** Looks again after a time in which nothing was acted upon. */
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

    /** Tells everybody that the register was written anew. @param {RegisterRecord} latest */
    announce({ log, generation, incomplete }) {
      if (!incomplete || announced >= generation) return;
      announced = generation;
      context.post('anew', log, generation);
    },

    /** A member has come back after a wipe. @param {string} client */
    returned(client) {
      if (isMember() && concerned().has(client)) void duties.look();
    },

    /** The register was written anew, and everybody has been told. @param {number} generation that this context has announced */
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
