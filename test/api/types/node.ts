/** The package's types beside Node's, without the DOM's. Compiled by the tests, never run. */
import { setTimeout } from 'node:timers/promises';
import { createLockManager, locks } from '../../../types/index.js';
import { acquire } from '../../../types/drafts.js';

export const withNode = async (): Promise<void> => {
  await locks.request('name', { signal: AbortSignal.timeout(1000) }, (lock) => lock.name);
  createLockManager({ url: 'https://claims.example', headers: new Headers({ authorization: 'Bearer 1' }) });
  await acquire('name', ({ signal }) => setTimeout(1000, undefined, { signal }));
};
