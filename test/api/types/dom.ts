/** The package's types beside the DOM's: ours can stand for it. Compiled by the tests, never run. */
import { install, locks } from '../../../types/index.js';

export const standIn: LockManager = locks;
export const inUse: LockManager = install() ?? navigator.locks;

export const aborted = (signal: AbortSignal): Promise<string> => locks.request('name', { signal }, (lock) => lock.name);
