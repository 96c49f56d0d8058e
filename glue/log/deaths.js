import { isKnownDead } from './register.js';

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
 * @property {boolean} said whether the client has said so itself. Then it never comes back, though its record may still stand
 *
 * @param {import('./log.js').Context} context
 */
export const createDeaths = ({ replica, own, sending }) => {
  /** @type {Map<string, Death>} */
  const deaths = new Map();

  /** @param {string} client @param {Death['stage']} stage @param {boolean} [said] by itself */
  const learn = (client, stage, said = false) => {
    const before = deaths.get(client);
    // The latest stands last.
    deaths.delete(client);
    deaths.set(client, { stage, said: said || (!!before && before.said) });
    for (const [each, death] of deaths) if (deaths.size > REMEMBERED && death.stage === 'delivered') deaths.delete(each);
  };

  return {
    /** @param {string} client */
    has: (client) => deaths.has(client),

    /** The clients whose death is known. */
    clients: () => [...deaths.keys()],

    /** Whether others may still have to be told. A state that is not current may lack the client. */
    areToBeTold: () => [...deaths].some(([client, { stage, said }]) => replica.current ? replica.members.has(client)
      : !said && (replica.members.has(client) || stage !== 'delivered')),

    /**
     * What the register shows of it.
     * @param {RegisterRecord} record
     * @param {object} then what was so when that read began: of anything later it says nothing (D3)
     * @param {Iterable<string>} then.known the members
     * @param {string[]} then.dead those whose death was known
     * @param {number} then.reached the log's generation
     */
    read({ generation, incomplete, members }, { known, dead, reached }) {
      for (const client of known) {
        const isDead = members[client] ? isKnownDead(members[client]) : !incomplete && generation >= reached;
        if (isDead && client !== own.id() && !deaths.has(client)) learn(client, 'known');
      }
      for (const client of dead) {
        const death = deaths.get(client);
        // It had only seemed dead. It has come back, and can be watched again.
        if (death && !death.said && members[client] && members[client].alive) deaths.delete(client);
      }
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

    /** Its `gone` was delivered. @param {string} client @param {boolean} said whether the client has posted it itself */
    delivered: (client, said) => learn(client, 'delivered', said),
  };
};
