/**
 * What the log offers to the APIs above it, and the types that its parts share.
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
 *   on. unavailable: an ifAvailable request was refused, and has ended. The other outcomes end a pending or held request. broken: stolen or
 *   force-released; expired: at a deadline; lost: this context was declared dead or has left; closed: see glue/api/closing.js.
 *
 * @typedef {(outcome: Outcome, fence: number, reason?: Error) => void} RequestListener never called from inside request(). The [fence]
 *   belongs to a grant. A [reason] is given if the request is lost because this context cannot work at all.
 *
 * @typedef {object} LogRequest
 * @property {number} number
 * @property {RequestDescription} description
 * @property {RequestListener} listener
 * @property {'open' | 'held' | 'ended'} status as the listener knows it
 * @property {Outcome | ''} news the outcome that the listener has not been told yet
 * @property {boolean} entersFirst whether the listener is told of the grant before it is told of the end
 * @property {number} fence
 * @property {boolean} askedAgain whether this if-available request has been refused once
 *
 * @typedef {object} LockLog one context's part in the log of one manager: ./log.js, ../platform/node/log.js or ../claims/log.js.
 *   ../api/debug.js, ../api/closing.js and ../platform/node/second-look.js wrap it, and pass on only the parameters listed here
 * @property {() => string} clientId
 * @property {(description: RequestDescription, listener: RequestListener) => LogRequest} request
 * @property {(request: LogRequest) => void} drop aborts or releases it, in any state; its listener is no longer called
 * @property {(request: LogRequest) => void} [detach] its lock no longer keeps this context alive; absent if locks never do
 * @property {(request: LogRequest) => Promise<void>} [rest] resolves when the dropped request has ended in every context; absent if drop()
 *   is enough
 * @property {(names: string[]) => Promise<void>} forceRelease resolves when the locks have been released
 * @property {() => Promise<State>} query resolves with the state after all earlier operations of this context
 * @property {() => Promise<Inspection>} inspect
 * @property {() => void} join joins at once, without a request
 * @property {() => void} leave leaves: held and pending requests end as 'lost'
 *
 * @typedef {object} Inspection
 * @property {string} client this context
 * @property {string} leader the eldest member; empty in Node and over a claims service
 * @property {string} log the log's id; in Node the number of the journal's file
 * @property {number} count how many entries this context has applied; in Node how many bytes of that file
 * @property {State} state
 */
export {};
