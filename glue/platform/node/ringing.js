/**
 * For whom a context rings after it has written: those whom its entries concern.
 *
 * @typedef {import('../../core/types.js').ClientOperation} ClientOperation
 */

/** @param {ClientOperation} operation */
const takesAway = (operation) => operation.type === 'force-release' || (operation.type === 'request' && !!operation.steal);

/**
 * @param {import('./bell.js').Bell} bell
 * @param {() => Set<string>} members
 * @param {() => string} client this context's
 */
export const createRinging = (bell, members, client) => {
  /** @type {Set<string>} */
  const concerned = new Set();
  let concernsAll = false;
  let rang = false;

  /** @param {unknown} [message] */
  const ringAll = (message) => members().forEach((member) => member !== client() && bell.ring(member, message));

  return {
    /** What an entry of this context's has caused. @param {import('../../core/types.js').LockEvent} event */
    caused(event) {
      if (event.client !== client()) concerned.add(event.client);
      // Somebody's place in a queue has changed without news for those behind.
      if (event.type === 'expired') concernsAll = true;
    },

    /** This context's entry may concern anybody. */
    concernAll() {
      concernsAll = true;
    },

    /**
     * Before these are written. What takes a lock from others concerns contexts that do not know yet that they depend on this one, and it
     * may end before it rings.
     * @param {ClientOperation[]} operations
     */
    announce(operations) {
      if (members().size < 2 || !operations.some(takesAway)) return;
      concernsAll = true;
      ringAll({ client: client(), number: operations[operations.length - 1].number });
    },

    /** After something was written. */
    ring() {
      if (concernsAll) ringAll();
      else if (concerned.size) concerned.forEach((each) => bell.ring(each));
      rang = rang || concerned.size > 0;
      concerned.clear();
      concernsAll = false;
    },

    /** Whether it has rung for somebody since this was asked last. */
    hasRung() {
      const before = rang;
      rang = false;
      return before;
    },
  };
};
