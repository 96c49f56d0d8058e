/**
 * Gives windows without an IndexedDB that works one that is good enough for Lockkeeper. To be loaded by a script tag before it, in every
 * window; the same file is the script of the shared worker behind it.
 */
import { MEMORY, Memory, openInMemoryWhereRefused } from '../platform/browser-memory.js';
import { serveMemory } from '../platform/browser-memory-worker.js';

/** From this version on Firefox has it in private windows too. */
const FIREFOX = 115;

/** All that is asked of it. */
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
