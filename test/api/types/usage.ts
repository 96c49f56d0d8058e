/** How the package is used from TypeScript, with no library but the language's. Compiled by the tests, never run. */
import { createLockManager, inspect, install, Lock, LockManager, locks, type LockManagerSnapshot, type LockMode } from '../../../types/index.js';
import { createCore, decodeSnapshot, openCore, type LockEvent } from '../../../types/core.js';
import { acquire, forceRelease, queryState, requestAutoReleaseLock, requestExplicitLock, requestFlag, requestScopedLock } from '../../../types/drafts.js';
import '../../../types/auto.js';

export const standard = async (): Promise<void> => {
  const fromValue: number = await locks.request('name', () => 1);
  const fromPromise: number = await locks.request('name', async (lock) => lock.name.length);
  const shared: LockMode = await locks.request('name', { mode: 'shared' }, (lock) => lock.mode);
  const tried: string | undefined = await locks.request('name', { ifAvailable: true }, (lock) => lock?.name);
  const nothing: void = await locks.request('name', { steal: true }, async () => {});
  const snapshot: LockManagerSnapshot = await locks.query();
  const client: string = snapshot.held[0].clientId;
  const own: LockManager = createLockManager({ name: 'own' });
  const installed: LockManager | undefined = install();
  const certain: LockManager = install({ insecure: true });
  const joined: LockManager | undefined = install({ join: true });
  const waiting: string[][] = (await inspect()).deadlocks;
  void [fromValue, fromPromise, shared, tried, nothing, client, own, installed, certain, joined, waiting];

  // @ts-expect-error the lock may be null
  void locks.request('name', { ifAvailable: true }, (lock) => lock.name);
  // @ts-expect-error no such mode
  void locks.request('name', { mode: 'other' }, () => {});
  // @ts-expect-error no signal
  void locks.request('name', { signal: {} }, () => {});
  // @ts-expect-error no callback
  void locks.request('name');
  // @ts-expect-error no code can construct one
  void new Lock();
  // @ts-expect-error nor the other
  void new LockManager();
  // @ts-expect-error a manager of its own has a name
  void createLockManager({});
  // @ts-expect-error read only
  void locks.request('name', (lock) => (lock.name = 'other'));
};

export const drafts = async (): Promise<void> => {
  const scope: readonly string[] = await acquire(['a', 'b'], (lock) => lock.scope);
  const mode: LockMode | undefined = await acquire('a', { ifAvailable: true }, (lock) => lock?.mode);
  const held: string[] = (await queryState()).held[0].scope;
  await forceRelease(new Set(['a']));
  const flag = await requestFlag('a', 'shared', { timeout: 0 });
  await flag.waitUntil(flag.released);
  await using handle = await requestExplicitLock(['a']);
  handle.release();
  await (await requestAutoReleaseLock('a', { mode: 'shared' })).waitUntil(1);
  const result: number = await requestScopedLock('a', async () => 1, { mode: 'shared' });
  void [scope, mode, held, result];
};

export const core = async (): Promise<void> => {
  (await openCore()).hash();
  const machine = createCore({ fence: 1 });
  const events: LockEvent[] = machine.apply({ type: 'join', client: 'one', number: 1 });
  machine.apply({ type: 'request', client: 'one', number: 2, names: ['a'], mode: 'exclusive', hold: 1000 });
  machine.restore(machine.snapshot());
  const held: number = decodeSnapshot(machine.snapshot()).held.length + machine.hash() + events.length;
  void held;

  // @ts-expect-error a request has names
  machine.apply({ type: 'request', client: 'one', number: 3, mode: 'exclusive' });
};
