/**
 * A place is what the log runs in: a browser, or the simulation. These are the services that it gives the log. docs/protocol.md, "What a
 * place must provide", has the reasons.
 *
 * @typedef {'broadcast' | 'store'} OrderKind which file of glue/order makes the order
 *
 * @typedef {string | unknown[]} Message a list has a Uint8Array as its last value
 *
 * @typedef {object} Order one context's access to the one order of a manager's messages
 * @property {(message: Message) => void} append every living context is delivered all messages in the same order, the sender included.
 *   Never delivers from inside this call.
 * @property {() => void} look calls onGap if messages were lost on the way to this context and nothing has told so
 * @property {(lingers?: boolean) => void} close ends the delivery to this context. What was appended before still reaches the others.
 *   [lingers]: the page enters the back-forward cache while its storage opens; a message of others may end it there
 *
 * @typedef {object} RegisterChange a change as it stands in the register; glue/log/register.js has the kinds
 * @property {number} protocol
 * @property {string} type
 *
 * @typedef {{key: number, value: RegisterChange}} StoredChange
 *
 * @typedef {object} Register one connection to the list of changes that all contexts of the manager share
 * @property {(change?: RegisterChange) => Promise<StoredChange[]>} append in one transaction, which waits for nobody's thread: appends
 *   [change], if there is one, and reads all changes, in order. Resolves once that is committed. Rejects when storage fails, and always
 *   when the connection was closed; [change] may have been appended nevertheless.
 * @property {(key: number, value: RegisterChange) => Promise<unknown>} compact in one transaction, puts [value] at [key] and deletes all
 *   changes before it
 * @property {(hurried: boolean) => void} close [hurried]: the page ends, so what is not committed yet may be given up
 *
 * @typedef {object} Place
 * @property {OrderKind} order the kind of order that a log gets if this context begins it
 * @property {(kind: OrderKind, onMessage: (message: Message) => void, onGap: () => void) => Order} openOrder [onGap] is called if
 *   messages were lost on the way to this context, before any later message is delivered
 * @property {(onLost: () => void) => Promise<Register>} openRegister [onLost] is called when the connection was closed from outside:
 *   the site's data was cleared, the page deletes all databases, or storage broke
 * @property {() => string} createAliveName one that was never used before. It begins with the time, which shows names that were left behind
 * @property {() => void} endLife the life in which this context was given its last alive names has ended
 * @property {(aliveName: string) => Promise<boolean>} isLiving whether the context that was given that alive name lives, and that life of
 *   it goes on. False if that is unknown
 * @property {(aliveName: string, own: string) => Promise<boolean>} hasEnded whether the context that was given that alive name can run no
 *   more, or that life of it has ended. False if that is unknown. [own]: a name that this context had when the register showed [aliveName]
 * @property {(aliveName: string, onLost: () => void) => Promise<{announced(): void, close(): void}>} holdAlive shows others that this
 *   context lives, until it ends or closes this. [onLost] as above. Nobody watches the name before announced() is called. After the
 *   register's onLost, close this only when the register, opened again, has taken a change: if the page deletes all databases, everybody
 *   has heard of that by then.
 * @property {(aliveName: string, onDeath: (wasHeld?: boolean) => void) => () => void} watchAlive calls [onDeath] once the holder can run
 *   no more; returns a function that ends the watch. [wasHeld]: the name was seen to be held since this was called. If the browser has
 *   closed connections, it may be called for a holder that lives. Then no append over this context's connection of before succeeds.
 * @property {(listener: (state: import('./lifecycle.js').Lifecycle) => void) => void} [onLifecycle] called once, at the first request;
 *   the [listener] is told what the state is then, unless it is visible, and each change; absent if nothing is ever hidden here
 * @property {number} [idle] how long a hidden context with nothing left to do stays a member, in milliseconds, where that is not the usual
 *   time
 * @property {() => boolean} sharesEventLoop whether other contexts of the manager may run on this context's thread
 * @property {() => number} now milliseconds of a clock that never goes back; for durations
 * @property {() => number} wallClock milliseconds since 1970; only for generations
 * @property {() => string} randomId unique; client ids are made so too
 * @property {(callback: () => void, milliseconds: number) => () => void} setTimer returns a function that cancels it
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask of its own
 * @property {(callback: () => void) => void} afterTask runs [callback] in another task, soon, also where timers are slow
 * @property {(event: string, ...details: unknown[]) => void} [trace] reports what the log does, for tests and for debugging
 * @property {(text: string) => void} warn prints a warning with our name before it, but never the same text twice in a row
 */
export {};
