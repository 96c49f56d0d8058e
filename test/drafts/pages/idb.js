/** A page that does with demo/idb what tests say. */
import * as bank from '/demo/idb/bank.js';
import * as promises from '/demo/idb/promises.js';
import * as recipes from '/demo/idb/recipes.js';
import { openStorage } from '/demo/idb/storage.js';
import { LockedTransaction } from '/demo/idb/transaction.js';
import * as drafts from '/dist/drafts.mjs';

self.idb = { bank, promises, recipes, openStorage, LockedTransaction, drafts };
