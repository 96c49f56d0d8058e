import { createAlone } from './alone.js';
import { createDeaths } from './deaths.js';
import { createLosses } from './losses.js';
import { generationAbove } from './register.js';
import { createTime } from './time.js';
import { createUnwatched } from './unwatched.js';
import { createWatching } from './watching.js';

/** How long a context waits before it reads the register if it need not know at once who is in it, in milliseconds. */
const LATER = 2000;

/**
 * What a member does for the log besides its own requests: it looks after deaths (D3, D4), cleared data (D11) and time (D5), and knows
 * whether it is alone (D7). The eldest member does most of it. But any member may do any of it, late or twice.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 * @typedef {ReturnType<typeof createDuties>} Duties
 *
 * @param {import('./log.js').Context} context
 */
export const createDuties = (context) => {
  const { replica, own } = context;
  /** The register as it was read last; its alive names may be old. @type {RegisterRecord | undefined} */
  let record;
  let reading = false;
  let readAgain = false;
  let looksLater = false;
  /** The register whose `anew` this context has posted: its generation and epoch. @type {[generation: number, epoch: string]} */
  let announced = [0, ''];
  const alone = createAlone(context, () => void duties.look());
  const time = createTime(context);
  const deaths = createDeaths(context);
  const losses = createLosses(context);
  const unwatched = createUnwatched(context, (client) => void transact('remove', { client, alive: '' }, client));
  const watching = createWatching(context, {
    shown: () => record,
    look: () => void duties.look(),
    onDeath: (client, alive) => void transact('remove', { client, alive }, client),
    ask: unwatched.ask,
  });

  /**
   * Whether a replica may list locks of that client. While this context is in doubt, the death of a client that never had state need not
   * keep it here (R15).
   * @param {string} client
   */
  const mayHold = (client) => replica.current || context.membership.hasSpoken(client)
    || (!!record && client in record.members && record.members[client].stateful);

  /**
   * Reads the register later, to learn the alive names of all members (./unwatched.js). The eldest may end together with a member whose
   * name only the eldest has read.
   */
  const lookLater = () => {
    if (looksLater) return;
    looksLater = true;
    context.connection.later(() => {
      looksLater = false;
      void duties.look();
    }, LATER);
  };

  /**
   * Acts on what the register shows.
   * @param {RegisterRecord} latest
   * @param {{known: Set<string>, dead: string[], reached: number}} then see ./deaths.js
   * @param {string} [removed] the client whose record this context has removed
   */
  const heed = (latest, then, removed = '') => {
    const { log, generation, incomplete, members } = latest;
    if (!replica.stateful) return;
    if (!replica.current) context.membership.registerRead(latest);
    // The register was wiped. The loss of the connection, or another log's `begin`, will tell this context what to do.
    if (log !== replica.log) return;
    if (unwatched.read(latest)) lookLater();
    deaths.read(latest, then);
    if (!context.mayAct()) {
      // Needed by isNeeded(): whether others need this context does not depend on whether it may act (R15).
      record = latest;
      if (!replica.current) watching.watchAll(latest, Object.keys(members));
      return;
    }
    if (!members[own.id()] && !incomplete) {
      context.membership.lost();
      return;
    }
    record = latest;
    if (generation < replica.generation) {
      // If the log's generation has grown since that read began, the read says nothing about it.
      if (generation < then.reached) void transact('raise', { log, generation: generationAbove(replica.generation), incomplete: true });
      else void duties.look();
      return;
    }
    duties.announce(latest);
    watching.watchAll(latest, watching.isEldest() ? Object.keys(members) : watching.concerned());
    const names = incomplete ? {} : unwatched.unrecalled(latest);
    if (Object.keys(names).length) void transact('recall', { names });
    for (const client of deaths.tell(removed)) {
      // The client left before it came back, and members that did not know that yet have given it a record.
      if (!incomplete && members[client] && !members[client].alive) void transact('remove', { client, alive: '' });
    }
  };

  /**
   * Reads the register, and acts on it.
   * @param {string} [type] of a change to append
   * @param {object} [values]
   * @param {string} [removed] the client whose record that removes
   */
  const transact = async (type, values, removed) => {
    const then = { known: new Set(replica.members), dead: deaths.clients(), reached: replica.generation };
    if (removed && mayHold(removed)) then.known.add(removed);
    const hellos = alone.hellos();
    const latest = await context.connection.transact(type ? context.change(type, values) : undefined);
    if (type === 'alone') alone.epochBegun(latest, hellos);
    heed(latest, then, removed);
    context.hiding.informed();
    if (alone.mayBeginEpoch(latest, hellos)) {
      void transact('alone', { log: replica.log, epoch: context.place.randomId() });
    }
    alone.check();
  };

  const duties = {
    /** A new connection, or another life: watches and reads belong to the old one. */
    reset() {
      watching.reset();
      unwatched.reset();
      record = undefined;
      reading = readAgain = looksLater = false;
      alone.reset();
      time.reset();
    },

    /** This life ends. A later state may still list its client: its last messages may be lost with the store (D11). */
    endLife() {
      unwatched.forget();
      if (replica.stateful) deaths.delivered(own.id(), true);
    },

    hellos: alone.hellos,
    epochBegun: alone.epochBegun,

    /** The epoch in the register when it was read last; empty if it has not been read yet. */
    epoch: () => record ? record.epoch : '',

    /**
     * Whether another member's lock may depend on this context. After data was cleared, nobody can watch a holder that has not come back to
     * the register yet. If only such holders are left, a newcomer that hears nobody begins a fresh log (D11). The same goes for members
     * whose connections the browser has closed and that have not come back yet.
     */
    isNeeded() {
      if (!record || record.incomplete || context.connection.cautiousUntil() > context.place.now()) return true;
      const { members } = record;
      // Maybe nobody else knows of that death, and the dead client's locks must be released.
      if (deaths.areToBeTold()) return true;
      // In doubt, this context may have missed who waits.
      if (!replica.current) return Object.values(members).some(({ alive }) => !alive);
      const state = replica.state();
      // A waiter counts, too: it may be granted a lock that this context has just released.
      return !state || [...state.held, ...state.pending].some(({ client }) => members[client] && !members[client].alive);
    },

    /** Reads the register, and acts on it; one read at a time. */
    async look() {
      // The register still lacks this context's record. belong() looks as soon as it has one.
      if (context.membership.isReturning()) return;
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
      // A context that is about to join must be watched. If it died without being watched, everybody would wait for it.
      if (hello && context.mayAct() && watching.isEldest()) void duties.look();
    },

    /** Reads the register after a time in which this context did not act on it. */
    lookAnew() {
      announced = [0, ''];
      deaths.forgetPosted();
      void duties.look();
    },

    /** @param {string} client */
    joined(client) {
      if (watching.isEldest() || client === own.id()) void duties.look();
      else lookLater();
    },

    /** A `gone` was delivered. This context may be in doubt, and miss it later. @param {string} from @param {string} client */
    departureHeard(from, client) {
      if (client !== own.id()) deaths.delivered(client, from === client);
    },

    /** Whether this context knows that the client is dead. @param {string} client */
    isBuried: deaths.has,

    /** A `gone` was applied. @param {string} client */
    departed(client) {
      watching.watchConcerned();
      if (watching.isEldest() || (record && record.members[client])) void duties.look();
    },

    /**
     * Tells everybody, once, that the register was written anew, or that its generation is above the log's: a member may have raised it and
     * then not gone on (D10).
     * @param {RegisterRecord} latest
     */
    announce({ log, generation, epoch, incomplete }) {
      if ((!incomplete && generation <= replica.generation) || (announced[0] >= generation && announced[1] === epoch)) return;
      announced = [generation, epoch];
      context.post('anew', log, generation, epoch);
    },

    /** A member has come back after a wipe. @param {string} client */
    returned(client) {
      // It may only have seemed dead, or it may have died since. The register shows which.
      if (replica.stateful && (!replica.current || watching.concerned().has(client))) void duties.look();
    },

    /** This context's own `anew` was delivered, so everybody knows. @param {number} generation @param {string} epoch */
    complete(generation, epoch) {
      const known = [...replica.members].filter((client) => !deaths.has(client));
      if (context.mayAct()) void transact('complete', { log: replica.log, generation, epoch, known });
    },

    /** An if-available request of this context was refused. */
    refused: watching.refused,

    /** Something has been applied. */
    applied() {
      time.check();
      watching.reviewSoon();
      losses.check();
      alone.check();
    },
  };
  return duties;
};
