/** lockkeeper/core: the state machine itself, for hosts that put operations in order in another way. */
import type { LockMode } from './index.js';

interface ClientOperationPart {
  /** The client's id. */
  client: string;
  /** Counts the client's operations; its join is the first. */
  number: number;
}

export interface RequestOperation extends ClientOperationPart {
  type: 'request';
  /** One or more, without duplicates. */
  names: string[];
  mode: LockMode;
  /** Of a shared request: so many may hold its names at once, if all of them say so; 0 or absent: any number. */
  limit?: number;
  ifAvailable?: boolean;
  steal?: boolean;
  /** Milliseconds it may be pending; absent: for ever. */
  wait?: number;
  /** Milliseconds it may be held; absent: for ever. */
  hold?: number;
}

export interface DropOperation extends ClientOperationPart {
  type: 'drop';
  /** The number of the request's own operation. */
  request: number;
}

export interface ForceReleaseOperation extends ClientOperationPart {
  type: 'force-release';
  names: string[];
}

export interface JoinOperation extends ClientOperationPart {
  type: 'join';
}

export interface GoneOperation {
  type: 'gone';
  client: string;
}

export interface TickOperation {
  type: 'tick';
  now: number;
}

export type ClientOperation = RequestOperation | DropOperation | ForceReleaseOperation | JoinOperation;
export type Operation = ClientOperation | GoneOperation | TickOperation;

export interface LockEvent {
  type: 'granted' | 'unavailable' | 'broken' | 'removed' | 'expired' | 'joined';
  client: string;
  /** Of the request. */
  number: number;
  /** Above 0 where [type] is 'granted', else 0. */
  fence: number;
}

export interface RequestState {
  client: string;
  number: number;
  mode: LockMode;
  /** 0: none. */
  limit: number;
  names: string[];
  /** 0 while pending. */
  fence: number;
  /** Log time at which waiting (pending) or holding (held) ends; Infinity where it does not. */
  deadline: number;
  hold: number;
}

export interface State {
  time: number;
  /** The last one given. */
  fence: number;
  lastHandle: number;
  /** In the order of joining. */
  members: { client: string; handle: number; last: number }[];
  /** In the order of their grants. */
  held: RequestState[];
  /** In the order of their arrival. */
  pending: RequestState[];
}

export interface Core {
  /**
   * Throws a CoreError where the operation is refused. With the codes 'refused' and 'no-fence' its number is used up, so that the client's
   * next operation is no gap; nothing else is changed. With all others nothing is changed.
   */
  apply(operation: Operation): LockEvent[];
  /** What apply() would return, together, or nothing where it would throw. Changes nothing, and takes as long as there are requests. */
  foresee(operations: Operation[]): LockEvent[];
  /** The whole state; equal states, equal bytes. */
  snapshot(): Uint8Array;
  /** Replaces the state; throws a CoreError, code 'bad-snapshot', and keeps the old one. */
  restore(bytes: Uint8Array): void;
  /** Empties the state; fences start above [fence]. */
  reset(fence: number): void;
  /** Fences go on above [fence], if they are not above it yet. Throws a CoreError, code 'invalid', where too few would be left. */
  raise(fence: number): void;
  /**
   * The held requests in the order of their grants, then the pending ones in the order of their arrival, one after the other: without a
   * snapshot, so the first ones cost the same however many there are. apply(), foresee(), restore() and reset() end the iteration with an
   * Error.
   */
  requests(): Iterable<RequestState>;
  /** What snapshot() says, decoded. */
  state(): State;
  /** Of all that a snapshot has: equal states, equal hashes. */
  hash(): number;
  /** Log time, milliseconds. */
  time(): number;
  /** Log time, or Infinity. */
  nextDeadline(): number;
  /** How many are held and pending. */
  requestCount(): number;
  /** Whether the client's request with that number is held, and nobody waits for any of its names. */
  isUndisputed(client: string, number: number): boolean;
  /** What clients other than [client] do with [names]: hold one of them, or else wait for one. */
  useByOthers(client: string, names: string[]): 'unused' | 'awaited' | 'held';
  /** The member's last operation number; -1 where it is no member. */
  last(client: string): number;
}

export declare class CoreError extends Error {
  readonly code: 'refused' | 'no-fence' | 'out-of-memory' | 'invalid' | 'unknown-client' | 'duplicate' | 'gap' | 'bad-snapshot' |
    'no-handle' | (string & {});
}

export interface CoreOptions {
  /** The content of core.wasm (a buffer), or its compiled module. Without it, and without [js], the core is this package's own. */
  wasm?: object;
  /**
   * Makes a new instance of the core compiled to JavaScript: the default export of build/out/core.js, which the build of the repository
   * makes. The package has none: `lockkeeper/core/nowasm` has it inside.
   */
  js?: () => object;
  /** Fences start above it. */
  fence?: number;
  /** 32 bits that key its hash tables, at random if absent. No state, hash or order depends on them. */
  seed?: number;
}

/** An empty core. Without [wasm] and [js] a RangeError where the engine does not compile at once; openCore() gives a promise there. */
export declare function createCore(options?: CoreOptions): Core;

/** An empty core of this package's own: at once where the engine can. */
export declare function openCore(): Core | Promise<Core>;

/** What the bytes of snapshot() say. The bytes must be a core's own; restore() is what checks bytes from elsewhere. */
export declare function decodeSnapshot(bytes: Uint8Array): State;
