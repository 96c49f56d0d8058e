import { isKnownDead } from './register.js';

/** How many deaths a context remembers. */
const REMEMBERED = 100;

/**
 * The clients that this context knows to be dead. It remembers them even if the register is lost: after data was cleared, nothing else
 * shows a death (D11).
 *
 * @typedef {import('./register.js').RegisterRecord} RegisterRecord
 *
 * @typedef {object} Death
 * @property {'known' | 'posted' | 'delivered'} stage known: its `gone` must still be posted. posted: this connection has posted it, and it
 *   is not delivered yet. delivered: the client stays dead, even if the log goes on from a state that lists it
 * @property {boolean} said whether the client has posted its `gone` itself. Then it never comes back, although the register may still list
 *   it
 *
 * @param {import('./log.js').Context} context
 */
export const createDeaths = ({ replica, own, sending }) => {
  /** @type {Map<string, Death>} */
  const deaths = new Map();

  /** @param {string} client @param {Death['stage']} stage @param {boolean} [said] whether the client has posted its `gone` itself */
  const learn = (client, stage, said = false) => {
    const before = deaths.get(client);
    // Keep the latest last, so that the oldest is forgotten first.
    deaths.delete(client);
    deaths.set(client, { stage, said: said || (!!before && before.said) });
    for (const [each, death] of deaths) if (deaths.size > REMEMBERED && death.stage === 'delivered') deaths.delete(each);
  };

  return {
    /** @param {string} client */
    has: (client) => deaths.has(client),

    /** The clients whose death is known. */
    clients: () => [...deaths.keys()],

    /** Whether others may still have to be told of a death. A state that is not current may lack the client. */
    areToBeTold: () => [...deaths].some(([client, { stage, said }]) => replica.current ? replica.members.has(client)
      : !said && (replica.members.has(client) || stage !== 'delivered')),

    /**
     * Learns which deaths the register shows.
     * @param {RegisterRecord} record
     * @param {object} then the situation when that read began; the read says nothing about anything later (D3)
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
        // It only seemed dead. It has come back, and can be watched again.
        if (death && !death.said && members[client] && members[client].alive) deaths.delete(client);
      }
    },

    /**
     * Posts `gone` for all dead clients that the state lists.
     * @param {string} [removed] the client whose record this context has removed. It gets its `gone` even if the state does not list it:
     *   its `join` may still be on the way
     * @returns {string[]} the dead clients that the state does not list
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

    /** A posted `gone` may have been lost. */
    forgetPosted: () => deaths.forEach((death) => {
      if (death.stage === 'posted') death.stage = 'known';
    }),

    /** The client's `gone` was delivered. @param {string} client @param {boolean} said whether the client has posted it itself */
    delivered: (client, said) => learn(client, 'delivered', said),
  };
};
