/** The managers that the patterns are tried over. */
import { createLockManager } from '../../glue/api/lock-manager.js';
import { createMemoryLog } from '../api/memory-log.js';
import { createModel } from '../model/model.js';

/** Two contexts of one manager. @type {Record<string, () => any[]>} */
export const MANAGERS = {
  'Lockkeeper\'s': () => {
    const memory = createMemoryLog(createModel());
    return [0, 1].map(() => {
      const log = memory.open();
      return createLockManager(globalThis, () => log);
    });
  },
  'one with the standard\'s methods alone': () => MANAGERS['Lockkeeper\'s']().map((manager) => ({
    request: (/** @type {any[]} */ ...args) => manager.request(...args),
    query: () => manager.query(),
  })),
};

/** Its held and pending requests. @param {any} manager */
export const namesIn = async (manager) => {
  const { held, pending } = await manager.query();
  const of = (/** @type {any[]} */ list) => list.map(({ name }) => name);
  return { held: of(held), pending: of(pending) };
};
