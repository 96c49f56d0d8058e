/**
 * What a place (a browser, a simulation) gives the log. docs/protocol.md, "What a place must provide", has the reasons.
 *
 * @typedef {'broadcast' | 'store'} OrderKind what makes the order: see glue/order
 *
 * @typedef {string | unknown[]} Message a list has a Uint8Array as its last value
 *
 * @typedef {object} Order one context's access to the one order of a manager's messages
 * @property {(message: Message) => void} append every living context is delivered all messages in the same order, the sender's own
 *   included. Never calls back from inside this call.
 * @property {() => void} close nothing is delivered any more; what was appended before still travels
 *
 * @typedef {object} RegisterEntry a change as it stands in the register; glue/log/register.js has the kinds
 * @property {number} protocol
 * @property {string} type
 *
 * @typedef {{key: number, value: RegisterEntry}} StoredEntry
 *
 * @typedef {object} Register one connection to the list of changes that all contexts of the manager share
 * @property {(entry?: RegisterEntry) => Promise<StoredEntry[]>} append in one transaction that waits for nobody's thread, appends
 *   [entry] (nothing where it is left out) and reads all entries, in order. Resolves once that is committed. Rejects when storage fails,
 *   and always when the connection was closed; then [entry] may have been appended all the same.
 * @property {(key: number, value: RegisterEntry) => Promise<void>} compact in one transaction, puts [value] at [key] and deletes all
 *   entries before it
 * @property {(hurried: boolean) => void} close [hurried]: the page ends; what is not committed yet may be given up
 *
 * @typedef {object} Place
 * @property {OrderKind} order what makes the order of a log that is begun here
 * @property {(kind: OrderKind, onMessage: (message: Message) => void, onGap: () => void) => Order} openOrder [onGap] is called where
 *   messages were lost on the way to this context, before anything later is delivered
 * @property {(onLost: () => void) => Promise<Register>} openRegister [onLost] is called when the connection was closed from outside:
 *   the site's data was cleared, the page deletes all databases, or storage broke
 * @property {(aliveName: string, onLost: () => void) => Promise<{announced(): void, close(): void}>} holdAlive shows that this context
 *   lives until it ends or closes; [onLost] as above. Until it is [announced], nobody watches that name
 * @property {(aliveName: string, onDeath: (wasHeld?: boolean) => void) => void} watchAlive calls [onDeath] once the holder can run no more,
 *   never before. [wasHeld]: the name was seen to be held since this was called.
 *   Where connections were closed from outside, it may be called for a holder that lives.
 * @property {number} wipeNews so many milliseconds after such a false [onDeath] this context's own [onLost] has been called; 0 where no
 *   append over a connection from before can succeed after it
 * @property {(listener: (state: import('./lifecycle.js').Lifecycle) => void) => void} [onLifecycle] called once, at the first request;
 *   absent where nothing is ever hidden
 * @property {() => boolean} sharesEventLoop whether other contexts of the manager may run in turn with this one on its thread
 * @property {() => number} now milliseconds of a clock that never goes back; for durations
 * @property {() => number} wallClock milliseconds since 1970; for births and generations alone
 * @property {() => string} randomId unique; client ids are made so too
 * @property {(callback: () => void, milliseconds: number) => () => void} setTimer returns a function that cancels it
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask of its own
 * @property {(event: string, ...details: unknown[]) => void} [trace] is told what the log does, for tests and for debugging
 * @property {(text: string) => void} warn tells the developer, with our name before it; the same text as before, not again
 */
export {};
