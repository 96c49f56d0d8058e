/** lockkeeper/drafts: scopes, flags, force release and handles, on the same names as `locks`. docs/drafts.md is the manual. */
/// <reference lib="esnext.disposable" />
import type { ClaimsLockManager, LockkeeperManager, LockMode, LockSignal } from './index.js';

/** One name or several. Duplicates are removed, and the rest is sorted. An empty sequence is a TypeError. */
export type Scope = string | Iterable<string>;

export interface ScopedLock {
  /** Frozen. */
  readonly scope: readonly string[];
  readonly mode: LockMode;
  /** Grows with every grant in the manager. A server that refuses a lower fence than it has seen is safe from late writes. */
  readonly fence: number;
  /** Aborts when the lock is lost: stolen, force-released, its lease over, or its context declared dead. Not on release. */
  readonly signal: LockSignal;
}

/** A request that a lock blocks. */
export interface Waiter {
  /** The context that waits. */
  clientId: string;
  mode: LockMode;
  scope: readonly string[];
}

/** Options that every function here takes. */
export interface Limits {
  /** Milliseconds to wait, then the promise rejects with a TimeoutError. 0 tries once. Default: for ever. */
  timeout?: number;
  /** A lease, in milliseconds: after that the lock is broken, and the promise rejects with a TimeoutError. Default: for ever. */
  hold?: number;
  /** Ends the waiting: the promise rejects with the signal's reason. It does not release a lock that is already held. */
  signal?: LockSignal;
  /** Called once for each request that this lock blocks while it is held. */
  onContention?: (waiter: Waiter) => void;
}

export interface AcquireOptions extends Limits {
  /** Default: 'exclusive'. */
  mode?: LockMode;
  /** Do not wait: the result is null if the lock cannot be granted at once. */
  ifAvailable?: boolean;
}

/**
 * Calls `callback` once all names of `scope` are held. Releases them when the promise that `callback` returned settles, and settles the same
 * way. The request waits for all names or none of them, so two calls cannot deadlock.
 *
 * Rejects with
 * - what `callback` throws or rejects with;
 * - the signal's reason, if the signal aborts while the request waits;
 * - a TimeoutError, after `timeout` or after `hold`;
 * - an AbortError, if the lock is lost: stolen, forced, or released because its page entered the back-forward cache;
 * - a TypeError, for arguments of the wrong type and for an empty scope;
 * - a NotSupportedError, for a name that begins with `-`;
 * - a SecurityError, where the origin may not keep storage, such as in a sandboxed frame;
 * - an InvalidStateError, if the document is not active;
 * - an Error, as `locks.request()` does, if the browser lacks something that Lockkeeper needs, or Node cannot use the manager's files.
 */
export declare function acquire<T>(scope: Scope, callback: (lock: ScopedLock) => T): Promise<Awaited<T>>;
export declare function acquire<T>(
  scope: Scope, options: AcquireOptions & { ifAvailable?: false }, callback: (lock: ScopedLock) => T,
): Promise<Awaited<T>>;
export declare function acquire<T>(scope: Scope, options: AcquireOptions, callback: (lock: ScopedLock | null) => T): Promise<Awaited<T>>;

export interface ScopeInfo {
  mode: LockMode;
  scope: string[];
}

/** The held locks and the pending requests of all contexts: each once, with all of its names. Rejects as locks.query() does. */
export declare function queryState(): Promise<{ held: ScopeInfo[]; pending: ScopeInfo[] }>;

/**
 * Breaks every held lock that has a name of `scope`, all in one step. The promises of their holders reject with an AbortError. Pending
 * requests stay in the queue. Rejects like acquire() for a wrong scope, or where there can be no lock manager. Over a claims service it
 * also rejects with a NotAllowedError if you may not revoke a claim.
 */
export declare function forceRelease(scope: Scope): Promise<void>;

/** A lock that a later microtask releases, unless waitUntil() keeps it. */
export interface AutoReleaseLock extends ScopedLock {
  /** Settles when the lock is released. Rejects with the first rejection of a promise that it waited for, or with the error of the loss. */
  readonly released: Promise<void>;
  /**
   * Keeps the lock until `promise` is fulfilled. A promise that rejects releases the lock at once. Returns `released`; rejects with a
   * TypeError if the lock is already released.
   */
  waitUntil(promise: unknown): Promise<void>;
}

/** The first draft's lock, which releases itself. */
export declare class Flag implements AutoReleaseLock {
  private constructor();
  readonly scope: readonly string[];
  readonly mode: LockMode;
  readonly fence: number;
  readonly signal: LockSignal;
  readonly released: Promise<void>;
  waitUntil(promise: unknown): Promise<void>;
}

/** Fulfils once the lock is held. Rejects as acquire() does. */
export declare function requestFlag(scope: Scope, mode: LockMode, options?: Limits): Promise<Flag>;

/** A lock that is held until release() is called. */
export interface ExplicitLock extends ScopedLock {
  /** Settles when the lock is released. Rejects if the lock was lost before; ignoring it never causes an unhandled rejection. */
  readonly released: Promise<void>;
  /** Releases the lock. Further calls do nothing. */
  release(): void;
  /** Releases the lock and waits for that. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Fulfils once the lock is held, or with null if `ifAvailable` is set and it is not available. Rejects as acquire() does. */
export declare function requestExplicitLock(scope: Scope, options?: AcquireOptions & { ifAvailable?: false }): Promise<ExplicitLock>;
export declare function requestExplicitLock(scope: Scope, options: AcquireOptions): Promise<ExplicitLock | null>;

/** Fulfils once the lock is held, or with null if `ifAvailable` is set and it is not available. Rejects as acquire() does. */
export declare function requestAutoReleaseLock(scope: Scope, options?: AcquireOptions & { ifAvailable?: false }): Promise<AutoReleaseLock>;
export declare function requestAutoReleaseLock(scope: Scope, options: AcquireOptions): Promise<AutoReleaseLock | null>;

/** acquire(), with the options last. */
export declare function requestScopedLock<T>(
  scope: Scope, callback: (lock: ScopedLock) => T, options?: AcquireOptions & { ifAvailable?: false },
): Promise<Awaited<T>>;
export declare function requestScopedLock<T>(
  scope: Scope, callback: (lock: ScopedLock | null) => T, options: AcquireOptions,
): Promise<Awaited<T>>;

export interface Drafts {
  /** {@link acquire}, over this manager. */
  acquire: typeof acquire;
  /** {@link queryState}, over this manager. */
  queryState: typeof queryState;
  /** {@link forceRelease}, over this manager. */
  forceRelease: typeof forceRelease;
  /** {@link requestFlag}, over this manager. */
  requestFlag: typeof requestFlag;
  /** {@link requestExplicitLock}, over this manager. */
  requestExplicitLock: typeof requestExplicitLock;
  /** {@link requestAutoReleaseLock}, over this manager. */
  requestAutoReleaseLock: typeof requestAutoReleaseLock;
  /** {@link requestScopedLock}, over this manager. */
  requestScopedLock: typeof requestScopedLock;
}

/**
 * All functions of this module over another manager. Over a claims service `onContention` rejects with a NotSupportedError, and forceRelease()
 * needs the right to revoke claims. Throws a TypeError for a native manager, and for one of another copy of the package: `import` and
 * `require` load two copies, and so do the entries with and without `nowasm`.
 */
export declare function draftsOf(manager: LockkeeperManager | ClaimsLockManager): Drafts;
