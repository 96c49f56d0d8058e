/** lockkeeper/drafts: scopes, flags, force release and handles, on the same names as navigator.locks. docs/drafts.md is the manual. */
/// <reference lib="esnext.disposable" />
import type { LockMode, LockSignal } from './index.js';

/** One name or several; the result is unique and sorted. An empty sequence is a TypeError. */
export type Scope = string | Iterable<string>;

/** What an AbortSignal of the platform has, as far as it is known here. */
export interface LossSignal extends LockSignal {
  readonly reason: any;
}

export interface ScopedLock {
  readonly scope: readonly string[];
  readonly mode: LockMode;
  /** Grows with every grant in the manager: for a server behind, which can refuse who comes with less than it has seen. */
  readonly fence: number;
  /** Fires when the lock is lost: stolen, forced, its lease over, or this context declared dead. An AbortSignal, where there are any. */
  readonly signal: LossSignal;
}

/** A request that a lock is in the way of. */
export interface Waiter {
  clientId: string;
  mode: LockMode;
  scope: readonly string[];
}

/** What every face here understands besides what its draft has. */
export interface Limits {
  /** Ends the waiting after so many milliseconds, with a TimeoutError; 0 tries once. */
  timeout?: number;
  /** A lease: the lock is taken away after so many milliseconds, and its promise rejects with a TimeoutError. */
  hold?: number;
  /** Ends the waiting, not the lock. */
  signal?: LockSignal;
  /** Called once for each request that this lock is in the way of, while it is held. */
  onContention?: (waiter: Waiter) => void;
}

export interface AcquireOptions extends Limits {
  /** Default: 'exclusive'. */
  mode?: LockMode;
  /** Do not wait: the result is null where the lock cannot be had at once. */
  ifAvailable?: boolean;
}

/** Takes all names of [scope] or none, and holds them until what the callback returned has settled. */
export declare function acquire<T>(scope: Scope, callback: (lock: ScopedLock) => T): Promise<Awaited<T>>;
export declare function acquire<T>(
  scope: Scope, options: AcquireOptions & { ifAvailable?: false }, callback: (lock: ScopedLock) => T,
): Promise<Awaited<T>>;
export declare function acquire<T>(scope: Scope, options: AcquireOptions, callback: (lock: ScopedLock | null) => T): Promise<Awaited<T>>;

export interface ScopeInfo {
  mode: LockMode;
  scope: string[];
}

/** What is held and waited for, in all contexts; each request stands once, with all of its names. */
export declare function queryState(): Promise<{ held: ScopeInfo[]; pending: ScopeInfo[] }>;

/** Breaks every held lock that has a name of [scope], at one stroke; its holder's promise rejects with an AbortError. */
export declare function forceRelease(scope: Scope): Promise<void>;

/** Released by a later microtask, unless waitUntil() keeps it. */
export interface AutoReleaseLock extends ScopedLock {
  /** Settles once the lock has been let go: rejects with the first rejection among what was waited for, or with how it was lost. */
  readonly released: Promise<void>;
  /** Keeps the lock until [promise] is fulfilled; one that rejects releases at once. A TypeError once it is released. */
  waitUntil(promise: unknown): Promise<void>;
}

/** The first draft's lock that releases itself. */
export declare class Flag implements AutoReleaseLock {
  private constructor();
  readonly scope: readonly string[];
  readonly mode: LockMode;
  readonly fence: number;
  readonly signal: LossSignal;
  readonly released: Promise<void>;
  waitUntil(promise: unknown): Promise<void>;
}

/** Rejects with a TimeoutError after [timeout] milliseconds; 0 tries once. */
export declare function requestFlag(scope: Scope, mode: LockMode, options?: Limits): Promise<Flag>;

/** Held until release() is called. */
export interface ExplicitLock extends ScopedLock {
  /** Settles once the lock has been let go; rejects if it was lost before. */
  readonly released: Promise<void>;
  /** May be called again. */
  release(): void;
  /** Releases, and waits for it. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

export declare function requestExplicitLock(scope: Scope, options?: AcquireOptions & { ifAvailable?: false }): Promise<ExplicitLock>;
export declare function requestExplicitLock(scope: Scope, options: AcquireOptions): Promise<ExplicitLock | null>;

export declare function requestAutoReleaseLock(scope: Scope, options?: AcquireOptions & { ifAvailable?: false }): Promise<AutoReleaseLock>;
export declare function requestAutoReleaseLock(scope: Scope, options: AcquireOptions): Promise<AutoReleaseLock | null>;

/** Held until what the callback returned has settled. */
export declare function requestScopedLock<T>(
  scope: Scope, callback: (lock: ScopedLock) => T, options?: AcquireOptions & { ifAvailable?: false },
): Promise<Awaited<T>>;
export declare function requestScopedLock<T>(
  scope: Scope, callback: (lock: ScopedLock | null) => T, options: AcquireOptions,
): Promise<Awaited<T>>;
