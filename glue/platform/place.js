/**
 * What a place (a browser, Node, a simulation) gives the log. docs/protocol.md, "What a place must provide", says what each promises.
 *
 * @typedef {object} Channel
 * @property {(message: any) => void} postLog to every context of the manager, the sender included
 * @property {(message: any) => void} postOperations to the context that leads
 * @property {(listening: boolean) => void} listenForOperations only the leader does
 * @property {() => void} close nothing is delivered any more; what was posted before still travels
 *
 * @typedef {object} Register one connection to the record that all contexts of the manager share
 * @property {(change: (record: any) => any) => Promise<any>} transact one atomic read and write: [change] gets the record and returns
 *   the new one
 *   (undefined: leave it as it is). Resolves, once that is committed, with the record as it is then; rejects when storage fails, and always
 *   when the connection was closed: it does not open another by itself. What a frozen context is about to do waits, and is in nobody's way.
 * @property {(hurried: boolean) => void} close [hurried]: nothing may stay under way; what is not committed yet may be given up
 *
 * @typedef {object} Place
 * @property {boolean} oneOrder every live context is delivered all log messages in the same order, the sender included
 * @property {(onLog: (message: any) => void, onOperations: (message: any) => void, onGap: () => void) => Channel} openChannel [onGap] is
 *   called where messages were lost on the way to this context
 * @property {(onLost: () => void) => Promise<Register>} openRegister [onLost] is called when the connection was closed from outside: the
 *   site's
 *   data was cleared, or storage broke
 * @property {(aliveName: string, onLost: () => void) => Promise<{close(): void}>} holdAlive shows that this context lives until it ends or
 *   closes; [onLost] as above
 * @property {(aliveName: string, onDeath: () => void) => void} watchAlive calls [onDeath] once the holder can run no more, never before.
 *   Where connections were closed from outside, [onDeath] may be called for a holder that lives.
 * @property {(listener: (state: import('./lifecycle.js').Lifecycle) => void) => void} [onLifecycle] called once, at the first request;
 *   absent where nothing is ever hidden
 * @property {() => unknown} sharesEventLoop whether other contexts of the manager may run in turn with this one on its thread
 * @property {() => number} now milliseconds of a clock that never goes back; for durations
 * @property {() => number} wallClock milliseconds since 1970; for epochs alone
 * @property {() => string} randomId unique; client ids are made so too
 * @property {(callback: () => void, milliseconds: number) => () => void} setTimer returns a function that cancels it
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask of its own
 * @property {(text: string) => void} warn tells the developer, with our name before it; the same text as before, not again
 */
export {};
