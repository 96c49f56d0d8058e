/**
 * What the log offers to the faces, and what its parts say to each other.
 *
 * @typedef {import('../core/types.js').ClientOperation} ClientOperation
 * @typedef {import('../core/types.js').Operation} Operation
 * @typedef {import('../core/types.js').State} State
 *
 * @typedef {object} RequestDescription
 * @property {string[]} names without duplicates
 * @property {'exclusive' | 'shared'} mode
 * @property {boolean} [ifAvailable]
 * @property {boolean} [steal]
 * @property {number} [wait]
 * @property {number} [hold]
 *
 * @typedef {'granted' | 'unavailable' | 'broken' | 'expired' | 'lost' | 'closed'} Outcome of a request. granted: the lock is held from now
 *   on. unavailable: an ifAvailable request was not granted, and has ended. Or, pending or held, it was taken away. broken: stolen or
 *   forced; expired: a deadline; lost: this context was declared dead or has left; closed: its manager was closed (glue/api/closing.js).
 *
 * @typedef {(outcome: Outcome, fence: number, reason?: Error) => void} RequestListener never called from inside request(). The [fence]
 *   is a grant's. The [reason] says why nothing can be had here, where that is why the request is lost.
 *
 * @typedef {object} LogRequest
 * @property {number} number
 * @property {RequestDescription} description
 * @property {RequestListener} listener
 * @property {'open' | 'held' | 'ended'} status as the listener knows it
 * @property {import('../core/types.js').LockEvent['type'] | 'lost' | ''} news what the listener has not been told yet
 * @property {boolean} entersFirst whether the listener is told of the grant before it is told of the end
 * @property {number} fence
 * @property {boolean} askedAgain whether this if-available request has been refused once
 *
 * @typedef {object} LockLog one context's part in the log of one manager
 * @property {() => string} clientId
 * @property {(description: RequestDescription, listener: RequestListener) => LogRequest} request
 * @property {(request: LogRequest) => void} drop abort or release: it ends, whatever state it is in; its listener is not called any more
 * @property {(request: LogRequest) => void} [detach] the lock that it holds no longer keeps this context alive; absent where nothing does
 * @property {(request: LogRequest) => Promise<void>} [rest] resolves once what was dropped has ended for everybody; absent where the
 *   drop itself is as good
 * @property {(names: string[]) => Promise<void>} forceRelease resolves when it has been done
 * @property {() => Promise<State>} query the state after everything that this context has asked for before
 * @property {() => Promise<Inspection>} inspect
 * @property {() => void} join takes part at once, without a request
 * @property {() => void} leave hands everything back: what is held or asked for ends as 'lost'
 *
 * @typedef {object} Inspection
 * @property {string} client this context
 * @property {string} leader the eldest member
 * @property {string} log
 * @property {number} count how many entries this context has applied
 * @property {boolean} alone
 * @property {State} state
 */
export {};
