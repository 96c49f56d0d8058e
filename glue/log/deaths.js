/** So many deaths a context remembers. */
const REMEMBERED = 100;

/**
 * The clients that act no more, as far as this context has learned. It remembers them whatever becomes of the register: when data is
 * cleared, nothing else shows a death (D11).
 *
 * - known: its `gone` is still to be posted
 * - posted: its `gone` was posted by this connection, and was not delivered yet
 * - delivered: it stays dead, even if the log goes on from a state that lists it
 *
 * @param {import('./log.js').Context} context
 */
export const createDeaths = ({ replica, own, sending }) => {
  /** @type {Map<string, 'known' | 'posted' | 'delivered'>} */
  const deaths = new Map();

  /** @param {string} client whom the state may list. If it does not, everybody has been told that the client is dead */
  const seemedDead = (client) => {
    if (replica.members.has(client)) deaths.delete(client);
  };

  /** @param {string} client */
  const delivered = (client) => {
    // The latest stands last.
    deaths.delete(client);
    deaths.set(client, 'delivered');
    for (const [each, death] of deaths) if (deaths.size > REMEMBERED && death === 'delivered') deaths.delete(each);
  };

  return {
    list: () => [...deaths.keys()],

    /**
     * What the register shows of it.
     * @param {import('./register.js').RegisterRecord} record
     * @param {import('./duties.js').Before} before what was known when that read began: it says nothing of later members and deaths
     */
    read({ generation, incomplete, members }, before) {
      for (const client of before.members) {
        const isDead = members[client] ? members[client].dead : !incomplete && generation >= before.generation;
        if (isDead && client !== own.id() && !deaths.has(client)) deaths.set(client, 'known');
      }
      for (const client of before.dead) if (members[client] && members[client].alive) seemedDead(client);
    },

    /**
     * Posts `gone` for all whom the state lists.
     * @param {string} [removed] whose record this context has removed. Its `join` may still be on its way; then `gone` stands behind that
     * @returns {string[]} those that the state does not list
     */
    tell(removed) {
      const others = [];
      for (const [client, death] of [...deaths]) {
        if (replica.members.has(client) || (client === removed && death === 'known')) {
          deaths.set(client, 'posted');
          if (death !== 'posted') sending.gone(client);
        } else {
          if (death === 'known') delivered(client);
          others.push(client);
        }
      }
      return others;
    },

    /** What was posted may have been lost. */
    forgetPosted: () => deaths.forEach((death, client) => death === 'posted' && deaths.set(client, 'known')),

    /** It has come back, and can be watched again. */
    seemedDead,

    /** Its `gone` was delivered. */
    delivered,
  };
};
