const { locks, createLockManager } = require('lockkeeper');
const { locks: ownCore } = require('lockkeeper/nowasm');
const { acquire } = require('lockkeeper/drafts');
const { createCore } = require('lockkeeper/core');
require('lockkeeper/auto');

(async () => {
  const first = await locks.request('first', ({ name }) => name);
  const both = await acquire(['a', 'b'], async () => (await locks.query()).held.map(({ name }) => name));
  const apart = await createLockManager({ name: 'apart' }).request('a', ({ mode }) => mode);
  const nowasm = await ownCore.request('second', ({ name }) => name);
  console.log(JSON.stringify([first, both, apart, nowasm, typeof createCore().snapshot]));
})();
