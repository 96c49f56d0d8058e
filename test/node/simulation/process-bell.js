/**
 * What processes hear of each other, simulated: messages over connections, in order, which are lost with their connection; and the kernel,
 * which tells of files that were touched or written. A context that stops right after it has written says nothing until it goes on.
 */
import { createUnderway } from './underway.js';

/** @typedef {import('../../../glue/platform/node/bell.js').Ears} Ears */

/** @param {import('./simulation.js').NodeSimulation} simulation */
export const createProcessBells = (simulation) => {
  const { world } = simulation;
  const underway = createUnderway(world);
  /** @type {Map<string, {context: any, ears: Ears}>} by client */
  const ends = new Map();
  /** Connections by the two clients' names: how often each was opened anew, and until when it is busy. @type {Map<string, any>} */
  const pairs = new Map();
  /** @type {Set<any>} contexts that hear when the first file is touched */
  const heeding = new Set();
  /** @type {Set<any>} contexts that hear of every entry */
  const attending = new Set();

  /** @param {string} one @param {string} other */
  const pairOf = (one, other) => {
    const key = [one, other].sort().join(' ');
    const pair = pairs.get(key) || { clients: [one, other], epoch: 0, until: 0 };
    pairs.set(key, pair);
    return pair;
  };

  /** @param {any} context @param {() => void} send */
  const bySender = (context, send) => simulation.survives(context) && simulation.bySender(context, send);

  /** @param {string} from @param {string} to @param {any} message @param {number} epoch of the connection */
  const deliver = (from, to, message, epoch) => {
    const pair = pairOf(from, to);
    const end = ends.get(to);
    if (!end || pair.epoch !== epoch) return;
    pair.until = Math.max(pair.until, world.time + world.between(0.1, 5));
    const answer = (/** @type {any} */ text) => bySender(end.context, () => deliver(to, from, text, epoch));
    underway.send(end.context, pair.until, () => pair.epoch === epoch && ends.get(to)?.ears.rung(message, answer));
  };

  /** @param {any} pair */
  const cut = (pair) => {
    // What a context said before it left is still delivered.
    if (!pair.left) pair.epoch++;
    const [one, other] = pair.clients;
    for (const [client, from] of [[one, other], [other, one]]) {
      const end = ends.get(client);
      const rest = Math.max(0, pair.until - world.time);
      if (end) world.after(end.context, rest + 0.1, rest + 5, () => ends.get(client)?.ears.cut(from));
    }
  };

  return {
    /** The journal was written to. @param {boolean} first whether to its first file */
    written(first) {
      for (const context of attending) world.after(context, 0.1, 3, () => context.ears?.stirred());
      if (first) for (const context of heeding) world.after(context, 0.1, 3, () => context.ears?.alarmed());
    },

    /** A connection ends for no reason. */
    cutAny() {
      const all = [...pairs.values()];
      if (all.length) cut(all[Math.floor(world.random() * all.length)]);
    },

    cutAll: () => pairs.forEach(cut),
    deliverNow: underway.deliverNow,

    /** @param {string} client has died or left */
    gone(client) {
      ends.delete(client);
      for (const pair of pairs.values()) if (pair.clients.includes(client)) cut(pair);
    },

    /** @param {any} context */
    died(context) {
      heeding.delete(context);
      attending.delete(context);
    },

    /** @param {any} context @returns {import('../../../glue/platform/node/bell.js').Bell} */
    bellFor(context) {
      let own = '';
      const rest = () => {
        heeding.delete(context);
        attending.delete(context);
      };
      const start = (/** @type {Set<any>} */ set) => {
        if (set.has(context)) return;
        simulation.note(context, set === attending ? 'attends' : 'heeds');
        set.add(context);
        context.ears.rung(undefined, () => {});
      };
      return {
        listen(client, ears) {
          own = client;
          context.ears = ears;
          ends.set(client, { context, ears });
        },
        ring: (client, message) => bySender(context, () => deliver(own, client, message, pairOf(own, client).epoch)),
        ringAll: () => bySender(context, () => {
          for (const each of heeding) {
            if (each !== context) underway.send(each, world.time + world.between(0.1, 3), () => each.ears?.alarmed());
          }
        }),
        stayAwake() {},
        forget() {},
        kernel: {
          heed: () => start(heeding),
          attend: () => start(attending),
          unattend: () => attending.delete(context) && simulation.note(context, 'sleeps'),
          rest,
        },
        close() {
          rest();
          ends.delete(own);
          for (const pair of pairs.values()) pair.left = pair.left || pair.clients.includes(own);
          context.ears = undefined;
        },
      };
    },
  };
};
