/**
 * The promises of a process to those that have registered with it. It rings for them *before* it writes that a request of its own, behind
 * which they wait, has ended. ./notices.js registers, and explains why.
 *
 * @typedef {import('./bell.js').Answer} Answer
 */

/**
 * @param {object} parts
 * @param {import('./copy.js').Core} parts.core
 * @param {() => string} parts.client this context's
 * @param {(number: number) => boolean} parts.isOpen whether a request of this context is in the state and has not been dropped
 */
export const createPromises = ({ core, client, isOpen }) => {
  /** The clients that wait behind this context's requests, by request number. @type {Map<number, Map<string, Answer>>} */
  const registered = new Map();
  /** The clients that were told of the entry now being written. @type {Set<string>} */
  const told = new Set();

  return {
    /**
     * Promises for the open requests, and rings if any of the others has ended.
     * @param {import('./notices.js').Registration} registration
     * @param {Answer} answer
     */
    give({ from, last, behind }, answer) {
      const kept = behind.filter(isOpen);
      // announce() removes only dropped requests, not stolen or expired ones.
      for (const each of registered.keys()) if (!isOpen(each)) registered.delete(each);
      for (const each of kept) registered.set(each, (registered.get(each) || new Map()).set(from, answer));
      if (core.last(from) >= last && kept.length) answer({ from: client(), promises: kept });
      if (kept.length < behind.length) answer();
    },

    /**
     * Call it before [operations] are written: tells the clients that wait behind requests that these end.
     * @param {import('../../core/types.js').Operation[]} operations
     */
    announce(operations) {
      for (const operation of operations) {
        if (operation.type !== 'drop') continue;
        registered.get(operation.request)?.forEach((answer, each) => {
          answer({ from: client(), number: operation.number });
          told.add(each);
        });
        registered.delete(operation.request);
      }
    },

    /** Tells all registered clients, since all requests of this context are about to end. */
    leave() {
      const everybody = new Map([...registered.values()].flatMap((waiters) => [...waiters]));
      everybody.forEach((answer) => answer({ from: client(), number: Number.MAX_SAFE_INTEGER }));
    },

    /** @param {string} each @returns {boolean} whether that client was told of the entry that was just written */
    wasTold: (each) => told.has(each),

    /** The entry is written, and all clients concerned have been told. */
    written: () => told.clear(),

    /** @param {string} gone */
    forget(gone) {
      registered.forEach((waiters) => waiters.delete(gone));
    },

    forgetAll: () => registered.clear(),
  };
};
