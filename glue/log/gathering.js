/** Whoever has not come back after a wipe within so many milliseconds is stopped, or dead: nobody waits for it any more. */
const GRACE = 1000;

/**
 * Who goes on where nobody has the state as it is now (D10): a wipe of the store takes messages away that some have read and others have
 * not. Then each says hello with how far it has got; and whoever has got farthest, the eldest of these, has what anybody has acted upon. It
 * must have heard of everybody whom the register shows alive.
 *
 * @param {import('./replica.js').Replica} replica
 * @param {() => string} self this client
 */
export const createGathering = (replica, self) => {
  /** How far each other one in doubt has got. @type {Map<string, number>} */
  const reached = new Map();
  /** Who was given the state meanwhile: it may be current, whatever the register shows. @type {Set<string>} */
  const given = new Set();
  let since = 0;

  return {
    /** @param {number} time */
    begin(time) {
      reached.clear();
      given.clear();
      since = time;
    },

    end: () => reached.clear(),

    /**
     * Whoever has died may have gone on before, and given its state to somebody: then all must be asked anew.
     * @param {import('./register.js').RegisterRecord} record as it is now
     * @returns {boolean} whether somebody has
     */
    hasLost({ members }) {
      const lost = [...reached.keys()].some((client) => !members[client] || members[client].dead);
      if (lost) reached.clear();
      return lost;
    },

    /** @param {string} client @param {number} far 0 where it has no state */
    heard(client, far) {
      given.delete(client);
      if (far) reached.set(client, far);
    },

    /** What it has said before counts no more. @param {string} client somebody has given it the state */
    given(client) {
      given.add(client);
      reached.delete(client);
    },

    /** @param {import('./register.js').RegisterRecord} record as it is now @param {number} time */
    isFurthest({ incomplete, members }, time) {
      const isEarly = time - since < GRACE;
      // A member may be missing in the register, and have joined in a message that was missed here.
      if (incomplete && isEarly) return false;
      /** @param {string} client whether it lives, as far as the register says */
      const isAwaited = (client) => {
        const member = members[client];
        return member && !member.dead && (isEarly || member.alive);
      };
      const shown = Object.keys(members).filter((client) => members[client].stateful || given.has(client));
      let elder = true;
      for (const client of new Set([...replica.members, ...shown])) {
        if (client === self()) elder = false;
        else if (isAwaited(client)) {
          const far = reached.get(client);
          if (far === undefined || far > replica.count + 1 || (far === replica.count + 1 && elder)) return false;
        }
      }
      return true;
    },
  };
};
