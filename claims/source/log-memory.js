/** A log that keeps nothing: for tests, and to show what keeping costs. */

/** @returns {import('./log.js').Log} */
export function createMemoryLog() {
  return {
    load: async () => undefined,
    append: async (place, text) => [{ place, text }],
    read: undefined,
    readClaims: undefined,
    keep: async () => {},
    keepClock: async () => {},
    recover: async () => {},
    watch: () => {},
    close: async () => {},
  };
}
