/**
 * The types that the parts of Node's log share.
 *
 * @typedef {{ref(): void, unref(): void, close(): void}} Hold
 * @typedef {ReturnType<typeof import('./journal.js').createJournal>} Journal
 * @typedef {Omit<Parameters<typeof import('./journal.js').createJournal>[0], 'directory'>} JournalParts
 *
 * @typedef {object} Life signs of life: see ./sockets.js
 * @property {(client: string) => Promise<Hold>} hold
 * @property {(client: string, onDeath: () => void, onFailure: (error: Error) => void) => () => void} watch
 * @property {(client: string) => Promise<boolean>} isAlive
 * @property {(client: string) => void} bury removes the files of a dead client
 * @property {(client: string) => void} touch shows that the files of [client] are in use
 * @property {(client: string) => boolean} hasOthers whether there may be signs of life besides those of [client]
 * @property {() => Promise<boolean>} hasStrangers whether contexts with other formats live, or may live
 * @property {(members: Set<string>) => Promise<void>} sweep removes the files of clients that ended before they became members
 *
 * @typedef {object} Surroundings
 * @property {() => void} prepare makes sure that the directory of the journal and of the signs of life exists
 * @property {(parts: JournalParts) => Journal} createJournal
 * @property {Life} life
 * @property {import('./bell.js').Bell} bell
 * @property {import('./arrivals.js').Arrivals} [arrivals] between the threads of a process only
 * @property {() => number} now milliseconds of a clock that all contexts share
 * @property {() => number} wallClock
 * @property {() => string} randomId
 * @property {(callback: () => void, milliseconds: number, keepsAlive?: boolean) => () => void} setTimer
 * @property {(callback: () => void) => void} afterTask runs [callback] before the thread waits for anything
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask
 * @property {(text: string) => void} warn
 * @property {boolean} keepAlive whether held locks and waiting requests keep the thread alive
 */
export {};
