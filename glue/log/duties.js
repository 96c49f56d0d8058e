import { createAlone } from './alone.js';
import { createDeaths } from './deaths.js';
import { createLosses } from './losses.js';
import { createTime } from './time.js';
import { createUnwatched } from './unwatched.js';
import { createWatching } from './watching.js';

/** How much later a context reads the register that need not know at once who is in it, in milliseconds. */
const LATER = 2000;

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
  let reading = false;
  let readAgain = false;
  let looksLater = false;
  /** The generation whose `anew` this context has posted. */
  let announced = 0;
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
   * Whether somebody's copy may show what it holds. In doubt, the death of one that has only asked need not keep this context here (R15).
   * @param {string} client
   */
  const mayHold = (client) => replica.current || context.membership.hasSpoken(client)
    || (!!record && client in record.members && record.members[client].stateful);

  /**
   * So that this context knows the alive names of all members (./unwatched.js): the eldest may end together with one whose name it alone
   * has read.
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
    // The register was wiped. This context will hear of that, or of another log's `begin`.
    if (log !== replica.log) return;
    if (unwatched.read(latest)) lookLater();
    deaths.read(latest, then);
    if (!context.mayAct()) {
      // Which contexts need this one does not depend on whether it acts (R15).
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
      // If the log has gone on since that read began, the read says nothing of it.
      if (generation < then.reached) void transact('raise', { log, generation: replica.generation + 1, incomplete: true });
      else void duties.look();
      return;
    }
    duties.announce(latest);
    watching.watchAll(latest, watching.isEldest() ? Object.keys(members) : watching.concerned());
    const names = incomplete ? {} : unwatched.unrecalled(latest);
    if (Object.keys(names).length) void transact('recall', { names });
    for (const client of deaths.tell(removed)) {
      // It has left before it came back, and members that did not know yet have given it a record.
      if (!incomplete && members[client] && !members[client].alive) void transact('remove', { client, alive: '' });
    }
  };

  /**
   * Reads the register, and acts on it.
   * @param {string} [type] of a change to be written
   * @param {object} [values]
   * @param {string} [removed] whose record that removes
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
      announced = 0;
      deaths.forgetPosted();
      alone.reset();
      time.reset();
    },

    /** This life ends. A state may still list its client: what that has posted last may be lost with the store (D11). */
    endLife() {
      unwatched.forget();
      if (replica.stateful) deaths.delivered(own.id(), true);
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
      // Nobody else may know of that death, and what the dead one held must be released.
      if (deaths.areToBeTold()) return true;
      // It may have missed who waits.
      if (!replica.current) return Object.values(members).some(({ alive }) => !alive);
      const state = replica.state();
      // A context that waits may be granted what this one has just released.
      return !state || [...state.held, ...state.pending].some(({ client }) => members[client] && !members[client].alive);
    },

    /** Reads the register, and acts on it; one read at a time. */
    async look() {
      // The register still lacks this context's record. When it has one, this context looks.
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
      // A context that may join must be watched. Otherwise its death before that would keep everybody waiting.
      if (hello && context.mayAct() && watching.isEldest()) void duties.look();
    },

    /** Looks again after a time in which this context did not act on the register. */
    lookAnew() {
      announced = 0;
      deaths.forgetPosted();
      void duties.look();
    },

    /** @param {string} client */
    joined(client) {
      if (watching.isEldest() || client === own.id()) void duties.look();
      else lookLater();
    },

    /** A `gone` was delivered, maybe to a context in doubt, which may miss it yet. @param {string} from @param {string} client */
    departureHeard(from, client) {
      if (client !== own.id()) deaths.delivered(client, from === client);
    },

    /** A `gone` was applied. @param {string} client */
    departed(client) {
      watching.watchConcerned();
      if (watching.isEldest() || (record && record.members[client])) void duties.look();
    },

    /** Tells everybody that the register was written anew, once. @param {RegisterRecord} latest */
    announce({ log, generation, incomplete }) {
      if (!incomplete || announced >= generation) return;
      announced = generation;
      context.post('anew', log, generation);
    },

    /** A member has come back after a wipe. @param {string} client */
    returned(client) {
      // It may have seemed dead. Or it has died since: the register tells.
      if (replica.stateful && (!replica.current || watching.concerned().has(client))) void duties.look();
    },

    /** This context's own `anew` was delivered, so everybody knows. @param {number} generation */
    complete(generation) {
      const known = [...replica.members].filter((client) => !deaths.has(client));
      if (context.mayAct()) void transact('complete', { log: replica.log, generation, known });
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
