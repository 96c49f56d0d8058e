import { createLockManager, inspect, install, locks, type Lock, type LockOptions } from 'lockkeeper';
import { acquire } from 'lockkeeper/drafts';
import { createCore } from 'lockkeeper/core';
import 'lockkeeper/auto';
import { locks as nowasm } from 'lockkeeper/nowasm';

const options: LockOptions = { mode: 'shared' };
const name: string = await locks.request('first', options, (lock: Lock | null) => lock ? lock.name : '');
const count: number = await nowasm.request('first', async () => 1);
await acquire(['a', 'b'], async () => {});
// @ts-expect-error there is no such mode
await locks.request('first', { mode: 'both' }, () => {});

export const all = [name, count, createLockManager({ name: 'apart' }), install({ force: true }), await inspect(), createCore()];
