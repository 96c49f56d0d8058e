/** lockkeeper: the standard's Web Locks as a ponyfill. Importing it changes and starts nothing. */

export type LockMode = 'exclusive' | 'shared';

/** What an AbortSignal must offer; the DOM's and Node's do. */
export interface LockSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface LockOptions {
  /** Default: 'exclusive'. */
  mode?: LockMode;
  /** Do not wait: the callback gets null where the lock cannot be had at once. */
  ifAvailable?: boolean;
  /** Take the lock from whoever holds it. Exclusive only. */
  steal?: boolean;
  /** Ends the waiting, not the lock. Goes neither with ifAvailable nor with steal. */
  signal?: LockSignal;
}

export interface LockInfo {
  clientId: string;
  mode: LockMode;
  name: string;
}

export interface LockManagerSnapshot {
  held: LockInfo[];
  pending: LockInfo[];
}

/** What a callback is given. It says which lock is held; the lock is held until the callback's promise settles. */
export declare class Lock {
  private constructor();
  readonly name: string;
  readonly mode: LockMode;
}

export declare class LockManager {
  private constructor();
  /**
   * Calls [callback] once the lock is held, and lets go when what it returned has settled. The promise settles like that, after the
   * release; it rejects with the signal's reason where the waiting was aborted, with an AbortError where the lock was taken away.
   */
  request<T>(name: string, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions & { ifAvailable?: false }, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions, callback: (lock: Lock | null) => T): Promise<Awaited<T>>;
  /** What is held and waited for, in all contexts. */
  query(): Promise<LockManagerSnapshot>;
}

/** The manager that install() makes navigator.locks of. */
export declare const locks: LockManager;

export interface InstallOptions {
  /** Replace a native implementation. */
  force?: boolean;
  /** Install in a context that is not secure. */
  insecure?: boolean;
}

/** Defines navigator.locks, Lock and LockManager where they are missing. Returns the manager in use; undefined where there is none. */
export declare function install(options: InstallOptions & { insecure: true }): LockManager;
export declare function install(options?: InstallOptions): LockManager | undefined;

export interface LockManagerOptions {
  /** The same name, in every context of the origin or thread of the process, means the same manager. */
  name: string;
  /** Node: whom it is shared with, all threads of the process (the default) or all processes of this user on this host. */
  scope?: 'process' | 'host';
  /** Node: whether a lock that is held or asked for keeps the thread alive; it does unless this is false. */
  keepAlive?: boolean;
  /** Node, [scope] 'host': the directory in which the processes meet, if not the usual one for temporary files. */
  directory?: string;
}

export interface ClaimsLockManagerOptions {
  /** Of a claims service. */
  url: string;
  /** Seconds after which a claim ends by itself if this client is gone; while it lives, claims are prolonged. Default: 30. */
  ttl?: number;
  /** What query() shows as this client's; otherwise random. */
  clientId?: string;
  /** Sent with every request, for authorization. */
  headers?: Record<string, string>;
}

/** A manager whose locks are claims: they reach from pages to machines. It cannot steal. */
export declare function createLockManager(options: ClaimsLockManagerOptions): LockManager;

/** A manager of its own, apart from navigator.locks. With nothing but [keepAlive] it is the same manager as [locks]. */
export declare function createLockManager(options: LockManagerOptions | { keepAlive: boolean }): LockManager;

export interface MemberReport {
  client: string;
  /** [since]: when it was granted, in milliseconds since 1970 by this context's clock; or when this context joined, if that was later. */
  held: { names: string[]; mode: LockMode; since: number; fence: number }[];
  /** [since]: when it was asked for. */
  pending: { names: string[]; mode: LockMode; since: number }[];
}

export interface Report {
  /** This context. */
  client: string;
  leader: string;
  epoch: number;
  /** In the order of joining. */
  members: MemberReport[];
  /** Groups of members each of which waits, directly or through others, for every other one. */
  deadlocks: string[][];
}

/** For people and tools: who leads, who holds and waits for what, and which deadlocks there may be. */
export declare function inspect(): Promise<Report>;
