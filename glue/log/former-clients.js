import { forgetOldest } from './oldest.js';

/** So many a context remembers. */
const REMEMBERED = 32;

/**
 * The clients that this context was (D11). A state may still list them: what they posted when they left may have been lost with the store.
 *
 * @param {import('./log.js').Context} context
 */
export const createFormerClients = ({ replica, sending }) => {
  /** @type {Set<string>} */
  const clients = new Set();

  return {
    /** @param {string} client */
    add(client) {
      clients.add(client);
      forgetOldest(clients, REMEMBERED);
    },

    /** Posts the `gone` of those that this context's state lists. */
    bury: () => clients.forEach((client) => {
      if (replica.members.has(client)) sending.gone(client);
    }),
  };
};
