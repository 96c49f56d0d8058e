/** A thread whose program adds members to all objects, as some libraries do, beside one that does not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endThreads, startThread } from './threads.js';

/** Members that may be absent in what contexts exchange or store, and some that may not. */
const MEMBERS = [
  'head', 'mark', 'close', 'by', 'number', 'limit', 'wait', 'hold', 'resolve', 'word', 'kernel', 'behind', 'promises', 'client', 'request',
  'now', 'names', 'fence', 'news', 'state',
];

/** @param {{data: {manager: object, members: string[]}, [key: string]: any}} kit */
const take = async ({ package: { createLockManager }, data: { manager, members }, tell, next }) => {
  for (const name of members) Object.defineProperty(Object.prototype, name, { value() {}, configurable: true, writable: true });
  const locks = createLockManager(manager);
  tell('ready');
  for (;;) {
    await next();
    const release = next();
    void locks.request('name', () => {
      tell('holds');
      return release;
    });
    const { held, pending } = await locks.query();
    tell(`${held.length} held, ${pending.length} pending`);
    await release;
  }
};

describe('node: a program that extends all objects', () => {
  /** @type {string} */
  let directory;
  beforeEach(() => { directory = mkdtempSync(join(tmpdir(), 'lk-')); });
  afterEach(async () => {
    await endThreads();
    rmSync(directory, { recursive: true });
  });

  for (const scope of ['process', 'host']) {
    it(`takes part, in scope ${scope}`, async () => {
      const manager = { name: directory, scope, ...scope === 'host' && { directory } };
      const extended = startThread(take, { manager, members: MEMBERS });
      const other = startThread(take, { manager, members: [] });
      await Promise.all([extended.told('ready'), other.told('ready')]);
      extended.send('request');
      await extended.told('holds');
      await extended.told('1 held, 0 pending');
      other.send('request');
      await other.told('1 held, 1 pending');
      extended.send('release');
      await other.told('holds');
      extended.messages.length = 0;
      extended.send('request');
      await extended.told('1 held, 1 pending');
      await other.worker.terminate();
      await extended.told('holds');
    });
  }
});
