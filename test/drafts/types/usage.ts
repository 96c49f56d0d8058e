/** How the drafts are used from TypeScript. Compiled by the tests, never run. */
import {
  acquire, Flag, forceRelease, queryState, requestAutoReleaseLock, requestExplicitLock, requestFlag, requestScopedLock,
  type AutoReleaseLock, type ExplicitLock, type Limits, type ScopedLock, type Waiter,
} from '../../../types/drafts.js';
import { inspect } from '../../../types/index.js';

declare const fetchWith: (fence: number) => Promise<string>;

export const faces = async (): Promise<void> => {
  const limits: Limits = { timeout: 1000, hold: 5000, onContention: ({ clientId, mode, scope }: Waiter) => void [clientId, mode, scope] };
  const text: string = await acquire(['a', 'b'], { ...limits, mode: 'shared' }, (lock: ScopedLock) => fetchWith(lock.fence));
  const tried: number | undefined = await acquire('a', { ifAvailable: true }, (lock) => lock?.scope.length);
  const lost: boolean = await acquire('a', ({ signal }) => {
    signal.addEventListener('abort', () => signal.reason);
    return signal.aborted;
  });
  const scoped: number | undefined = await requestScopedLock(new Set(['a']), (lock) => lock?.fence, { ifAvailable: true });
  const handle: ExplicitLock = await requestExplicitLock('a', limits);
  const maybe: ExplicitLock | null = await requestExplicitLock('a', { ifAvailable: true });
  const auto: AutoReleaseLock = await requestAutoReleaseLock('a');
  const none: AutoReleaseLock | null = await requestAutoReleaseLock('a', { ifAvailable: true });
  const flag: Flag = await requestFlag('a', 'shared', limits);
  const kept: Promise<void> = flag.waitUntil(handle.released);
  const [first] = (await queryState()).pending;
  const since: number = (await inspect()).members[0].held[0].since;
  await forceRelease(first.scope);
  void [text, tried, lost, scoped, maybe, auto, none, kept, since];

  // @ts-expect-error a flag has a mode
  void requestFlag('a');
  // @ts-expect-error the lock may be null
  void acquire('a', { ifAvailable: true }, (lock) => lock.scope);
  // @ts-expect-error the handle may be null
  (await requestExplicitLock('a', { ifAvailable: true })).release();
  // @ts-expect-error no scope
  void acquire(1, () => {});
  // @ts-expect-error a scope is frozen
  handle.scope.push('b');
  // @ts-expect-error no code can construct one
  void new Flag();
  // @ts-expect-error durations are numbers
  void acquire('a', { hold: '5' }, () => {});
};
