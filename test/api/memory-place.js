/** Stands in for '#place' in tests of the entries without a platform: one log in memory for each manager's name. */
import { createModel } from '../model/model.js';
import { createMemoryLog } from './memory-log.js';

/** @type {Map<string, ReturnType<typeof createMemoryLog>>} */
const logs = new Map();

export const isNode = false;

/** @param {string} name */
export const createLog = (name) => {
  const log = logs.get(name) || createMemoryLog(createModel());
  logs.set(name, log);
  return log.open();
};

export const debugSetting = () => undefined;

export const printLine = () => {};

export const randomId = () => Math.random().toString(36);

export const { setTimeout, clearTimeout } = globalThis;

export const readClock = () => 0;

export const readWallClock = () => 0;
