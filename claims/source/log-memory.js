/** A log in memory only: for tests, and to measure what storage costs. */
import { LEVEL } from './operations.js';

/** @returns {import('./log.js').Log} */
export function createMemoryLog() {
  let place = 0;
  /** @type {import('./log.js').Receiver} */
  let receiver;
  return {
    async load(given) {
      receiver = given;
      receiver.begin();
      return undefined;
    },
    async append(batch) {
      place += 1;
      receiver.deliver({ place, batch, size: 0 });
      return true;
    },
    read: undefined,
    readClaims: undefined,
    keep: async () => {},
    kept: () => place,
    rank: () => 0,
    level: () => LEVEL,
    keepClock: async () => {},
    recover: async () => {},
    watch: () => {},
    close: async () => {},
  };
}
