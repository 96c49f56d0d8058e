/**
 * lockkeeper: the Web Locks API as a ponyfill. Loading this module has no side effects. Everything starts with the first request.
 *
 * The standard: https://w3c.github.io/web-locks/
 */
/// <reference lib="esnext.disposable" />

/** https://w3c.github.io/web-locks/#enumdef-lockmode */
export type LockMode = 'exclusive' | 'shared';

/** The part of an AbortSignal that Lockkeeper needs, for compilers that do not know it: without the `dom` library and Node's types. */
export interface MinimalSignal {
  readonly aborted: boolean;
  readonly reason: any;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The platform's AbortSignal. */
export type LockSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : MinimalSignal;

/** https://w3c.github.io/web-locks/#dictdef-lockoptions */
export interface LockOptions {
  /** An exclusive lock blocks every other request for its name. A shared lock blocks only exclusive requests. Default: 'exclusive'. */
  mode?: LockMode;
  /** Do not wait: the callback gets null if the lock cannot be granted at once. Cannot be combined with `steal` or `signal`. */
  ifAvailable?: boolean;
  /**
   * Break the locks of the holders and take the lock. Their promises reject with an AbortError; their callbacks keep running. Needs mode
   * 'exclusive'; cannot be combined with `ifAvailable` or `signal`.
   */
  steal?: boolean;
  /** Ends the waiting: the promise rejects with the signal's reason. It does not release a lock that is already held. */
  signal?: LockSignal;
}

/**
 * A held lock, or a pending request.
 *
 * https://w3c.github.io/web-locks/#dictdef-lockinfo
 */
export interface LockInfo {
  /** The context that holds or waits. */
  clientId: string;
  mode: LockMode;
  name: string;
}

/** https://w3c.github.io/web-locks/#dictdef-lockmanagersnapshot */
export interface LockManagerSnapshot {
  /** In the order in which they were granted. */
  held: LockInfo[];
  /** In the order in which they were made. */
  pending: LockInfo[];
}

/**
 * The object that a callback gets. It describes the lock, which is held until the callback's promise settles.
 *
 * https://w3c.github.io/web-locks/#api-lock
 */
export declare class Lock {
  private constructor();
  readonly name: string;
  readonly mode: LockMode;
}

/**
 * A lock manager of the standard: the browser's, Node's or Lockkeeper's. Its type matches the `dom` library's LockManager, so that you can
 * use one in place of the other.
 *
 * https://w3c.github.io/web-locks/#api-lock-manager
 */
export declare class LockManager {
  private constructor();
  request<T>(name: string, callback: (lock: Lock | null) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions, callback: (lock: Lock | null) => T): Promise<Awaited<T>>;
  query(): Promise<{ held?: Partial<LockInfo>[]; pending?: Partial<LockInfo>[] }>;
}

/** Lockkeeper's own manager. Its types are stricter than the standard's: only `ifAvailable` can give null, and snapshots are complete. */
export interface LockkeeperManager extends LockManager {
  /**
   * Calls `callback` once the lock is held. Releases the lock when the promise that `callback` returned settles, and settles the same way.
   *
   * Rejects with
   * - what `callback` throws or rejects with;
   * - the signal's reason, if the signal aborts while the request waits;
   * - an AbortError, if the lock is lost: stolen, broken by forceRelease(), or released because its page entered the back-forward cache;
   * - a TypeError, for arguments of the wrong type;
   * - a NotSupportedError, for a name that begins with `-`, and for options that cannot be combined;
   * - a SecurityError, where the origin may not keep storage, such as in a sandboxed frame;
   * - an InvalidStateError, if the document is not active;
   * - an Error, if the browser lacks something that Lockkeeper needs, or if Node cannot use the files of the manager, such as those in
   *   `directory`. Its message says what is wrong and what to do.
   *
   * https://w3c.github.io/web-locks/#api-lock-manager-request
   */
  request<T>(name: string, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions & { ifAvailable?: false }, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions, callback: (lock: Lock | null) => T): Promise<Awaited<T>>;
  /**
   * The held locks and the pending requests of all contexts. Rejects with a SecurityError, an InvalidStateError or an Error, as request()
   * does.
   *
   * https://w3c.github.io/web-locks/#api-lock-manager-query
   */
  query(): Promise<LockManagerSnapshot>;
}

/** The default manager: install() makes it navigator.locks. */
export declare const locks: LockkeeperManager;

/**
 * Prints what this context does, one line for each event, for bug reports. `true`: to the console, or in Node to the standard error output.
 * A function gets each line. `false`: prints nothing. Default: the setting `LOCKKEEPER_DEBUG`. docs/debugging.md explains the lines.
 */
export type DebugOption = boolean | ((line: string) => void);

export interface InstallOptions {
  /** Replace a native implementation. */
  force?: boolean;
  /** Install in a context that is not secure. */
  insecure?: boolean;
  /** Join the other contexts at once, instead of at the first request. Then that request need not wait for a member's answer. */
  join?: boolean;
  /** Takes effect only if this context has not used the manager yet. */
  debug?: DebugOption;
}

/**
 * Defines navigator.locks, Lock and LockManager if they are missing, and returns the manager in use: the native one, or `locks`. Returns
 * undefined, and does nothing, in a context that is not secure, unless `insecure` is true. Where Node has no navigator (18 and 20), it
 * creates one that has only `locks`. Throws a TypeError if an option is unknown or has the wrong type.
 */
export declare function install(options: InstallOptions & { force: true; insecure: true }): LockkeeperManager;
export declare function install(options: InstallOptions & { force: true }): LockkeeperManager | undefined;
export declare function install(options: InstallOptions & { insecure: true }): LockManager;
export declare function install(options?: InstallOptions): LockManager | undefined;

export interface LockManagerOptions {
  /** The same name means the same manager: in every context of the origin, in every thread of the process. Not empty. */
  name: string;
  /** Node only: who shares the manager. 'process' (the default): all threads of the process. 'host': all processes of this user. */
  scope?: 'process' | 'host';
  /** Node only: whether held locks and pending requests keep the thread alive. Default: true. */
  keepAlive?: boolean;
  /** Node only, with scope 'host': the directory in which the processes meet. Default: one for temporary files. */
  directory?: string;
  debug?: DebugOption;
}

/** The manager is that of `locks`. */
export interface DefaultManagerOptions extends Pick<LockManagerOptions, 'keepAlive' | 'debug'> {
  keepAlive: boolean;
  name?: undefined;
  scope?: undefined;
  directory?: undefined;
}

/** Headers as fetch() accepts them: an object, a Headers, or a list of pairs. */
export type ClaimsHeaders = Record<string, string> | Iterable<readonly [string, string]>
  | (typeof globalThis extends { Headers: { prototype: infer Given } } ? Given : never);

export interface ClaimsLockManagerOptions {
  /** The http or https address of a claims service. All requests go there. */
  url: string | { readonly href: string; readonly searchParams: object };
  /** Seconds after which a claim ends if this client dies. While the client lives, it renews its claims. Default: 30. */
  ttl?: number;
  /** The id that query() shows for this client. Default: a random one. */
  clientId?: string;
  /** Sent with every request, for authorization. A function is called for each request, for tokens that expire. */
  headers?: ClaimsHeaders | (() => ClaimsHeaders | Promise<ClaimsHeaders>);
  /**
   * How many seconds to retry a service that cannot be reached. After that, the request rejects with a NetworkError. Infinity: for ever.
   * Default: 60.
   */
  patience?: number;
  debug?: DebugOption;
  name?: undefined;
  scope?: undefined;
  keepAlive?: undefined;
  directory?: undefined;
}

/** A lock that is a claim at a service. */
export interface ClaimsLock extends Lock {
  /** Grows with every grant. A server that refuses a lower fence than it has seen is safe from late writes. */
  readonly fence: number;
  /** Aborts when the lock is lost: the service cannot be reached in time, or the claim was revoked. Not on release. */
  readonly signal: LockSignal;
}

/** A manager whose locks are claims at a service, so that they work across machines. It cannot steal. docs/claims.md is the manual. */
export interface ClaimsLockManager extends LockManager {
  /**
   * Calls `callback` once the claim is active. Ends the claim when the promise that `callback` returned settles, and settles the same way once
   * the service knows, or after a second.
   *
   * Rejects with
   * - what `callback` throws or rejects with;
   * - the signal's reason, if the signal aborts while the request waits;
   * - an AbortError, if the lock is lost or the manager is closed;
   * - a TypeError, for arguments of the wrong type;
   * - a NotSupportedError, for `steal`, for a name that begins with `-`, and for options that cannot be combined;
   * - an InvalidStateError, if the manager is already closed;
   * - a NetworkError, if the service cannot be reached for `patience` seconds;
   * - a DataError, if the function `headers` gives no headers, and with what that function throws;
   * - an Error, if the service refuses the claim, or if something else answers at that address. Its message has the answer.
   */
  request<T>(name: string, callback: (lock: ClaimsLock) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions & { ifAvailable?: false }, callback: (lock: ClaimsLock) => T): Promise<Awaited<T>>;
  request<T>(name: string, options: LockOptions, callback: (lock: ClaimsLock | null) => T): Promise<Awaited<T>>;
  /**
   * All active and waiting claims of the service. Rejects with an InvalidStateError, a NetworkError, a DataError or an Error as request()
   * does.
   */
  query(): Promise<LockManagerSnapshot>;
  /** Like inspect(): which client holds or waits for what at the service. `leader` is empty, `entries` is 0. Rejects as query() does. */
  inspect(): Promise<Report>;
  /**
   * Ends held and pending requests: they reject with an AbortError, and `signal` of held locks aborts. New requests reject with an
   * InvalidStateError. Fulfils when the service knows, or after a second.
   */
  close(): Promise<void>;
  /** close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A manager that createLockManager() has made for a name. */
export interface NamedLockManager extends LockkeeperManager {
  /** Like inspect(), for this manager. Rejects as query() does, and with an InvalidStateError once the manager is closed. */
  inspect(): Promise<Report>;
  /**
   * Leaves the manager. Pending requests reject with an AbortError, new ones with an InvalidStateError. Held locks stay held until their
   * callbacks have settled, and then the promise fulfils. So do not await it in a callback of this manager: each would wait for the other.
   */
  close(): Promise<void>;
  /** close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a manager whose names are separate from those of navigator.locks. With only `keepAlive` it is the same manager as `locks`. Throws
 * a TypeError if there is no name, or if an option is unknown or has the wrong type.
 */
export declare function createLockManager(options: LockManagerOptions | DefaultManagerOptions): NamedLockManager;
/** Creates a manager whose locks are claims at the service at `url`. Throws a TypeError if an option is unknown or has the wrong type. */
export declare function createLockManager(options: ClaimsLockManagerOptions): ClaimsLockManager;
/** Either of the two, by the options. */
export declare function createLockManager(
  options: LockManagerOptions | ClaimsLockManagerOptions,
): (NamedLockManager | ClaimsLockManager) & LockManager;

export interface MemberReport {
  /** The id of a context. */
  client: string;
  /** `since`: when the lock was granted, in milliseconds since 1970 by this context's clock; when this context joined, if that was later. */
  held: { names: string[]; mode: LockMode; since: number; fence: number }[];
  /** `since`: when the request was made, as above. */
  pending: { names: string[]; mode: LockMode; since: number }[];
}

export interface Report {
  /** The id of this context. */
  client: string;
  /** The id of the leader, the eldest member. Empty in Node and over a claims service, where no context leads. */
  leader: string;
  /** How much of the log this context has applied: a number of entries; in Node, of bytes of the journal. */
  entries: number;
  /** In the order of joining. Over a claims service: the clients that hold or wait. */
  members: MemberReport[];
  /** Groups of contexts that wait for each other. */
  deadlocks: string[][];
  /** Contexts that wait for a lock that they hold themselves: a deadlock, if the callback that holds it waits for the request. */
  waitsForItself: string[];
}

/** Which context holds or waits for which lock and since when, which one leads, and suspected deadlocks. Rejects as locks.query() does. */
export declare function inspect(): Promise<Report>;
