/** The package's types beside the platform's: each can stand for the other. Compiled by the tests, never run. */
import {
  createLockManager, install, locks, type ClaimsLockManager, type Lock as OurLock, type LockkeeperManager, type LockManager as OurLockManager,
  type LockOptions as OurLockOptions,
} from '../../../types/index.js';
import { draftsOf } from '../../../types/drafts.js';
import { elect, isLocked, semaphore, tryAcquire, withTimeout, type AcquiredLock, type Election } from '../../../types/patterns.js';

// Ours for theirs.
export const standIns: LockManager[] = [locks, createLockManager({ name: 'own' }), createLockManager({ url: 'https://claims.example' })];
export const inUse: LockManager = install() ?? navigator.locks;
export const theirOptions = (options: OurLockOptions): LockOptions => options;
export const theirLock = (lock: OurLock): Lock => lock;
export const theirs = (manager: OurLockManager): LockManager => manager;

// Theirs for ours.
export const ours: OurLockManager = navigator.locks;
export const ourOptions = (options: LockOptions): OurLockOptions => options;
export const ourLock = (lock: Lock): OurLock => lock;
export const eitherWay = (manager: LockManager): OurLockManager => manager;

// Both at once.
export const mixed = async (manager: OurLockManager): Promise<void> => {
  const first: string | undefined = await (navigator.locks ?? locks).request('name', (lock) => lock?.name);
  const second: number = await (navigator.locks || locks).request('name', { mode: 'shared' }, async () => 1);
  const third: string | undefined = await ('locks' in navigator ? navigator.locks : locks).request('name', async (lock) => lock?.mode);
  const last: number | undefined = (await (locks ?? navigator.locks).query()).held?.length;
  await manager.request('name', { signal: AbortSignal.timeout(1) }, (lock) => lock?.name);
  void [first, second, third, last];
};

// A function may return what request() gives, without await.
export const saved = (): Promise<number> => install({ insecure: true }).request('name', async () => 1);
export const given = async <T>(work: () => Promise<T>): Promise<T> => install({ insecure: true }).request('name', work);

// A subtype keeps what it has more.
export const more = async (own: LockkeeperManager, claims: ClaimsLockManager): Promise<void> => {
  const names: string[] = (await own.query()).held.map(({ name }) => name);
  const sent: Response = await claims.request('name', ({ fence, signal }) => fetch(`/?fence=${fence.toFixed()}`, { signal }));
  const tried: number | undefined = await claims.request('name', { ifAvailable: true }, (lock) => lock?.fence);
  const forced: LockkeeperManager = install({ force: true, insecure: true });
  void [names, sent, tried, forced];

  // @ts-expect-error a native manager may give null
  void navigator.locks.request('name', (lock) => lock.name);
  // @ts-expect-error the same, as far as one knows
  void (install() ?? locks).request('name', (lock) => lock.name);
  // @ts-expect-error a native manager is not one of ours
  own = navigator.locks;
  // @ts-expect-error nor does it know fences
  claims = own;
};

// What fetch() takes as headers.
export const withHeaders = (headers: Headers, pairs: [string, string][], map: Map<string, string>): void => {
  const url = 'https://claims.example';
  for (const given of [headers, pairs, map, { authorization: 'Bearer 1' }]) createLockManager({ url, headers: given });
  createLockManager({ url, headers: async () => headers });
  // @ts-expect-error a promise of headers is no headers
  createLockManager({ url, headers: Promise.resolve({ authorization: 'Bearer 1' }) });
  // @ts-expect-error nor is text
  createLockManager({ url, headers: 'authorization: Bearer 1' });
  // @ts-expect-error a service has one manager
  createLockManager({ url, name: 'own' });
  // @ts-expect-error and one scope
  createLockManager({ url, scope: 'host' });
  // @ts-expect-error a manager without a service has no sessions
  createLockManager({ name: 'own', ttl: 3 });
};

// Only at run time is it known which of the two it is.
export const byConfiguration = (url: string | undefined): Promise<string> =>
  createLockManager(url ? { url } : { name: 'own' }).request('a', async (lock) => String(lock));

// Every manager of createLockManager() has one surface.
export const surface = async (): Promise<void> => {
  const managers = [
    createLockManager({ name: 'own', debug: true }), createLockManager({ url: 'https://claims.example', debug: (line) => console.log(line) }),
  ];
  for (const manager of managers) {
    const { members, waitsForItself } = await manager.inspect();
    const length: number = await draftsOf(manager).acquire(['a', 'b'], ({ scope }) => scope.length + members.length + waitsForItself.length);
    await manager.close();
    void length;
  }
  await using disposed = createLockManager({ url: 'https://claims.example' });
  void disposed;

  // @ts-expect-error a native manager has no drafts
  draftsOf(navigator.locks);
  // @ts-expect-error lines are given to a function
  install({ debug: 'lines' });
};

// The patterns take either.
export const patterns = async (election: Election): Promise<void> => {
  elect('name', { locks: navigator.locks, onLeader: ({ signal }) => fetch('/', { signal }), onLost: (error) => console.warn(error) });
  const pool = semaphore('name', 3, { locks: createLockManager({ name: 'own' }) });
  const slot: number = await pool.request({ signal: AbortSignal.timeout(1) }, ({ slot: index }) => index);
  const free: boolean = await pool.request({ ifAvailable: true }, async (each) => each !== null);
  const lock: AcquiredLock | null = await tryAcquire('name', { locks: navigator.locks, mode: 'shared' });
  const name: string = await withTimeout('name', 10, (held) => held.name);
  const held: boolean = election.isLeader || await isLocked('name', { locks });
  void [slot, free, lock, name, held];

  // @ts-expect-error the slot may be null
  void pool.request({ ifAvailable: true }, (each) => each.slot);
  // @ts-expect-error there is no number of slots
  void semaphore('name');
};

export const aborted = (signal: AbortSignal): Promise<string> => locks.request('name', { signal }, (lock) => lock.name);
