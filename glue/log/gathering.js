/** How long others wait for a member that has not come back after a wipe, in milliseconds. By then it is stopped, or dead. */
const GRACE = 1000;

/**
 * Decides who continues the log if nobody has its present state (D10). A wipe of the store deletes messages that some contexts have read
 * and others have not. Each says hello with how far it has got. The one that has got farthest (of several, the eldest) has applied
 * everything that anybody has acted upon. It must have heard from everybody whom the register shows alive.
 *
 * @param {import('./replica.js').Replica} replica
 * @param {() => string} self this client
 */
export const createGathering = (replica, self) => {
  /** How far each other context in doubt has got. @type {Map<string, number>} */
  const reached = new Map();
  /** The clients that were given the state meanwhile: they may be current, whatever the register shows. @type {Set<string>} */
  const given = new Set();
  /**
   * By client, the nonces of its hellos that were delivered here since this context asks, and since that client was last given the state.
   * @type {Map<string, string[]>}
   */
  const said = new Map();
  let since = 0;

  return {
    /** @param {number} time */
    begin(time) {
      reached.clear();
      given.clear();
      since = time;
      said.clear();
    },

    /**
     * A hello may have been posted before its sender was delivered the state that it was given. One that names an earlier hello was not, if
     * the state was given before that one: its sender was delivered both, and is in doubt all the same.
     * @param {string} client
     * @param {import('./messages.js').Hello} hello
     */
    heard(client, [nonce, , far, echoed]) {
      const earlier = said.get(client) || [];
      const at = earlier.indexOf(echoed);
      said.set(client, [...earlier.slice(Math.max(at, 0)), nonce]);
      // Who has no state enters nothing before it has read the register again.
      if (far && at < 0) return;
      given.delete(client);
      if (far) reached.set(client, far);
    },

    /** The client was given the state: what it has said before no longer counts. @param {string} client */
    given(client) {
      given.add(client);
      reached.delete(client);
      said.delete(client);
    },

    /** @param {import('./register.js').RegisterRecord} record as it is now @param {number} time */
    isFurthest({ incomplete, members }, time) {
      const isEarly = time - since < GRACE;
      // A member may be missing in the register, and its `join` may be among the messages that were missed here.
      if (incomplete && isEarly && replica.shared) return false;
      /** @param {string} client whether it lives, as far as the register says */
      const isAwaited = (client) => {
        const member = members[client];
        return member && (isEarly || member.alive);
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
