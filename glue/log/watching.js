import { blockersOf } from './blockers.js';

/** How many milliseconds a context waits for a lock before it watches its blockers; and how many more for each request in the state. */
const SETTLE = 20;
const SETTLE_PER_REQUEST = 0.01;

/**
 * Whom a member watches (D4): the eldest watches all, the others watch the eldest, and every member watches those for which it waits.
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @param {import('./log.js').Context} context
 * @param {object} duties
 * @param {() => RegisterRecord | undefined} duties.shown the register as it was read last; its alive names may be old
 * @param {() => void} duties.look reads it
 * @param {(client: string, alive: string) => void} duties.onDeath
 * @param {(client: string) => void} duties.ask asks whether a client that nobody can watch has ended
 */
export const createWatching = (context, { shown, look, onDeath, ask }) => {
  const { replica, own } = context;
  /** The alive names that the current connection watches. @type {Set<string>} */
  const watched = new Set();
  /** Own if-available requests that were refused since the last review. @type {any[]} */
  let refused = [];
  let reviewing = false;

  /** Whether this context waits for a lock, or has just been refused one. */
  const wants = () => refused.length || own.waits();

  /** @param {string} client @param {string} alive */
  const watch = (client, alive) => {
    if (client === own.id() || watched.has(alive)) return;
    if (!alive) {
      ask(client);
      return;
    }
    watched.add(alive);
    context.connection.watch(alive, () => {
      watched.delete(alive);
      onDeath(client, alive);
    }, () => true);
  };

  const watching = {
    /** A new connection, or another life: watches belong to the old one. */
    reset() {
      watched.clear();
      reviewing = false;
    },

    isEldest: () => replica.eldest() === own.id(),

    /** The clients whose death this context must learn of. */
    concerned() {
      const clients = watching.isEldest() ? new Set(replica.members) : new Set([replica.eldest()]);
      if (wants()) {
        const state = replica.state();
        // Out of memory, any member may be a blocker.
        const blockers = state ? blockersOf({ ...state, pending: [...state.pending, ...refused] }, own.id()) : replica.members;
        blockers.forEach((client) => clients.add(client));
      }
      clients.delete(own.id());
      return clients;
    },

    /** @param {RegisterRecord} record @param {Iterable<string>} clients */
    watchAll({ members }, clients) {
      for (const client of clients) if (members[client]) watch(client, members[client].alive);
    },

    /** Watches those whose death this context must learn of. */
    watchConcerned() {
      if (!context.mayAct()) return;
      const record = shown();
      let unknown = false;
      for (const client of watching.concerned()) {
        const member = record && record.members[client];
        if (member && member.alive) watch(client, member.alive);
        else unknown = true;
      }
      if (unknown) look();
    },

    /** Watches this context's blockers some time after it has begun to wait, if it still waits, or was refused. */
    reviewSoon() {
      if (reviewing || replica.members.size < 2 || !wants()) return;
      reviewing = true;
      context.connection.later(() => {
        reviewing = false;
        watching.watchConcerned();
        refused = [];
      }, SETTLE + replica.core.requestCount() * SETTLE_PER_REQUEST);
    },

    /** @param {any} request an if-available request of this context */
    refused(request) {
      refused.push(request);
    },
  };
  return watching;
};
