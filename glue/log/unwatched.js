import { formerNameOf, isForgotten } from './register.js';

/** How soon this context asks whether such a member has ended, in milliseconds. Each further pause is twice as long. */
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
   * The last alive name of each client in the register, and the name that this context had then. If the browser has lost one of the two
   * since, it has lost the other, too. A name that another member has recalled may have been lost earlier, so it does not count until it
   * has shown a life once ([recalled] is false then).
   * @typedef {{alive: string, own: string, recalled: boolean}} Known
   * @type {Map<string, Known>}
   */
  const names = new Map();
  /** The clients about which the current connection asks. @type {Set<string>} */
  const awaited = new Set();

  /** @param {string} client @param {string} alive @param {boolean} recalled */
  const learn = (client, alive, recalled) => {
    const known = { alive, own: context.connection.alive, recalled };
    names.set(client, known);
    // Ask at once: the client may end before this context has to know.
    if (recalled) void check(known);
  };

  /** @param {Known} known */
  const check = async (known) => {
    // Never set it back to true: another check may have seen the life meanwhile.
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
        // While the register is incomplete or this context is in doubt, a member may be missing.
        if (!incomplete && replica.current && !(client in members) && !replica.members.has(client)) names.delete(client);
      }
      return isInDoubt;
    },

    /**
     * The names that the register lacks and other members may not know.
     * @param {import('./register.js').RegisterRecord} record
     * @returns {Record<string, string>} by client
     */
    unrecalled: ({ members }) => Object.assign({}, ...Object.entries(members).map(([client, member]) => {
      const known = isForgotten(member) && names.get(client);
      return known && { [client]: known.alive };
    })),

    /** The register shows no alive name of that client. @param {string} client */
    ask(client) {
      const known = names.get(client);
      if (!known || awaited.has(client)) return;
      awaited.add(client);
      askAfter(client, known, FIRST);
    },
  };
};
