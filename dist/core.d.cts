/** lockkeeper/core: the state machine itself, for hosts that order the operations in another way. */
import type { LockMode } from './index.cjs';

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
  /** Of a shared request: how many requests with the same limit may hold its names at once; 0 or absent: any number. */
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
  /** The number of the request; in a 'joined' event, of the join. */
  number: number;
  /** Above 0 if [type] is 'granted', else 0. */
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
  /** Log time at which waiting (pending) or holding (held) ends; Infinity if it does not. */
  deadline: number;
  hold: number;
}

export interface State {
  time: number;
  /** The fence of the last grant. */
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
   * Throws a CoreError if it refuses the operation, and a TypeError if there is none. The codes 'refused' and 'no-fence' use up the
   * operation's number, so that the client's next operation is no gap. They change nothing else. All other codes change nothing.
   */
  apply(operation: Operation): LockEvent[];
  /**
   * The events that apply() would return; none if it would throw, or if there is no memory for a copy. Changes nothing. Takes time
   * proportional to the number of requests.
   */
  foresee(operations: Operation[]): LockEvent[];
  /** The whole state; equal states, equal bytes. Throws a CoreError, code 'out-of-memory'. */
  snapshot(): Uint8Array;
  /**
   * Replaces the state. Throws a CoreError, code 'bad-snapshot' or 'out-of-memory', or a TypeError if [bytes] are not bytes, and keeps the
   * old state.
   */
  restore(bytes: Uint8Array): void;
  /** Empties the state; fences start above [fence]. Throws a CoreError, code 'invalid' or 'out-of-memory', and keeps the old state. */
  reset(fence: number): void;
  /** Makes later fences greater than [fence]. Throws a CoreError, code 'invalid', if that is no fence or too few would be left. */
  raise(fence: number): void;
  /**
   * The held requests in the order of their grants, then the pending ones in the order of their arrival. It makes no snapshot, so the first
   * ones cost the same however many there are. apply(), foresee(), restore() and reset() end the iteration with an Error.
   */
  requests(): Iterable<RequestState>;
  /** The decoded snapshot(). Throws as that does. */
  state(): State;
  /** A hash of all that a snapshot contains: equal states, equal hashes. */
  hash(): number;
  /** Log time, milliseconds. */
  time(): number;
  /** Log time, or Infinity. */
  nextDeadline(): number;
  /** How many are held and pending. */
  requestCount(): number;
  /** Whether the client's request with that number is held and no request waits for any of its names. */
  isUndisputed(client: string, number: number): boolean;
  /** Whether clients other than [client] hold one of [names], or else wait for one. Throws a CoreError, code 'out-of-memory'. */
  useByOthers(client: string, names: string[]): 'unused' | 'awaited' | 'held';
  /** The number of the member's last operation; -1 if it is not a member. */
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
   * Creates an instance of the core compiled to JavaScript: the default export of build/out/core.js, which the repository's build writes.
   * The package does not contain that file: `lockkeeper/core/nowasm` has it embedded.
   */
  js?: () => object;
  /** Fences start above it. */
  fence?: number;
  /** 32 bits that key the hash tables; random if absent. No state, hash or order depends on them. */
  seed?: number;
}

/**
 * Creates an empty core. Without [wasm] and [js], it throws a RangeError if the engine does not compile synchronously: then use openCore().
 * Throws a TypeError for an option that it does not know, and a CoreError, code 'invalid', for a wrong fence.
 */
export declare function createCore(options?: CoreOptions): Core;

/** Creates an empty core of this package. A promise only if the engine refuses to compile synchronously. */
export declare function openCore(): Core | Promise<Core>;

/** Decodes the bytes of snapshot(). They must come from a core: only restore() checks bytes from elsewhere. */
export declare function decodeSnapshot(bytes: Uint8Array): State;
