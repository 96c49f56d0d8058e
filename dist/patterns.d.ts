/**
 * lockkeeper/patterns: common uses of locks. Loading this module has no side effects. docs/patterns.md is the manual.
 *
 * Every function works over any LockManager, given as the option `locks`. The default is `locks` of lockkeeper. A native manager and
 * Lockkeeper's do not share names, so use the same one in all contexts.
 */
/// <reference lib="esnext.disposable" />
import type { LockManager, LockMode, LockSignal } from './index.js';

export interface PatternOptions {
  /** The manager to use, such as navigator.locks. Default: `locks` of lockkeeper. */
  locks?: LockManager;
}

/** A held lock. */
export interface PatternLock {
  readonly name: string;
  readonly mode: LockMode;
  /** Aborts when the lock is lost, with the error of the loss. Not on release. */
  readonly signal: LockSignal;
}

export interface ElectOptions extends PatternOptions {
  /**
   * Called whenever this context begins to lead. `signal` aborts when its term ends. If the returned promise rejects, the context resigns,
   * and `ended` rejects. After resign() the next context leads when the returned promise has settled.
   */
  onLeader?: (term: { signal: LockSignal }) => unknown;
  /** Called when the leadership was lost. The context stands for election again by itself. */
  onLost?: (error: unknown) => void;
  /** Resigns when it aborts. */
  signal?: LockSignal;
}

/** A context's part in an election. */
export interface Election {
  /** Whether this context leads now. */
  readonly isLeader: boolean;
  /**
   * Fulfils when the context has resigned, or if the manager is closed while it waits. Rejects if onLeader failed, or if the manager
   * refuses the request, with its error.
   */
  readonly ended: Promise<void>;
  /**
   * Ends the term, or the waiting for one, for good. Fulfils when the lock is released, which is after onLeader has settled. So do not
   * await it in onLeader. Never rejects.
   */
  resign(): Promise<void>;
  /** resign(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Stands for election: of all contexts that stand under one name, one leads. When it resigns, ends or crashes, the next in line leads. Throws
 * a TypeError if an option has the wrong type.
 */
export declare function elect(name: string, options?: ElectOptions): Election;

export interface SemaphoreOptions extends PatternOptions {
  /** Called when a slot is lost while its callback runs. */
  onLost?: (error: unknown) => void;
}

export interface SlotOptions {
  /** Do not wait: the callback gets null if no slot is free. */
  ifAvailable?: boolean;
  /** Ends the waiting: the promise rejects with the signal's reason. It does not release a slot. */
  signal?: LockSignal;
  /** Called when this slot is lost while the callback runs. Default: the semaphore's. */
  onLost?: (error: unknown) => void;
}

export interface Slot {
  /** From 0 to one less than the number of slots. */
  readonly slot: number;
  /** Aborts when the slot is lost, with the error of the loss. Not on release. */
  readonly signal: LockSignal;
}

export interface Semaphore {
  readonly name: string;
  readonly slots: number;
  /**
   * Calls `callback` once a slot is free; first come, first served. Releases the slot when the promise that `callback` returned settles,
   * and settles the same way. Rejects with an AbortError if the slot is lost, with the signal's reason, with a TypeError if an argument has
   * the wrong type, and as the manager's request() does.
   */
  request<T>(callback: (slot: Slot) => T): Promise<Awaited<T>>;
  request<T>(options: SlotOptions & { ifAvailable?: false }, callback: (slot: Slot) => T): Promise<Awaited<T>>;
  request<T>(options: SlotOptions, callback: (slot: Slot | null) => T): Promise<Awaited<T>>;
}

/**
 * A semaphore: at most `slots` callbacks run at once, in all contexts. All must use the same number, at most 10,000. It uses the lock names
 * `NAME queue` and `NAME slot 1` to `NAME slot N`. Throws a TypeError if an argument has the wrong type.
 */
export declare function semaphore(name: string, slots: number, options?: SemaphoreOptions): Semaphore;

export interface TryAcquireOptions extends PatternOptions {
  /** Default: 'exclusive'. */
  mode?: LockMode;
  /** Called when the lock is lost before release(). */
  onLost?: (error: unknown) => void;
}

export interface AcquiredLock extends PatternLock {
  /** Releases the lock. Further calls do nothing. */
  release(): void;
  /** Settles when the lock is released. Rejects if the lock was lost before; ignoring it never causes an unhandled rejection. */
  readonly released: Promise<void>;
  /** Releases the lock and waits for that. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Gives the lock if it can be granted at once, else null. Rejects as the manager's request() does. */
export declare function tryAcquire(name: string, options?: TryAcquireOptions): Promise<AcquiredLock | null>;

/**
 * Whether any context holds a lock of that name. The answer may be outdated when you read it: to act on it, use tryAcquire(). Rejects as
 * the manager's query() does.
 */
export declare function isLocked(name: string, options?: PatternOptions): Promise<boolean>;

export interface WithTimeoutOptions extends TryAcquireOptions {
  /** Also ends the waiting: the promise rejects with the signal's reason. */
  signal?: LockSignal;
}

/**
 * Like the manager's request(), but rejects with a TimeoutError if the lock is not granted within `milliseconds`. 0 tries once. It limits
 * the waiting, not how long the lock is held.
 */
export declare function withTimeout<T>(name: string, milliseconds: number, callback: (lock: PatternLock) => T): Promise<Awaited<T>>;
export declare function withTimeout<T>(
  name: string, milliseconds: number, options: WithTimeoutOptions, callback: (lock: PatternLock) => T,
): Promise<Awaited<T>>;
