/**
 * Gives windows whose IndexedDB is missing or refused a replacement that is good enough for Lockkeeper. Load it by a script tag before
 * Lockkeeper, in every window. The same file is the script of the shared worker that keeps the data.
 */
import { MEMORY, Memory, openInMemoryWhereRefused } from '../platform/browser-memory.js';
import { serveMemory } from '../platform/browser-memory-worker.js';

/** From this version on, Firefox has IndexedDB in private windows too. */
const FIREFOX = 115;

/** The part of IDBKeyRange that Lockkeeper uses. */
const IDBKeyRange = {
  lowerBound: (/** @type {number} */ lower) => ({ lower }),
  upperBound: (/** @type {number} */ upper, /** @type {boolean} */ upperOpen) => ({ upper, upperOpen }),
};

if (typeof self === 'undefined') {
  throw new TypeError('indexed-db.js is for windows of browsers, by a script tag. In Node, Lockkeeper needs no IndexedDB.');
}

const script = self.document && /** @type {HTMLScriptElement | null} */ (self.document.currentScript);

if ('SharedWorkerGlobalScope' in self && self.name === MEMORY) serveMemory(self, `${Date.now()} ${Math.random()}`);
else if (script && self.SharedWorker) {
  const value = new Memory(script.src);
  if (!self.IDBKeyRange) Object.assign(self, { IDBKeyRange });
  const [, version] = /Firefox\/(\d+)/.exec(self.navigator.userAgent) || [];
  if (!self.indexedDB) Object.defineProperty(self, 'indexedDB', { value, configurable: true, enumerable: true, writable: true });
  else if (Number(version) < FIREFOX) openInMemoryWhereRefused(self.indexedDB, value);
}
