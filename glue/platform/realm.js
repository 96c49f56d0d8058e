import { IS_PACKAGE } from '#edition';

const isNode = typeof self === 'undefined';

// Without this check, Node 18 and 20 would load the script and have no locks, and in Node 22 each request would reject.
if (!IS_PACKAGE && isNode) throw new TypeError('This script is not for Node: import lockkeeper/auto');

/** The realm's global object. Older browsers have no globalThis. @type {any} */
export const global = IS_PACKAGE && isNode ? globalThis : self;
