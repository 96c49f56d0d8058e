import assert from 'node:assert/strict';
import { createModel } from '../model/model.js';
import { EDITIONS } from './editions.js';
import { createMemoryLog } from './memory-log.js';
import { tables } from './tables/index.js';

let count = 0;
const createKit = (createLockManager) => {
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

for (const [edition, createLockManager] of Object.entries(EDITIONS)) {
  describe(`the standard, over a log in memory, as ${edition} has it`, () => {
    for (const [title, table] of Object.entries(tables)) {
      describe(title, () => {
        for (const [sentence, test] of Object.entries(table)) it(sentence, () => test(createKit(createLockManager)));
      });
    }
  });
}
