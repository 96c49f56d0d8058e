/**
 * Decides for which contexts one rings after it has written: those that its entries concern.
 *
 * @typedef {import('../../core/types.js').ClientOperation} ClientOperation
 */

/** With more requests than this, do not search all of them for waiters. */
const MANY = 100;

/** @param {ClientOperation} operation */
const breaksLocks = (operation) => operation.type === 'force-release' || (operation.type === 'request' && !!operation.steal);

/**
 * @param {object} parts
 * @param {import('./bell.js').Bell} parts.bell
 * @param {import('../../core/types.js').Core} parts.core
 * @param {() => Set<string>} parts.members
 * @param {() => string} parts.client this context's
 * @param {() => string} parts.firstPath of the journal
 * @param {ReturnType<typeof import('./promises.js').createPromises>} [parts.promises] if processes share the journal
 */
export const createRinging = ({ bell, core, members, client, firstPath, promises }) => {
  /** @type {Set<string>} */
  const concerned = new Set();
  let concernsAll = false;
  let rang = false;

  /** @param {import('./bell.js').Warning} [message] */
  const ringAll = (message) => {
    const others = [...members()].filter((member) => member !== client());
    if (others.length) bell.ringAll(others, message, firstPath());
  };

  /** The clients that wait for a lock, or may. */
  const waiting = () => {
    /** @type {Set<string>} */
    const clients = new Set();
    let count = 0;
    for (const request of core.requests()) {
      if (++count > MANY) return members();
      if (!request.fence) clients.add(request.client);
    }
    return clients;
  };

  return {
    /** An event that an entry of this context has caused. @param {import('../../core/types.js').LockEvent} event */
    caused(event) {
      if (event.client !== client()) concerned.add(event.client);
    },

    /**
     * Call it when this context has read that requests have ended before their grant, or that their clients have died. Threads that wait
     * behind such requests watch only these, so they must determine their blockers again, and nothing else tells them. Exception: if a wait
     * expires, those behind it have their own timer for that (./ticks.js). Between processes, ./notices.js does this.
     */
    queueChanged() {
      if (promises || members().size < 2) return;
      for (const each of waiting()) if (each !== client()) bell.ring(each);
    },

    /**
     * Call it before [operations] are written. A steal or force-release concerns contexts that do not know yet that they depend on this
     * one, and this one may end before it rings.
     * @param {ClientOperation[]} operations
     */
    announce(operations) {
      promises?.announce(operations);
      if (members().size < 2 || !operations.some(breaksLocks)) return;
      concernsAll = true;
      ringAll({ client: client(), number: operations[operations.length - 1].number });
    },

    /** Call it after writing. */
    ring() {
      if (concernsAll) ringAll();
      if (!concernsAll || promises) concerned.forEach((each) => promises?.wasTold(each) || bell.ring(each));
      if (concerned.size) {
        rang = true;
        concerned.clear();
      }
      concernsAll = false;
      promises?.written();
    },

    /** Whether it has rung for any context since the last call of this function. */
    hasRung() {
      const before = rang;
      rang = false;
      return before;
    },
  };
};
