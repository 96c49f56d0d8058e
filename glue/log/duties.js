import { createAlone } from './alone.js';
import { blockersOf } from './blockers.js';
import { createTime } from './time.js';

/** So many deaths a context remembers. */
const REMEMBERED = 100;
/** How long a context waits for a lock before it watches its blockers, in milliseconds; and how much longer for each request. */
const SETTLE = 20;
const SETTLE_PER_REQUEST = 0.01;

/**
 * What a member does for the log besides its own requests: it looks after deaths (D3, D4), cleared data (D11) and time (D5), and knows
 * whether it is alone (D7). The eldest does most of it. But anybody may do anything here, late or twice.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createDuties>} Duties
 *
 * @param {import('./log.js').Context} context
 */
export const createDuties = (context) => {
  const { replica, own } = context;
  /** The record that was read last; its alive names may be old. @type {RegisterRecord | undefined} */
  let record;
  /** The alive names that the present connection watched. @type {Set<string>} */
  const watched = new Set();
  /**
   * Clients that act no more. known: its `gone` is still to be posted, whatever becomes of the register. posted: by this connection.
   * delivered: it stays dead, even if the log goes on from a state that lists it.
   * @type {Map<string, 'known' | 'posted' | 'delivered'>}
   */
  const deaths = new Map();
  /** Own if-available requests that were refused since the last review. @type {any[]} */
  let refused = [];
  let reading = false;
  let readAgain = false;
  let reviewing = false;
  /** The generation whose `anew` this context has posted. */
  let announced = 0;
  const alone = createAlone(context, () => void duties.look());
  const time = createTime(context);

  const isEldest = () => replica.eldest() === own.id();

  /** Whether this context waits for a lock, or has just been refused one. */
  const wants = () => refused.length || own.waits();

  /** The clients whose death this context must learn of. */
  const concerned = () => {
    const clients = isEldest() ? new Set(replica.members) : new Set([replica.eldest()]);
    if (wants()) {
      const { held, pending } = replica.core.state();
      blockersOf({ held, pending: [...pending, ...refused] }, own.id()).forEach((client) => clients.add(client));
    }
    clients.delete(own.id());
    return clients;
  };

  /** @param {string} client */
  const bury = (client) => {
    if (deaths.get(client) === 'posted') return;
    deaths.set(client, 'posted');
    context.sending.gone(client);
  };

  /** What was posted may have been lost. */
  const forgetPosted = () => deaths.forEach((death, client) => death === 'posted' && deaths.set(client, 'known'));

  /** @param {string} client @param {string} alive */
  const watch = (client, alive) => {
    if (!alive || watched.has(alive)) return;
    watched.add(alive);
    context.connection.watch(alive, () => {
      watched.delete(alive);
      void transact('remove', { client, alive }, client);
    }, () => true);
  };

  /** @param {RegisterRecord['members']} members */
  const watchAll = (members) => {
    for (const client in members) if (client !== own.id()) watch(client, members[client].alive);
  };

  /**
   * A context that does not act posts no `gone`. When it acts again, data may have been cleared, and the register shows no death then.
   * @param {RegisterRecord} latest
   * @param {Set<string>} known see heed()
   */
  const remember = ({ incomplete, members }, known) => {
    for (const client of known) {
      const isDead = members[client] ? members[client].dead : !incomplete;
      if (isDead && client !== own.id() && !deaths.has(client)) deaths.set(client, 'known');
    }
  };

  /**
   * Acts on what the register shows.
   * @param {RegisterRecord} latest
   * @param {Set<string>} known the members when that read began: it says nothing of later ones (D3)
   * @param {number} reached the log's generation then
   * @param {string} [removed] the client whose record this context has removed
   */
  const heed = (latest, known, reached, removed = '') => {
    const { log, generation, incomplete, members } = latest;
    if (!replica.stateful) return;
    if (!replica.current) context.membership.registerRead(latest);
    // The register was wiped. This context will hear of that, or of another log's `begin`.
    if (log !== replica.log) return;
    if (!context.mayAct()) {
      // Who needs this context does not depend on whether it acts (R15).
      record = latest;
      if (generation >= reached) remember(latest, known);
      if (!replica.current) watchAll(members);
      return;
    }
    if (!members[own.id()] && !incomplete) {
      context.membership.lost();
      return;
    }
    record = latest;
    if (generation < replica.generation) {
      // If the log has gone on since that read began, the read says nothing of it.
      if (generation < reached) void transact('raise', { log, generation: replica.generation + 1, incomplete: true });
      else void duties.look();
      return;
    }
    duties.announce(latest);
    for (const client of removed ? concerned().add(removed) : concerned()) {
      const member = members[client];
      if (member ? member.dead : !incomplete && known.has(client)) bury(client);
      else if (member) watch(client, member.alive);
    }
    for (const [client, death] of deaths) {
      const member = members[client];
      if (death !== 'posted' && replica.members.has(client)) {
        // A state from before its `gone` lists it again (D10). If it has come back, it had only seemed dead, and can be watched again.
        if (member && member.alive) deaths.delete(client);
        else bury(client);
      } else if (death === 'delivered' && !incomplete && member && !member.alive) {
        // It has left before it came back, and members that did not know yet have given it a record.
        void transact('remove', { client, alive: '' });
      }
    }
    if (isEldest()) watchAll(members);
  };

  /**
   * Reads the register, and acts on it.
   * @param {string} [type] of a change to be written
   * @param {object} [values]
   * @param {string} [removed] whose record that removes
   */
  const transact = async (type, values, removed) => {
    const known = new Set(replica.members);
    // Its `join` may still be on its way. Then its `gone` stands behind that.
    if (removed) known.add(removed);
    const before = alone.hellos();
    const reached = replica.generation;
    const latest = await context.connection.transact(type ? context.change(type, values) : undefined);
    if (type === 'alone') alone.epochBegun(latest, before);
    heed(latest, known, reached, removed);
    context.hiding.informed();
    if (type !== 'alone' && alone.isNear(latest, before)) void transact('alone', { log: replica.log, epoch: context.place.randomId() });
    alone.check();
  };

  /** Watches those whose death this context must learn of. */
  const watchConcerned = () => {
    if (!context.mayAct() || replica.members.size < 2) return;
    let unknown = false;
    for (const client of concerned()) {
      const member = record && record.members[client];
      if (member && member.alive) watch(client, member.alive);
      else unknown = true;
    }
    if (unknown) duties.look();
  };

  /** Some time after this context has begun to wait, or was refused: watches its blockers, if it still waits. */
  const reviewSoon = () => {
    if (reviewing || replica.members.size < 2 || !wants()) return;
    reviewing = true;
    context.connection.later(() => {
      reviewing = false;
      watchConcerned();
      refused = [];
    }, SETTLE + replica.core.requestCount() * SETTLE_PER_REQUEST);
  };

  const duties = {
    /** A new connection, or another life: watches and reads belong to the old one. */
    reset() {
      watched.clear();
      record = undefined;
      reading = readAgain = reviewing = false;
      announced = 0;
      forgetPosted();
      alone.reset();
      time.reset();
    },

    hellos: alone.hellos,
    epochBegun: alone.epochBegun,

    /** The epoch that the register has last shown; empty if it was not read yet. */
    epoch: () => record ? record.epoch : '',

    /**
     * Whether another member's lock may depend on this one. After data was cleared the register has nothing by which to watch a holder that
     * has not come back yet. If only such a one is left, a newcomer that hears nobody begins a fresh log (D11). It does so, too, while
     * others have not come back whose connections the browser has closed.
     */
    isNeeded() {
      if (!record || record.incomplete || context.connection.cautiousUntil() > context.place.now()) return true;
      const { members } = record;
      // It may have missed who waits.
      if (!replica.current) return Object.values(members).some(({ alive }) => !alive);
      const { held, pending } = replica.core.state();
      // Whoever waits may be granted what this context has just released.
      return [...held, ...pending].some(({ client }) => members[client] && !members[client].alive);
    },

    /** Reads the register, and acts on it; one read at a time. */
    async look() {
      readAgain = reading;
      if (reading) return;
      reading = true;
      do {
        readAgain = false;
        await transact();
      } while (readAgain);
      reading = false;
    },

    /** Another context has posted something. @param {boolean} hello */
    companyHeard(hello) {
      alone.companyHeard(hello);
      // A context that may join must be watched. Otherwise its death before that would keep everybody waiting.
      if (hello && context.mayAct() && isEldest()) void duties.look();
    },

    /** Looks again after a time in which this context did not act on the register. */
    lookAnew() {
      announced = 0;
      forgetPosted();
      void duties.look();
    },

    /** @param {string} client */
    joined(client) {
      if (isEldest() || client === own.id()) void duties.look();
    },

    /** @param {string} client */
    departed(client) {
      deaths.set(client, 'delivered');
      if (deaths.size > REMEMBERED) deaths.delete([...deaths.keys()][0]);
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
      if (context.mayAct() && concerned().has(client)) void duties.look();
    },

    /** This context's own `anew` was delivered, so everybody knows. @param {number} generation */
    complete(generation) {
      const known = [...replica.members].filter((client) => !deaths.has(client));
      if (context.mayAct()) void transact('complete', { log: replica.log, generation, known });
    },

    /** @param {any} request if available, of this context */
    refused(request) {
      refused.push(request);
    },

    /** Something has been applied. */
    applied() {
      time.check();
      reviewSoon();
      alone.check();
    },
  };
  return duties;
};
