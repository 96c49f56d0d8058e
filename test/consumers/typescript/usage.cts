import lockkeeper = require('lockkeeper');
import drafts = require('lockkeeper/drafts');
import core = require('lockkeeper/core');

export const held: Promise<string> = lockkeeper.locks.request('first', (lock) => lock.name);
export const all = [drafts.acquire, core.createCore];
// @ts-expect-error a callback is needed
void lockkeeper.locks.request('first');
