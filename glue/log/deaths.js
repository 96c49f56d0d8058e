/** So many deaths a context remembers. */
const REMEMBERED = 100;

/**
 * The clients that act no more, as far as this context has learned. It remembers them whatever becomes of the register: when data is
 * cleared, nothing else shows a death (D11).
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @typedef {object} Death
 * @property {'known' | 'posted' | 'delivered'} stage known: its `gone` is still to be posted. posted: by this connection, and not delivered
 *   yet. delivered: the client stays dead, even if the log goes on from a state that lists it
 * @property {string} alive the client's last alive name; empty if it was not shown, or in another life
 *
 * @param {import('./log.js').Context} context
 */
export const createDeaths = ({ replica, own, sending }) => {
  /** @type {Map<string, Death>} */
  const deaths = new Map();
  /** Whom the register has shown last. @type {RegisterRecord['members']} */
  let shown = {};

  /** @param {string} client @param {Death['stage']} stage */
  const learn = (client, stage) => {
    const { alive } = deaths.get(client) || shown[client] || { alive: '' };
    // The latest stands last.
    deaths.delete(client);
    deaths.set(client, { stage, alive });
    for (const [each, death] of deaths) if (deaths.size > REMEMBERED && death.stage === 'delivered') deaths.delete(each);
  };

  /**
   * Whether others may still have to be told. A state that is not current may lack the client.
   * @param {string} client
   * @param {Death} death
   */
  const isToBeTold = (client, { stage }) => replica.members.has(client) || (!replica.current && stage !== 'delivered');

  return {
    /** @param {string} client */
    has: (client) => deaths.has(client),

    areToBeTold: () => [...deaths].some(([client, death]) => isToBeTold(client, death)),

    /**
     * What the register shows of it.
     * @param {RegisterRecord} record
     * @param {Iterable<string>} clients that had a record, unless they were dead, when that read began
     * @param {number} reached the log's generation then
     */
    read({ generation, incomplete, members }, clients, reached) {
      for (const client of clients) {
        const isDead = members[client] ? members[client].dead : !incomplete && generation >= reached;
        if (isDead && client !== own.id() && !deaths.has(client)) learn(client, 'known');
      }
      for (const [client, death] of deaths) {
        const { alive } = members[client] || death;
        // It had only seemed dead. It has come back, and can be watched again.
        if (alive && alive !== death.alive && isToBeTold(client, death)) deaths.delete(client);
      }
      shown = members;
    },

    /**
     * Posts `gone` for all whom the state lists.
     * @param {string} [removed] whose record this context has removed. Its `join` may still be on its way; then `gone` stands behind that
     * @returns {string[]} those that the state does not list
     */
    tell(removed) {
      const others = [];
      for (const [client, death] of [...deaths]) {
        const { stage } = death;
        if (replica.members.has(client) || (client === removed && stage === 'known')) {
          death.stage = 'posted';
          if (stage !== 'posted') sending.gone(client);
        } else {
          if (stage === 'known') death.stage = 'delivered';
          others.push(client);
        }
      }
      return others;
    },

    /** What was posted may have been lost. */
    forgetPosted: () => deaths.forEach((death) => {
      if (death.stage === 'posted') death.stage = 'known';
    }),

    /** Another life begins. All that it reads is later than these deaths, so any name says that the client has come back. */
    forgetNames: () => deaths.forEach((death) => {
      death.alive = '';
    }),

    /** Its `gone` was delivered. @param {string} client */
    delivered: (client) => learn(client, 'delivered'),
  };
};
