import { forgetOldest } from './oldest.js';

/** How long others wait for a member that has not come back after a wipe, in milliseconds. After that it counts as stopped or dead. */
const GRACE = 1000;
/** How many hellos of each kind are remembered: more than there are contexts. */
const REMEMBERED = 256;

/**
 * Decides who continues the log if nobody has its current state (D10). A wipe of the store deletes messages that some contexts have read
 * and others have not. The `hello` of each context says how far it has got. The context that has got farthest (of several, the eldest) has
 * applied everything that any context has acted upon. It must have heard from every member that the register shows alive.
 *
 * @param {import('./replica.js').Replica} replica
 * @param {() => string} self this client
 */
export const createGathering = (replica, self) => {
  /** How far each other context in doubt has got. @type {Map<string, number>} */
  const reached = new Map();
  /** The nonce of the last hello of each other context in doubt, the newest last. @type {Map<string, string>} */
  const heard = new Map();
  /** The clients that have been given the state meanwhile: they may be current, whatever the register shows. @type {Set<string>} */
  const given = new Set();
  /**
   * The nonces of own hellos delivered since this context began to ask, and since any client was given the state.
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

    /** The last hellos of others. A hello of this context names them. */
    heard: () => [...heard.values()],

    /** This context has the state. */
    stop: () => heard.clear(),

    /**
     * A hello may be old: its sender may have received the state since it posted it. But if the hello names one of [echoes], its sender had
     * received that one and everything before it, and was still in doubt.
     * @param {string} client
     * @param {import('./messages.js').Hello} hello
     */
    helloHeard(client, [nonce, , far, named]) {
      // A context without a state enters no lock before it has read the register again.
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

    /** The client was given the state: its earlier hellos no longer count. @param {string} client */
    given(client) {
      given.add(client);
      reached.delete(client);
      echoes.clear();
    },

    /** @param {import('./register.js').RegisterRecord} record as it is now @param {number} time */
    isFurthest({ incomplete, members }, time) {
      const isEarly = time - since < GRACE;
      // The register may lack a member whose `join` is among the messages that this context has missed.
      if (incomplete && isEarly && replica.shared) return false;
      /** @param {string} client whether it lives, according to the register */
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
