/** The realm's global object; browsers of the first Wasm years have no globalThis. @type {any} */
export const global = typeof self === 'undefined' ? globalThis : self;
