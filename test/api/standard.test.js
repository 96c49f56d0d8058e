import assert from 'node:assert/strict';
import { createLockManager } from '../../glue/api/lock-manager.js';
import { createModel } from '../model/model.js';
import { createMemoryLog } from './memory-log.js';
import { tables } from './tables/index.js';

let count = 0;
const createKit = () => {
  const shared = createMemoryLog(createModel());
  const [log, otherLog] = [shared.open(), shared.open()];
  return {
    locks: createLockManager(globalThis, () => log),
    elsewhere: createLockManager(globalThis, () => otherLog),
    global: globalThis,
    uniqueName: (stem = 'name') => `${stem}-${count += 1}`,
    assert,
  };
};

describe('the standard, over a log in memory', () => {
  for (const [title, table] of Object.entries(tables)) {
    describe(title, () => {
      for (const [sentence, test] of Object.entries(table)) it(sentence, () => test(createKit()));
    });
  }
});
