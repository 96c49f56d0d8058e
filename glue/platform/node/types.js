/**
 * What the parts of Node's log are given.
 *
 * @typedef {{ref(): void, unref(): void, close(): void}} Hold
 * @typedef {ReturnType<typeof import('./journal.js').createJournal>} Journal
 * @typedef {Omit<Parameters<typeof import('./journal.js').createJournal>[0], 'directory'>} JournalParts
 *
 * @typedef {object} Life who lives; see ./sockets.js
 * @property {(client: string) => Promise<Hold>} hold
 * @property {(client: string, onDeath: () => void, onFailure: (error: Error) => void) => () => void} watch
 * @property {(client: string) => Promise<boolean>} isAlive
 * @property {(client: string) => void} bury removes what a dead client has left
 * @property {(client: string) => void} touch so that nobody takes what [client] shows its life by for a forgotten file
 * @property {() => Promise<boolean>} hasStrangers whether contexts of other formats live, or may live
 * @property {(members: Set<string>) => Promise<void>} sweep removes what clients have left that ended before they were members
 *
 * @typedef {object} Surroundings
 * @property {() => void} prepare makes sure that the place where the journal and the signs of life are is there
 * @property {(parts: JournalParts) => Journal} createJournal
 * @property {Life} life
 * @property {import('./bell.js').Bell} bell
 * @property {() => number} now milliseconds of a clock that all contexts share
 * @property {() => number} wallClock
 * @property {() => string} randomId
 * @property {(callback: () => void, milliseconds: number, keepsAlive?: boolean) => () => void} setTimer
 * @property {(callback: () => void) => void} afterTask runs [callback] before the thread waits for anything
 * @property {(callback: () => void) => void} defer runs [callback] in a microtask
 * @property {(text: string) => void} warn
 * @property {boolean} keepAlive whether what is held or asked for keeps the thread alive
 */
export {};
