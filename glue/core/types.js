/**
 * The types that all of glue/ shares. csrc/lockkeeper.h is the manual; these are its JavaScript forms.
 *
 * @typedef {'exclusive' | 'shared'} Mode
 *
 * @typedef {object} RequestOperation
 * @property {'request'} type
 * @property {string} client the client's id
 * @property {number} number of the operation: a client counts its operations from 1, and its join is the first
 * @property {string[]} names one or more, without duplicates
 * @property {Mode} mode
 * @property {boolean} [ifAvailable]
 * @property {boolean} [steal]
 * @property {number} [limit] of a shared request: how many requests with the same limit may hold its names at once; 0 or absent: any number
 * @property {number} [wait] whole milliseconds it may be pending; absent: for ever
 * @property {number} [hold] whole milliseconds it may be held; absent: for ever
 *
 * @typedef {{type: 'drop', client: string, number: number, request: number}} DropOperation [request] is the number of the
 *   request's own operation
 * @typedef {{type: 'force-release', client: string, number: number, names: string[]}} ForceReleaseOperation
 * @typedef {{type: 'join', client: string, number: number}} JoinOperation
 * @typedef {RequestOperation | DropOperation | ForceReleaseOperation | JoinOperation} ClientOperation an operation that a client numbers
 * @typedef {{type: 'gone', client: string}} GoneOperation
 * @typedef {{type: 'tick', now: number}} TickOperation [now] in whole milliseconds
 * @typedef {ClientOperation | GoneOperation | TickOperation} Operation
 *
 * @typedef {object} LockEvent
 * @property {'granted' | 'unavailable' | 'broken' | 'removed' | 'expired' | 'joined'} type
 * @property {string} client
 * @property {number} number of the request; in a 'joined' event, of the join
 * @property {number} fence above 0 if [type] is 'granted', else 0
 *
 * @typedef {object} RequestState
 * @property {string} client
 * @property {number} number
 * @property {Mode} mode
 * @property {number} limit 0: none
 * @property {string[]} names
 * @property {number} fence 0 while pending
 * @property {number} deadline log time at which waiting (pending) or holding (held) ends; Infinity if it does not
 * @property {number} hold
 *
 * @typedef {object} State the content of a snapshot
 * @property {number} time
 * @property {number} fence the last one given
 * @property {number} lastHandle
 * @property {{client: string, handle: number, last: number}[]} members in the order of joining
 * @property {RequestState[]} held in the order of their grants
 * @property {RequestState[]} pending in the order of their arrival
 *
 * @typedef {object} Core the state machine, whichever way it was compiled
 * @property {(operation: Operation) => LockEvent[]} apply throws a CoreError if it refuses [operation]. With the codes 'refused' and
 *   'no-fence' the operation's number is used up, and nothing else is changed. With all others nothing is changed
 * @property {(operations: Operation[]) => LockEvent[]} foresee the events that applying [operations] would cause; it changes nothing.
 *   Empty if apply would throw, or if there is no memory for a copy
 * @property {() => Uint8Array} snapshot the whole state as bytes; equal states, equal bytes. Throws a CoreError, code 'out-of-memory'
 * @property {(bytes: Uint8Array) => void} restore replaces the state. Throws a CoreError, code 'bad-snapshot' or 'out-of-memory', or in the
 *   package a TypeError if [bytes] are no bytes, and keeps the old one
 * @property {(fence: number) => void} reset empties the state; fences start above [fence]. Throws a CoreError, code 'invalid' or
 *   'out-of-memory', and keeps the old state
 * @property {(fence: number) => void} raise makes later fences greater than [fence]; throws a CoreError, code 'invalid', if [fence] is
 *   not a number or leaves too few fences
 * @property {() => Iterable<RequestState>} requests held, then pending, one after the other; throws an Error if the state is changed
 *   meanwhile
 * @property {() => State} state the decoded snapshot(); throws as that does
 * @property {() => number} hash of all that a snapshot has: equal states, equal hashes
 * @property {() => number} time log time, milliseconds
 * @property {() => number} nextDeadline log time, or Infinity
 * @property {() => number} requestCount held and pending
 * @property {(client: string, number: number) => boolean} isUndisputed whether the client's request with that number is held, and nobody
 *   waits for any of its names
 * @property {(client: string, names: string[]) => 'unused' | 'awaited' | 'held'} useByOthers whether clients other than [client] hold one
 *   of [names], or else wait for one; throws a CoreError, code 'out-of-memory'
 * @property {(client: string) => number} last the number of the member's last operation; -1 if it is not a member
 */
export {};
