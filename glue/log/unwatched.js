import { formerNameOf, isForgotten } from './register.js';

/** How soon this context asks whether such a member has ended, in milliseconds. It asks again after twice as long, and so on. */
const FIRST = 500;
/** The longest pause between two such questions. */
const LONGEST = 8000;

/**
 * Members that nobody can watch: data was cleared, and they have not come back to the register since (D11). Some places can tell whether
 * the context that once had an alive name has ended.
 *
 * @param {import('./log.js').Context} context
 * @param {(client: string) => void} onEnd such a member has ended
 */
export const createUnwatched = (context, onEnd) => {
  const { place, replica } = context;
  /**
   * The last alive name that the register has shown of each client, and the name that this context had then. Whatever the browser has lost
   * since then of the one, it has lost of the other, too. That does not count for a name that somebody else has remembered ([recalled]),
   * until that has shown a life once.
   * @typedef {{alive: string, own: string, recalled: boolean}} Known
   * @type {Map<string, Known>}
   */
  const names = new Map();
  /** The clients that the present connection asks for. @type {Set<string>} */
  const awaited = new Set();

  /** @param {string} client @param {string} alive @param {boolean} recalled */
  const learn = (client, alive, recalled) => {
    const known = { alive, own: context.connection.alive, recalled };
    names.set(client, known);
    // At once: it may end before this context has to know.
    if (recalled) void check(known);
  };

  /** @param {Known} known */
  const check = async (known) => {
    // Another question may have been answered meanwhile: what has shown a life once has done so.
    if (await place.isLiving(known.alive)) known.recalled = false;
  };

  /** @param {Known} known */
  const hasEnded = async (known) => {
    if (!known.recalled) return place.hasEnded(known.alive, known.own);
    await check(known);
    return false;
  };

  /** @param {string} client @param {Known} known @param {number} pause */
  const askAfter = (client, known, pause) => {
    const { connection } = context;
    connection.later(async () => {
      const ended = await hasEnded(known);
      if (connection !== context.connection) return;
      if (!ended && names.get(client) === known && replica.members.has(client)) askAfter(client, known, Math.min(2 * pause, LONGEST));
      else awaited.delete(client);
      if (ended) onEnd(client);
    }, pause);
  };

  return {
    /** A new connection. */
    reset: () => awaited.clear(),

    /** Another life. */
    forget: () => names.clear(),

    /** @param {import('./register.js').RegisterRecord} record @returns {boolean} whether it must be read again for a name in doubt */
    read({ members, incomplete }) {
      let isInDoubt = false;
      for (const [client, member] of Object.entries(members)) {
        const known = names.get(client);
        const { alive } = member;
        const former = formerNameOf(member);
        if (!alive) {
          if (former && !known) learn(client, former, true);
        } else if (!known || known.alive !== alive) {
          if (context.connection.mayBeLost(alive)) isInDoubt = true;
          else learn(client, alive, false);
        }
      }
      for (const client of names.keys()) {
        // Until the register is complete, or in doubt, a member may be missing.
        if (!incomplete && replica.current && !(client in members) && !replica.members.has(client)) names.delete(client);
      }
      return isInDoubt;
    },

    /**
     * The names that the register lacks, and others may not know.
     * @param {import('./register.js').RegisterRecord} record
     * @returns {Record<string, string>} by their clients
     */
    unrecalled: ({ members }) => Object.assign({}, ...Object.entries(members).map(([client, member]) => {
      const known = isForgotten(member) && names.get(client);
      return known && { [client]: known.alive };
    })),

    /** The register shows no alive name for it. @param {string} client */
    ask(client) {
      const known = names.get(client);
      if (!known || awaited.has(client)) return;
      awaited.add(client);
      askAfter(client, known, FIRST);
    },
  };
};
