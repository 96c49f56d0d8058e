/** Finds clients that have died, and writes `gone` for them. */

/** How many members a joining context checks. */
const VISITS = 3;

/**
 * @param {object} parts
 * @param {import('./types.js').Life} parts.life
 * @param {ReturnType<typeof import('./copy.js').createCopy>} parts.copy
 * @param {ReturnType<typeof import('./membership.js').createMembership>} parts.membership
 * @param {ReturnType<typeof import('./ringing.js').createRinging>} parts.ringing
 * @param {(action: () => void) => void} parts.attempt
 * @param {() => void} parts.read
 * @param {(operations: import('../../core/types.js').Operation[]) => void} parts.write
 * @param {() => void} parts.tell called when there may be news for the listeners
 */
export const createBurials = ({ life, copy, membership, ringing, attempt, read, write, tell }) => {
  const { core, members } = copy;

  /** @param {string[]} clients */
  const writeGone = (clients) => {
    if (clients.length) write(clients.map((client) => ({ type: 'gone', client })));
  };

  const burials = {
    /** @param {string[]} dead */
    bury(dead) {
      attempt(() => {
        read();
        // Reading may have shown that this client itself was declared dead.
        const listed = () => (membership.isMember() ? dead.filter((each) => members().has(each)) : []);
        const gone = listed();
        if (!gone.length) return;
        writeGone(gone);
        // Write again what does not count because it came after the end of a file.
        writeGone(listed());
        ringing.queueChanged();
        gone.forEach(life.bury);
      });
      tell();
    },

    /**
     * Checks whether [clients] live, and buries the dead.
     * @param {Iterable<string>} clients
     * @returns {Promise<boolean>} whether any was dead
     */
    async visit(clients) {
      const others = [...clients].filter((each) => each !== membership.client());
      const alive = await Promise.all(others.map(life.isAlive));
      const dead = others.filter((_, index) => !alive[index]);
      if (dead.length) burials.bury(dead);
      return dead.length > 0;
    },

    /** Checks some members, so that the dead do not accumulate. @param {number} from any number; it selects the first member to check */
    visitSome(from) {
      const all = [...members()];
      const first = from % (all.length || 1);
      void burials.visit([...all, ...all].slice(first, first + Math.min(VISITS, all.length)));
    },

    /** Buries the dead among the clients with requests for these names. @param {string[]} names @returns {false | Promise<boolean>} */
    buryBefore(names) {
      /** @type {Set<string>} */
      let others = new Set();
      attempt(() => {
        others = burials.withRequests(names);
      });
      tell();
      return others.size > 0 && burials.visit(others);
    },

    /** The other clients with held or pending requests. @param {string[]} [names] only requests for these names @returns {Set<string>} */
    withRequests(names) {
      if (members().size < 2) return new Set();
      const { held, pending } = core.state();
      const requests = [...held, ...pending].filter((request) => !names || request.names.some((name) => names.includes(name)));
      const clients = new Set(requests.map((request) => request.client));
      clients.delete(membership.client());
      return clients;
    },
  };
  return burials;
};
