/**
 * Which fresh logs have begun in vain (D11). After a wipe a newcomer may find the register empty before those who have state have come
 * back. It has listened then; but what they say may stand between its last hello and its `begin`. That shows in the order, to everybody
 * alike: such a `begin` counts for nobody.
 */
export const createBegins = () => {
  /**
   * By client that has said hello to ask whether anybody is there: the logs of which something was said since.
   * @type {Map<string, Set<string>>}
   */
  const heard = new Map();
  /** @type {Set<string>} */
  const vain = new Set();
  /** @type {Set<string>} */
  const valid = new Set();

  return {
    /** Each message, as it is delivered. @param {import('./messages.js').Message} message */
    hear({ kind, from, values }) {
      if (kind === 'hello') {
        if (values[1] === 0) heard.set(from, new Set());
        return;
      }
      const log = kind === 'state' ? values[2] : values[0];
      if (kind === 'begin') {
        const others = [...heard.get(from) || []].filter((other) => other !== values[2]);
        (others.length ? vain : valid).add(log);
      }
      heard.delete(from);
      // Who leaves says nothing of those who stay.
      if (kind !== 'gone' || values[1] !== from) heard.forEach((logs) => logs.add(log));
    },

    /** Messages were lost: what those who listen have heard is not known any more. */
    forget: () => heard.clear(),

    /** @param {string} log whose `begin` was delivered, and did not count */
    isVain: (log) => vain.has(log),
    /** @param {string} log whose `begin` was delivered, and counts */
    isValid: (log) => valid.has(log),
    vain: () => [...vain],
  };
};
