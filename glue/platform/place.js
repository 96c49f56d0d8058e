/**
 * A place is the environment of the log: a browser, or the simulation. These are the services that it provides. docs/protocol.md, "What a
 * place must provide", has the reasons.
 *
 * @typedef {'broadcast' | 'store'} OrderKind which file of glue/order makes the order
 *
 * @typedef {string | unknown[]} Message the last value of a list is a Uint8Array
 *
 * @typedef {object} Order one context's access to the one order of a manager's messages
 * @property {(message: Message) => void} append delivers the message to every living context, the sender included; all receive all messages
 *   in the same order. Never delivers from inside this call.
 * @property {() => void} look calls onGap if messages to this context were lost and this was not reported yet
 * @property {(lingers?: boolean) => void} close ends the delivery to this context. Earlier messages still reach the others. [lingers]: the
 *   page enters the back-forward cache while its storage opens; a message of another context may end it there
 *
 * @typedef {object} RegisterChange a change in the register; glue/log/register.js has the types
 * @property {number} protocol
 * @property {string} type
 *
 * @typedef {{key: number, value: RegisterChange}} StoredChange
 *
 * @typedef {object} Register one connection to the list of changes that all contexts of the manager share
 * @property {(change?: RegisterChange) => Promise<StoredChange[]>} append in one transaction that waits for no other context's thread,
 *   appends [change], if given, and reads all changes in order. Resolves when that is committed. Rejects when storage fails, and always
 *   when the connection was closed; [change] may have been appended nevertheless.
 * @property {(key: number, value: RegisterChange) => Promise<unknown>} compact in one transaction, puts [value] at [key] and deletes all
 *   changes before it
 * @property {(hurried: boolean) => void} close [hurried]: uncommitted changes may be given up: the page ends or enters the back-forward
 *   cache, or the connection was closed from outside
 *
 * @typedef {object} Place
 * @property {OrderKind} order the kind of order that a log gets if this context begins it
 * @property {(kind: OrderKind, onMessage: (message: Message) => void, onGap: () => void) => Order} openOrder [onGap] is called if messages
 *   to this context were lost, before any later message is delivered
 * @property {(onLost: () => void) => Promise<Register>} openRegister [onLost] is called when the connection was closed from outside:
 *   the site's data was cleared, the page deletes all databases, or storage broke
 * @property {() => string} createAliveName makes a name that was never used before. It begins with the time, which shows names that were
 *   left behind
 * @property {() => void} endLife ends the life to which this context's latest alive names belong
 * @property {(aliveName: string) => Promise<boolean>} isLiving whether the life with that alive name goes on. False if that is unknown
 * @property {(aliveName: string, own: string) => Promise<boolean>} hasEnded whether the life with that alive name has ended, or its context
 *   can run no more. False if that is unknown. [own]: a name that this context had when the register showed [aliveName]
 * @property {(aliveName: string, onLost: () => void) => Promise<{announced(): void, close(): void}>} holdAlive shows others that this
 *   context lives, until it ends or closes this. [onLost] as above. Nobody watches the name before announced() is called. After the
 *   register's onLost, close this only when the reopened register has taken a change. By then every context has learned of a deletion of
 *   all databases.
 * @property {(aliveName: string, onDeath: (wasHeld?: boolean) => void) => () => void} watchAlive calls [onDeath] when the holder can run no
 *   more; returns a function that ends the watch. [wasHeld]: the name was seen held since this call. If the browser has closed connections,
 *   [onDeath] may be called for a holder that lives; then no append over this context's earlier connection succeeds.
 * @property {(listener: (state: import('./lifecycle.js').Lifecycle) => void) => void} [onLifecycle] called once, at the first request. The
 *   [listener] gets the state at that time, unless it is visible, and each change. Absent if nothing is ever hidden here
 * @property {number} [idle] how long a hidden context with nothing left to do stays a member, in milliseconds, if not the usual time
 * @property {() => boolean} sharesEventLoop whether other contexts of the manager may run on this context's thread
 * @property {() => number} now milliseconds of a clock that never goes back; for durations
 * @property {() => number} wallClock milliseconds since 1970; only for generations
 * @property {() => string} randomId unique; also used for client ids
 * @property {(callback: () => void, milliseconds: number) => () => void} setTimer returns a function that cancels it
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask of its own
 * @property {(callback: () => void) => void} afterTask runs [callback] in another task, soon, also where timers are slow
 * @property {(event: string, ...details: unknown[]) => void} [trace] reports what the log does, for tests and for debugging
 * @property {(text: string) => void} warn prints a warning that begins with the library's name; never the same text twice in a row
 */
export {};
