import { forgetOldest } from './oldest.js';

/** How long others wait for a member that has not come back after a wipe, in milliseconds. By then it is stopped, or dead. */
const GRACE = 1000;
/** So many hellos of each kind are remembered: more than there are contexts. */
const REMEMBERED = 256;

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
  /** The nonce of the last hello of each other context in doubt, the newest last. @type {Map<string, string>} */
  const heard = new Map();
  /** The clients that were given the state meanwhile: they may be current, whatever the register shows. @type {Set<string>} */
  const given = new Set();
  /**
   * The nonces of the own hellos that were delivered since this context asks, and since anybody was given the state.
   * @type {Set<string>}
   */
  const echoes = new Set();
  let since = 0;

  return {
    /** @param {number} time */
    begin(time) {
      reached.clear();
      given.clear();
      echoes.clear();
      since = time;
    },

    /** An own hello was delivered. @param {string} nonce */
    echoed(nonce) {
      echoes.add(nonce);
      forgetOldest(echoes, REMEMBERED);
    },

    /** The last hellos of others, which an own one names. */
    heard: () => [...heard.values()],

    /** There is a state. */
    stop: () => heard.clear(),

    /**
     * A hello may have been posted before its sender was delivered the state that it was given, or long ago. One that names a hello of this
     * context was not: its sender was delivered that, and whatever came before it, and is in doubt all the same.
     * @param {string} client
     * @param {import('./messages.js').Hello} hello
     */
    helloHeard(client, [nonce, , far, named]) {
      // A context without a state enters nothing before it has read the register again.
      if (!far) {
        given.delete(client);
        return;
      }
      heard.delete(client);
      heard.set(client, nonce);
      forgetOldest(heard, REMEMBERED);
      if (!named.some((each) => echoes.has(each))) return;
      given.delete(client);
      reached.set(client, far);
    },

    /** The client was given the state: what it has said before no longer counts. @param {string} client */
    given(client) {
      given.add(client);
      reached.delete(client);
      echoes.clear();
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
