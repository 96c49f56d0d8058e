/** How soon this context asks whether such a member has ended, in milliseconds; then after twice as long, and so on up to the second. */
const FIRST = 500;
const LATEST = 8000;

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
   * The last alive name of each other client that the register has shown, and the name that this context had then.
   * @type {Map<string, {alive: string, own: string}>}
   */
  const names = new Map();
  /** The clients that the present connection asks for. @type {Set<string>} */
  const asked = new Set();

  /** @param {string} client @param {number} pause */
  const askAfter = (client, pause) => {
    const { connection } = context;
    const known = names.get(client);
    connection.later(async () => {
      const hasEnded = known && await place.hasEnded(known.alive, known.own);
      if (connection !== context.connection) return;
      if (!hasEnded && names.get(client) === known && replica.members.has(client)) askAfter(client, Math.min(2 * pause, LATEST));
      else asked.delete(client);
      if (hasEnded) onEnd(client);
    }, pause);
  };

  return {
    /** A new connection. */
    reset: () => asked.clear(),

    /** Another life. */
    forget: () => names.clear(),

    /** @param {Record<string, import('./register.js').Member>} members as the register shows them */
    read(members) {
      for (const [client, { alive }] of Object.entries(members)) {
        const known = names.get(client);
        if (alive && !(known && known.alive === alive)) names.set(client, { alive, own: context.connection.alive });
      }
      // In doubt, the state may lack a member.
      for (const client of names.keys()) if (replica.current && !(client in members) && !replica.members.has(client)) names.delete(client);
    },

    /** The register shows no alive name for it. @param {string} client */
    ask(client) {
      if (!names.has(client) || asked.has(client)) return;
      asked.add(client);
      askAfter(client, FIRST);
    },
  };
};
