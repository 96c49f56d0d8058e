/** So many nonces are remembered. */
const REMEMBERED = 1000;

/** Knows each `hello` that is delivered again (D17). */
export const createRepeats = () => {
  /** Of the last hellos, also those of other versions. @type {Set<unknown>} */
  const nonces = new Set();

  return {
    /** @param {import('./messages.js').Message} message each, as it is delivered @returns {boolean} whether to ignore it */
    has({ kind, values: [nonce] }) {
      if (kind !== 'hello') return false;
      if (nonces.has(nonce)) return true;
      nonces.add(nonce);
      if (nonces.size > REMEMBERED) nonces.delete(nonces.values().next().value);
      return false;
    },
  };
};
