import { locks, createLockManager } from 'lockkeeper';
import { locks as ownCore } from 'lockkeeper/nowasm';
import { acquire } from 'lockkeeper/drafts';
import { createCore } from 'lockkeeper/core';
import 'lockkeeper/auto';

const first = await locks.request('first', ({ name }) => name);
const both = await acquire(['a', 'b'], async () => (await locks.query()).held.map(({ name }) => name));
const apart = await createLockManager({ name: 'apart' }).request('a', ({ mode }) => mode);
const nowasm = await ownCore.request('second', ({ name }) => name);
console.log(JSON.stringify([first, both, apart, nowasm, typeof createCore().snapshot]));
